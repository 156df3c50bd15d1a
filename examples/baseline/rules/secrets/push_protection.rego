# METADATA
#
# title: Secrets cannot be pushed
# description: GitHub refuses a push that contains a secret. Private repositories need a licence for that.
# custom:
#   name: push_protection
#   short_failure_message: Secrets can be pushed
#   severity:
#     value: high
#   context:
#     provider: github
#   guidance: |
#     Switch on push protection in the security settings of the repository.
#   def:
#     in_entity: repository
#     ingest:
#       type: rest
#       rest:
#         endpoint: '/repos/{{ .Entity.Owner }}/{{ .Entity.Name }}'
#         method: '{{ "get" }}'
#         headers:
#           - 'X-GitHub-Api-Version: 2022-11-28'
#         parse: json
#     eval:
#       rego:
#         type: deny-by-default
#     remediate:
#       type: rest
#       rest:
#         endpoint: '/repos/{{ .Entity.Owner }}/{{ .Entity.Name }}'
#         body: |
#           {"security_and_analysis": {
#             "secret_scanning": {"status": "enabled"},
#             "secret_scanning_push_protection": {"status": "enabled"}
#           }}

package minder

import rego.v1

default allow := false

settings := input.ingested.security_and_analysis

enabled(name) if settings[name].status == "enabled"

skip if {
	input.ingested.private
	not enabled("advanced_security")
}

allow if {
	enabled("secret_scanning")
	enabled("secret_scanning_push_protection")
}

message := "Push protection is on, but secret scanning is off" if enabled("secret_scanning_push_protection")

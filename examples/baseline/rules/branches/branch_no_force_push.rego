# METADATA
#
# title: History cannot be rewritten
# description: |
#   Force pushes to the default branch are denied, be it by the protection of the branch or by a ruleset.
# custom:
#   name: branch_no_force_push
#   short_failure_message: Force pushes are allowed
#   severity:
#     value: high
#   release_phase: beta
#   context:
#     provider: github
#   guidance: |
#     Switch off "Allow force pushes" in the protection of the branch, or add the rule "Block force pushes" to a ruleset.
#   def:
#     in_entity: repository
#     ingest:
#       type: rest
#       rest:
#         endpoint: '/repos/{{.Entity.Owner}}/{{.Entity.Name}}/branches/{{.Entity.DefaultBranch}}/protection'
#         parse: json
#         fallback:
#           - http_code: 404
#             body: '{"unprotected": true}'
#     eval:
#       data_sources:
#         - name: github
#       rego:
#         type: deny-by-default
#     remediate:
#       type: rest
#       rest:
#         method: POST
#         endpoint: '/repos/{{.Entity.Owner}}/{{.Entity.Name}}/rulesets'
#         body: |
#           {
#             "name": "No force pushes to {{ .Entity.DefaultBranch }}",
#             "target": "branch",
#             "enforcement": "active",
#             "conditions": {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}},
#             "rules": [{"type": "non_fast_forward"}]
#           }

package minder

import rego.v1

default allow := false

allow if input.ingested.allow_force_pushes.enabled == false

allow if {
	some rule in rulesets.body
	rule.type == "non_fast_forward"
}

rulesets := minder.datasource.github.branch_rules({
	"owner": input.properties["github/repo_owner"],
	"repo": input.properties["github/repo_name"],
	"branch": input.properties["github/default_branch"],
})

default message := "The protection of the branch allows force pushes"

message := "Nothing protects the branch from force pushes" if input.ingested.unprotected

output := {"protected": false, "rules": [rule.type | some rule in rulesets.body]} if input.ingested.unprotected

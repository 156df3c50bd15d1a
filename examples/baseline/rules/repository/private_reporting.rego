# METADATA
#
# title: Weaknesses can be reported in private
# name: private_reporting
# description: |
#   GitHub takes private reports of weaknesses for the repository. Private repositories have no strangers who could
#   report one.
# short_failure_message: Weaknesses cannot be reported in private
# severity:
#   value: low
# context:
#   provider: github
# guidance: |
#   Switch on private vulnerability reporting in the security settings of the repository.
# def:
#   in_entity: repository
#   ingest:
#     type: builtin
#     builtin:
#       method: Passthrough
#   eval:
#     rego:
#       type: deny-by-default
#   remediate:
#     type: rest
#     rest:
#       method: PUT
#       endpoint: '/repos/{{ .Entity.Owner }}/{{ .Entity.Name }}/private-vulnerability-reporting'

package minder

import rego.v1

default allow := false

skip if input.ingested.is_private

answer := http.send({
	"method": "GET",
	"url": sprintf("https://api.github.com/repos/%s/%s/private-vulnerability-reporting", [
		input.ingested.owner,
		input.ingested.name,
	]),
	"raise_error": false,
})

allow if answer.body.enabled

message := sprintf("GitHub answers %d", [answer.status_code]) if answer.status_code != 200

output := {"status": answer.status_code}

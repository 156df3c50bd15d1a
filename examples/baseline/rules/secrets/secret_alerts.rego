# METADATA
#
# title: Secrets that were found are dealt with
# name: secret_alerts
# description: No alert of secret scanning is open, but for the kinds that the profile lets be.
# short_failure_message: Secrets that were found are not dealt with
# severity:
#   value: critical
# guidance: |
#   Replace the secret where it is used, then close the alert.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       let_be:
#         type: array
#         items: {type: string}
#         default: [test_token]
#       at_most:
#         type: integer
#         minimum: 0
#         default: 0
#   ingest:
#     type: builtin
#     builtin:
#       method: Passthrough
#   eval:
#     data_sources:
#       - name: github
#     rego:
#       type: deny-by-default
#   alert:
#     type: security_advisory
#     security_advisory: {}

package minder

import rego.v1

default allow := false

answer := minder.datasource.github.secret_alerts({
	"owner": input.ingested.owner,
	"repo": input.ingested.name,
	"state": "open",
	"per_page": 100,
})

skip if answer.status_code == 404

open contains alert.number if {
	some alert in answer.body
	not alert.secret_type in input.profile.let_be
}

allow if {
	answer.status_code == 200
	count(open) <= input.profile.at_most
}

default message := "The alerts of secret scanning cannot be read"

message := sprintf("%d alerts are open: %s", [count(open), concat(", ", numbers)]) if answer.status_code == 200

numbers := [sprintf("#%d", [number]) | some number in sort(open)]

output := {"open": open}

# METADATA
#
# title: A pull request leaves the licence alone
# name: pull_request_licence
# description: Files that say what others may do with the code are changed by the owners only.
# short_failure_message: The licence is changed
# severity:
#   value: high
# guidance: |
#   Take the change of the licence out of the pull request.
# def:
#   in_entity: pull_request
#   rule_schema:
#     type: object
#     properties:
#       files:
#         type: array
#         items: {type: string}
#         default: [LICENSE, NOTICE]
#   ingest:
#     type: diff
#     diff:
#       type: full
#   eval:
#     rego:
#       type: constraints
#   alert:
#     type: pull_request_comment
#     pull_request_comment:
#       review_message: "{{ .EvalErrorDetails }}"

package minder

import rego.v1

violations contains {"msg": sprintf("%s is removed", [name])} if {
	some name in input.profile.files
	base_file.exists(name)
	not file.exists(name)
}

violations contains {"msg": sprintf("%s is new", [name])} if {
	some name in input.profile.files
	file.exists(name)
	not base_file.exists(name)
}

violations contains {"msg": sprintf("%s is changed", [name])} if {
	some name in input.profile.files
	file.read(name) != base_file.read(name)
}

# METADATA
#
# title: Pull requests come from known authors
# description: |
#   Who opens a pull request is on the list of the profile, or the list is empty. Closed ones are let be.
# custom:
#   name: pull_request_author
#   short_failure_message: The author is not known
#   severity:
#     value: info
#   def:
#     in_entity: pull_request
#     rule_schema:
#       type: object
#       properties:
#         authors:
#           type: array
#           items: {type: integer}
#       required: [authors]
#     ingest:
#       type: builtin
#       builtin:
#         method: Passthrough
#     eval:
#       rego:
#         type: deny-by-default

package minder

import rego.v1

default allow := false

skip if input.ingested.action in {"closed", "converted_to_draft"}

allow if count(input.profile.authors) == 0

allow if input.ingested.author_id in input.profile.authors

message := sprintf("%s/%s#%d is from the unknown author %d", [
	input.ingested.repo_owner,
	input.ingested.repo_name,
	input.ingested.number,
	input.ingested.author_id,
])

# METADATA
#
# title: Releases are numbered
# name: release_version
# description: |
#   The name of a release is a version of three numbers. What its properties call a nightly build may be called anything.
# short_failure_message: The release is not numbered
# severity:
#   value: info
# guidance: |
#   Name the tag v1.2.3.
# def:
#   in_entity: release
#   rule_schema:
#     type: object
#     properties:
#       major_at_least:
#         type: integer
#         default: 0
#   ingest:
#     type: builtin
#     builtin:
#       method: Passthrough
#   eval:
#     rego:
#       type: deny-by-default

package minder

import rego.v1

default allow := false

skip if input.properties.channel == "nightly"

numbers := split(trim_prefix(input.ingested.name, "v"), ".") if {
	regex.match(`^v\d+\.\d+\.\d+$`, input.ingested.name)
}

allow if to_number(numbers[0]) >= input.profile.major_at_least

message := sprintf("%s is older than version %d", [input.ingested.name, input.profile.major_at_least]) if {
	numbers
} else := sprintf("'%s' is no version such as v1.2.3", [input.ingested.name])

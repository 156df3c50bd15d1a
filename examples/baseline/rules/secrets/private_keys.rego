# METADATA
#
# title: No private key is committed
# name: private_keys
# description: |
#   No text file has the first line of a private key in it. Folders that the profile names are not looked at.
# short_failure_message: A private key is committed
# severity:
#   value: critical
# guidance: |
#   Replace the key where it is used, then remove it from the history.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       folder:
#         type: string
#         default: "."
#       ignored:
#         type: array
#         items: {type: string}
#         default: []
#   ingest:
#     type: git
#   eval:
#     rego:
#       type: constraints
#   alert:
#     type: security_advisory
#     security_advisory: {}

package minder

import rego.v1

texts contains path if {
	some path in file.walk(input.profile.folder)
	startswith(file.http_type(path), "text/plain")
	not ignored(path)
}

ignored(path) if {
	some folder in input.profile.ignored
	startswith(path, folder)
}

violations contains {"msg": sprintf("%s, line %d: a private key (%s)", [path, at + 1, kind])} if {
	some path in texts
	some at, line in split(file.read(path), "\n")
	some [_, kind] in regex.find_all_string_submatch_n(`-----BEGIN ([A-Z ]*)PRIVATE KEY-----`, line, -1)
}

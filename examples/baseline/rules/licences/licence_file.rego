# METADATA
#
# title: There is a licence
# name: licence_file
# description: |
#   Without a licence nobody may use the code. A licence file stands at the root and contains what the profile says.
# short_failure_message: There is no licence
# severity:
#   value: medium
# guidance: |
#   Add the text of the licence as LICENSE.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       phrase:
#         type: string
#         description: What the text must contain; empty means that any text will do.
#         default: ""
#       holder:
#         type: string
#         default: the authors
#   ingest:
#     type: git
#   eval:
#     rego:
#       type: deny-by-default
#   remediate:
#     type: pull_request
#     pull_request:
#       title: Add a licence
#       body: |
#         Minder found no licence in {{ .Entity.Owner }}/{{ .Entity.Name }}.
#       contents:
#         - path: LICENSE
#           action: replace
#           content: |
#             {{ with .Profile.phrase }}{{ . }}{{ else }}All rights reserved{{ end }}
#             Copyright {{ .Profile.holder }}
#   alert:
#     type: security_advisory
#     security_advisory: {}

package minder

import rego.v1

default allow := false

files := [path |
	some path in file.ls_glob("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*")
	trim_space(file.read(path)) != ""
]

allow if {
	some path in files
	contains(file.read(path), input.profile.phrase)
}

message := "There is no file LICENSE" if {
	count(files) == 0
} else := sprintf("None of %s contains '%s'", [concat(", ", files), input.profile.phrase])

# METADATA
#
# title: There is a security policy
# name: security_policy
# description: A file SECURITY.md says whom to tell about a weakness, by an address for mail or for the web.
# short_failure_message: There is no security policy
# severity:
#   value: medium
# guidance: |
#   Write SECURITY.md, with an address that a report can be sent to.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       contact:
#         type: string
#         default: ""
#   ingest:
#     type: git
#   eval:
#     rego:
#       type: deny-by-default
#   remediate:
#     type: pull_request
#     pull_request:
#       title: Add a security policy
#       body: |
#         {{ .Entity.Name }} has no security policy yet.
#       contents:
#         - path: SECURITY.md
#           action: replace
#           content: |
#             # Security policy
#             Please write to {{ with .Profile.contact }}{{ . }}{{ else }}security@{{ .Entity.Owner }}.example{{ end }}.
#         - path: docs/index.md
#           action: replace
#           content: |
#             See [the security policy](../SECURITY.md).

package minder

import rego.v1

default allow := false

places := ["SECURITY.md", ".github/SECURITY.md", "docs/SECURITY.md"]

found := [path | some path in places; file.exists(path)]

allow if regex.match(`[\w.+-]+@[\w-]+\.\w+|https://[\w-]+\.\w+`, file.read(found[0]))

default message := "There is no SECURITY.md at the root, in .github or in docs"

message := sprintf("%s names no address", [found[0]])

output := {"looked_at": found}

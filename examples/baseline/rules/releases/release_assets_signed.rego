# METADATA
#
# title: What is released is signed
# name: release_assets_signed
# description: Beside every asset of a release is its signature, and nothing is signed that is not there.
# short_failure_message: What is released is not signed
# severity:
#   value: high
# context:
#   provider: github
# guidance: |
#   Sign the assets when the release is made, and upload the signatures with them.
# def:
#   in_entity: release
#   rule_schema:
#     type: object
#     properties:
#       endings:
#         type: array
#         description: What the name of a signature ends with.
#         items: {type: string}
#         default: [.sig, .asc]
#   ingest:
#     type: rest
#     rest:
#       endpoint: '/repos/{{ mapGet (asMap .Entity.Properties) "github/owner" }}/{{ mapGet .Entity.Properties "github/repo" }}/releases/tags/{{ .Entity.Name }}'
#       parse: json
#   eval:
#     rego:
#       type: constraints

package minder

import rego.v1

names contains asset.name if {
	some asset in input.ingested.assets
	asset.state == "uploaded"
}

signed[name] contains signature if {
	some signature in names
	some ending in input.profile.endings
	endswith(signature, ending)
	name := trim_suffix(signature, ending)
}

signatures contains signature if {
	some found in signed
	some signature in found
}

skip if input.ingested.draft

violations contains {"msg": "The release has no assets"} if count(names) == 0

violations contains {"msg": sprintf("%s is not signed", [name])} if {
	some name in names
	not name in signatures
	not signed[name]
}

violations contains {"msg": sprintf("%s signs nothing", [signature])} if {
	some name, found in signed
	not name in names
	some signature in found
}

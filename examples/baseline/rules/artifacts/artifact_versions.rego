# METADATA
#
# title: Images have tags that stay
# name: artifact_versions
# description: Every version of an image that was pushed lately has a tag beside the ones that move.
# short_failure_message: Images have only tags that move
# severity:
#   value: low
# context:
#   provider: github
# guidance: |
#   Push a tag such as v1.2.3 with each image.
# def:
#   in_entity: artifact
#   rule_schema:
#     type: object
#     properties:
#       moving:
#         type: array
#         items: {type: string}
#         default: [latest, edge]
#       since:
#         type: string
#         default: "2026-01-01"
#   ingest:
#     type: rest
#     rest:
#       endpoint: '/orgs/{{ .Entity.Owner }}/packages/{{ or .Entity.Type "container" }}/{{ urlquery .Entity.Name }}/versions'
#       parse: json
#       fallback:
#         - http_code: 404
#           body: '[]'
#   eval:
#     rego:
#       type: constraints

package minder

import rego.v1

violations contains {"msg": "The image was never pushed"} if count(input.ingested) == 0

staying(version) if {
	some tag in version.metadata.container.tags
	not tag in input.profile.moving
}

violations contains {"msg": sprintf("version %d has no tag that stays", [version.id])} if {
	some version in input.ingested
	version.created_at >= input.profile.since
	not staying(version)
}

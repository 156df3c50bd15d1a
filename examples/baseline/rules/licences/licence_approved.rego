# METADATA
#
# title: The licence is an approved one
# name: licence_approved
# description: |
#   GitHub knows the licence of the repository, the profile allows it, and the register of licences says that the Open
#   Source Initiative approved it.
# short_failure_message: The licence is not an approved one
# severity:
#   value: low
# context:
#   provider: github
# guidance: |
#   Use the unchanged text of a licence that is on the list of the profile.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       allowed:
#         type: array
#         items: {type: string}
#         minItems: 1
#     required: [allowed]
#   ingest:
#     type: rest
#     rest:
#       endpoint: '{{ printf "/repos/%s/%s/license" .Entity.Owner .Entity.Name }}'
#       parse: json
#       fallback:
#         - http_code: 404
#           body: '{"license": {"spdx_id": "NONE"}}'
#         - http_code: 451
#           body: '{"license": {"spdx_id": "NOASSERTION"}}'
#   eval:
#     data_sources:
#       - name: licence-register
#     rego:
#       type: constraints

package minder

import rego.v1

licence := object.get(input.ingested, ["license", "spdx_id"], "NONE")

unknown := {"NONE", "NOASSERTION"}

violations contains {"msg": sprintf("GitHub recognises no licence (%s)", [licence])} if licence in unknown

violations contains {"msg": sprintf("%s is not among the allowed licences: %s", [licence, concat(", ", input.profile.allowed)])} if {
	not licence in unknown
	not licence in input.profile.allowed
}

register := minder.datasource.licence_register.licence({"id": licence}) if licence in input.profile.allowed

violations contains {"msg": "the register of licences cannot be read"} if {
	licence in input.profile.allowed
	not register
}

violations contains {"msg": sprintf("the register has no licence %s (%d)", [licence, register.status_code])} if {
	register.status_code != 200
}

violations contains {"msg": sprintf("%s is not approved by the Open Source Initiative", [register.body.name])} if {
	not register.body.osi_approved
	register.status_code == 200
}

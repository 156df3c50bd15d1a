# METADATA
#
# title: It is known who looks after security
# name: security_contacts
# description: |
#   The repository's security insights name somebody to write to, and say until when they hold.
# short_failure_message: It is not known who looks after security
# severity:
#   value: low
# guidance: |
#   Write security-insights.yml with `contacts` and `expires`.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       year:
#         type: integer
#         description: The year that the insights must hold for.
#     required: [year]
#   ingest:
#     type: git
#   eval:
#     data_sources:
#       - name: repository-files
#     rego:
#       type: constraints

package minder

import rego.v1

insights := minder.datasource.repository_files.security_insights({})

violations contains {"msg": "There are no security insights"} if insights == null

violations contains {"msg": "The security insights cannot be read"} if not known

known if is_object(insights)

known if insights == null

violations contains {"msg": "The security insights name nobody"} if {
	count(object.get(insights, "contacts", [])) == 0
}

violations contains {"msg": sprintf("The security insights hold until %s only", [insights.expires])} if {
	to_number(substring(insights.expires, 0, 4)) < input.profile.year
}

violations contains {"msg": "The security insights do not say until when they hold"} if {
	is_object(insights)
	not insights.expires
}

# METADATA
#
# title: No dependency has a known weakness
# name: known_vulnerabilities
# description: |
#   For every exact version in requirements.txt the register of advisories is asked; what is less bad than the profile
#   says is let be.
# short_failure_message: A dependency has a known weakness
# severity:
#   value: high
# guidance: |
#   Take the version in which the weakness is mended.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       score_at_least:
#         type: number
#         default: 4.0
#   ingest:
#     type: git
#   eval:
#     data_sources:
#       - name: advisories
#     rego:
#       type: constraints
#       violation_format: json
#   alert:
#     type: security_advisory
#     security_advisory: {}

package minder

import rego.v1

pins contains {"name": pair[0], "version": pair[1]} if {
	some line in split(file.read("requirements.txt"), "\n")
	text := trim_space(split(line, "#")[0])
	pair := split(text, "==")
	count(pair) == 2
}

answers[pin] := minder.datasource.advisories.query({"question": {
	"package": {"name": pin.name, "ecosystem": "PyPI"},
	"version": pin.version,
}}) if some pin in pins

violations contains {"msg": json.marshal({"package": pin.name, "version": pin.version, "advisory": advisory.id})} if {
	some pin, answer in answers
	some advisory in answer.body.vulns
	object.get(advisory, "score", 10) >= input.profile.score_at_least
}

violations contains {"msg": sprintf("nothing is known of %s %s", [pin.name, pin.version])} if {
	some pin in pins
	not answered(pin)
}

answered(pin) if answers[pin].status_code == 200

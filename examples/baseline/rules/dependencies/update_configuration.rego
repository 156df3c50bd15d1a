# METADATA
#
# title: Dependencies are kept up to date
# name: update_configuration
# description: Dependabot looks after every ecosystem that the profile names, often enough.
# short_failure_message: Dependencies are not kept up to date
# severity:
#   value: medium
# context:
#   provider: github
# guidance: |
#   Add the ecosystem to .github/dependabot.yml.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       ecosystems:
#         type: array
#         items: {type: string}
#         minItems: 1
#       intervals:
#         type: array
#         items: {type: string}
#         default: [daily, weekly]
#     required: [ecosystems]
#   ingest:
#     type: git
#   eval:
#     data_sources:
#       - name: repository-files
#     rego:
#       type: constraints
#       violation_format: text
#   remediate:
#     type: pull_request
#     pull_request:
#       title: Keep dependencies up to date
#       body: |
#         Dependabot will look after{{ range .Profile.ecosystems }} {{ . }}{{ end }}.
#       contents:
#         - path: .github/dependabot.yml
#           action: replace
#           content: |
#             version: 2
#             updates:
#             {{- range .Profile.ecosystems }}
#               - package-ecosystem: {{ . }}
#                 directory: /
#                 schedule:
#                   interval: {{ index $.Profile.intervals 0 }}
#             {{- end }}

package minder

import rego.v1

configured := minder.datasource.repository_files.updates({})

violations contains {"msg": "There is no .github/dependabot.yml"} if configured == null

violations contains {"msg": ".github/dependabot.yml is not of version 2"} if {
	configured != null
	not configured.version == 2
}

violations contains {"msg": sprintf("Nothing keeps %s up to date", [ecosystem])} if {
	configured.version == 2
	some ecosystem in input.profile.ecosystems
	count([update | some update in configured.updates; update["package-ecosystem"] == ecosystem]) == 0
}

violations contains {"msg": sprintf("%s is looked after %s only", [update["package-ecosystem"], interval])} if {
	some update in configured.updates
	update["package-ecosystem"] in input.profile.ecosystems
	interval := object.get(update, ["schedule", "interval"], "never")
	not interval in input.profile.intervals
}

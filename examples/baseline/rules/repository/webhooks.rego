# METADATA
#
# title: Webhooks are sent safely
# name: webhooks
# description: Every active webhook is sent over HTTPS to a certificate that is checked, with a secret.
# short_failure_message: Webhooks are not sent safely
# severity:
#   value: medium
# context:
#   provider: github
# guidance: |
#   Edit the webhook in the settings of the repository.
# def:
#   in_entity: repository
#   ingest:
#     type: rest
#     rest:
#       endpoint: '/repos/{{ .Entity.Owner }}/{{ .Entity.Name }}/hooks'
#       parse: json
#   eval:
#     rego:
#       type: constraints

package minder

import rego.v1

hooks := [hook | some hook in input.ingested; hook.active]

violations contains {"msg": sprintf("webhook %d is sent without encryption", [hook.id])} if {
	some hook in hooks
	not startswith(hook.config.url, "https://")
}

violations contains {"msg": sprintf("webhook %d is sent to whatever certificate", [hook.id])} if {
	some hook in hooks
	hook.config.insecure_ssl != "0"
}

violations contains {"msg": sprintf("webhook %d has no secret", [hook.id])} if {
	some hook in hooks
	not hook.config.secret
}

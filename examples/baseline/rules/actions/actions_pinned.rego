# METADATA
#
# title: Actions are pinned to commits
# name: actions_pinned
# description: |
#   A tag can be moved to other code, a commit cannot. Every action and every reusable workflow is named by the whole
#   SHA-1 of a commit; those of trusted owners, and those of the repository itself, may be named as they like.
# short_failure_message: Actions are not pinned to commits
# severity:
#   value: high
# release_phase: beta
# guidance: |
#   Write the commit behind the @ and the version in a comment: `uses: owner/action@<sha> # v4`.
# context:
#   provider: github
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       trusted_owners:
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

workflows := array.concat(
	file.ls_glob(".github/workflows/*.yml"),
	file.ls_glob(".github/workflows/*.yaml"),
)

jobs contains {"path": path, "job": job} if {
	some path in workflows
	some job in parse_yaml(file.read(path)).jobs
}

uses contains {"path": entry.path, "name": name} if {
	some entry in jobs
	name := entry.job.uses
}

uses contains {"path": entry.path, "name": name} if {
	some entry in jobs
	some step in entry.job.steps
	name := step.uses
}

violations contains {"msg": sprintf("%s: %s is not pinned to a commit", [use.path, use.name])} if {
	some use in uses
	not regex.match(`@[0-9a-f]{40}$`, use.name)
	not startswith(use.name, "./")
	not split(use.name, "/")[0] in input.profile.trusted_owners
}

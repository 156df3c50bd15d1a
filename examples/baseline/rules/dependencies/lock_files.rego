# METADATA
#
# title: Dependencies are locked
# name: lock_files
# description: Beside every file that names dependencies is one that says exactly which ones were meant.
# short_failure_message: Dependencies are not locked
# severity:
#   value: medium
# guidance: |
#   Let the package manager write its lock file, and commit it.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       folder:
#         type: string
#         default: "."
#       ignored:
#         type: array
#         description: Folders whose dependencies need no lock.
#         items: {type: string}
#         default: [examples]
#   ingest:
#     type: git
#   eval:
#     rego:
#       type: constraints

package minder

import rego.v1

locks := {
	"package.json": ["package-lock.json", "yarn.lock", "pnpm-lock.yaml"],
	"go.mod": ["go.sum"],
	"Cargo.toml": ["Cargo.lock"],
	"Gemfile": ["Gemfile.lock"],
}

manifests contains {"folder": folder, "name": name} if {
	some path in file.walk(input.profile.folder)
	parts := split(path, "/")
	name := parts[count(parts) - 1]
	locks[name]
	folder := substring(path, 0, count(path) - count(name))
	not parts[0] in input.profile.ignored
}

locked(manifest) if {
	some lock in locks[manifest.name]
	file.exists(concat("", [manifest.folder, lock]))
}

violations contains {"msg": msg} if {
	some manifest in manifests
	not locked(manifest)
	msg := sprintf("%s%s has no lock beside it: %s", [manifest.folder, manifest.name, concat(", ", locks[manifest.name])])
}

output := {"manifests": count(manifests), "unlocked": count(violations)}

# METADATA
#
# title: Workflows have the permissions that they need
# description: |
#   A workflow says at its top which permissions its token has, and none of them is to write; a job that must write
#   says so itself, one by one.
# short_failure_message: Workflows may do more than they need
# severity:
#   value: high
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       writable:
#         type: array
#         description: What jobs may ask to write.
#         items: {type: string}
#         default: [contents, packages, id-token]
#   ingest:
#     type: git
#   eval:
#     rego:
#       type: constraints

package minder

import rego.v1

folder := ".github/workflows"

workflows[path] := workflow if {
	some path in file.ls(folder)
	regex.match(`\.ya?ml$`, path)
	workflow := parse_yaml(file.read(path))
}

violations contains {"msg": sprintf("%s: says no permissions at its top", [path])} if {
	some path, workflow in workflows
	not "permissions" in object.keys(workflow)
}

violations contains {"msg": sprintf("%s: all of it may write everything", [path])} if {
	some path, workflow in workflows
	workflow.permissions == "write-all"
}

violations contains {"msg": sprintf("%s: all of it may write %s", [path, scope])} if {
	some path, workflow in workflows
	some scope, access in workflow.permissions
	access == "write"
}

violations contains {"msg": sprintf("%s: the job '%s' may write everything", [path, name])} if {
	some path, workflow in workflows
	some name, job in workflow.jobs
	job.permissions == "write-all"
}

violations contains {"msg": sprintf("%s: the job '%s' may write %s", [path, name, scope])} if {
	some path, workflow in workflows
	some name, job in workflow.jobs
	some scope, access in job.permissions
	access == "write"
	not scope in input.profile.writable
}

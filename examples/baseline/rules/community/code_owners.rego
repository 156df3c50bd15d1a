# METADATA
#
# title: Every file has an owner
# description: The file CODEOWNERS has a line for `*`, and each line names someone.
# custom:
#   name: code_owners
#   short_failure_message: There are files without an owner
#   severity:
#     value: low
#   guidance: |
#     Begin the file CODEOWNERS with a line such as `* @acme/everyone`.
#   def:
#     in_entity: repository
#     ingest:
#       type: git
#     eval:
#       rego:
#         type: constraints

package minder

import rego.v1

path := [name | some name in ["CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS"]; file.exists(name)][0]

lines[number] := words if {
	some at, line in split(file.read(path), "\n")
	text := trim_space(split(line, "#")[0])
	text != ""
	number := at + 1
	words := regex.split(`\s+`, text)
}

violations contains {"msg": "There is no file CODEOWNERS"} if not path

violations contains {"msg": sprintf("%s: no line is for all files", [path])} if {
	every words in lines { words[0] != "*" }
}

violations contains {"msg": sprintf("%s:%d: %s has no owner", [path, number, words[0]])} if {
	some number, words in lines
	count(words) == 1
}

violations contains {"msg": sprintf("%s:%d: %s is nobody's name", [path, number, word])} if {
	some number, words in lines
	some at, word in words
	at > 0
	not contains(word, "@")
}

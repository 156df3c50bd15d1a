# METADATA
#
# title: The suite lists every route
# name: suite_lists_routes
# description: |
#   The shop has no OpenAPI document: its suite says which routes there are. What the code answers is in the suite, and
#   what is in the suite is answered.
# short_failure_message: The suite and the code do not have the same routes
# severity:
#   value: medium
# guidance: |
#   Add the route to suites/shop.suite.json, or remove it there.
# def:
#   in_entity: repository
#   rule_schema:
#     type: object
#     properties:
#       code:
#         type: string
#         default: storefront/*.py
#   ingest:
#     type: git
#   eval:
#     data_sources:
#       - name: storefront
#     rego:
#       type: constraints

package minder

import rego.v1

suite := minder.datasource.storefront.suite({})

listed contains sprintf("%s %s", [route.method, route.path]) if some route in suite.http.routes

listed contains sprintf("%s %s", [method, endpoint.path]) if {
	some endpoint in suite.graphql.endpoints
	some method in ["GET", "POST"]
}

served contains sprintf("%s %s", [method_of(named), path]) if {
	some code in file.ls_glob(input.profile.code)
	some [_, path, named] in regex.find_all_string_submatch_n(
		`Route\("([^"]+)", \w+(?:, methods=\["(\w+)"\])?\)`,
		file.read(code),
		-1,
	)
}

method_of("") := "GET"

method_of(named) := named if named != ""

violations contains {"msg": "There is no suite"} if suite == null

violations contains {"msg": sprintf("%s is not in the suite", [route])} if {
	some route in served - listed
	suite != null
}

violations contains {"msg": sprintf("%s is not in the code", [route])} if some route in listed - served

output := {"served": count(served), "listed": count(listed)}

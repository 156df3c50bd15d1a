# METADATA
#
# title: It is known when the shop is ready
# name: app_is_watched
# description: The project file says how the shop is started, on any port, and which route says that it is ready.
# short_failure_message: Nobody knows when the shop is ready
# severity:
#   value: medium
# guidance: |
#   Name a route of the suite as `health` in the table [app] of understudy.toml.
# def:
#   in_entity: repository
#   ingest:
#     type: git
#   eval:
#     data_sources:
#       - name: storefront
#     rego:
#       type: deny-by-default

package minder

import rego.v1

default allow := false

app := minder.datasource.storefront.project({}).app

routes := minder.datasource.storefront.suite({}).http.routes

allow if {
	contains(app.start, "{port}")
	answers(app.health)
}

answers(path) if {
	some route in routes
	route.path == path
	route.method == "GET"
}

message := "understudy.toml has no table [app]" if {
	not app
} else := "the shop is started on a fixed port" if {
	not contains(app.start, "{port}")
} else := sprintf("%s is no route that can be asked with GET", [app.health])

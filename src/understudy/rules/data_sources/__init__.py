"""Data sources: functions of a policy that ask an API or read a structured file of the repository.

In: a file of `type: data-source`. Out: a `DataSource`, whose `functions(web, tree)` are what one evaluation calls, by
names such as `minder.datasource.osv.query`. In pipeline order: `models` (the file), `loading`, and the two kinds:
`rest_source` (with `uri`, `arguments`) and `structured_source`; `mocked` are functions whose results a test gives,
`http_send` is OPA's own way to the web.
"""

"""What a policy may ask its host: files before and after a change, workflows, dependencies, YAML, TOML and jq.

In: the trees of an evaluation, either of which may be absent. Out: `host_functions(tree, base)`, a mapping of
dotted Rego names to host functions over plain JSON data. They do what Minder's do, with bounds on size, depth and
number; what has no value raises HostError, whose message a user can be shown.

In pipeline order: `functions` (the table), `files` (what `file.` does), `glob`, `content_type`, `archive`,
`workflows`, `dependencies` (a folder: one module for each family of files), `texts` (YAML and TOML), `queries` (jq).
"""

from understudy.rules.host.functions import HOST_FUNCTION_NAMES, host_functions

__all__ = ["HOST_FUNCTION_NAMES", "host_functions"]

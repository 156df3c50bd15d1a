"""Go's text/template in Python: rules write endpoints, bodies and remediations in it.

In comes the text of a template with its place in a file; out comes a `Template`, whose `render(data)` gives text.
In pipeline order: `lexer` (tokens), `literals`, `parser` (to `nodes`), `expressions` and `compiler` (to Python
functions), `run` (one rendering and its bounds); `functions`, `comparisons`, `printing`, `formats` and `escapes`
are what templates call, `values` and `entities` what they see. `template` is the face, and
`places` says where in a YAML file a template begins.

No library on PyPI does this: the one that there is (`go-template`) wraps a compiled Go program, for one platform,
and was left in 2019.
"""

from understudy.rules.templates.entities import entity_view
from understudy.rules.templates.places import text_start
from understudy.rules.templates.template import OUTPUT_LIMIT, Template, compile_template
from understudy.rules.templates.values import Struct

__all__ = ["OUTPUT_LIMIT", "Struct", "Template", "compile_template", "entity_view", "text_start"]

"""A TAXII 2.1 server over a simulated connector: the same objects, budget, log and faults, seen over HTTP.

In: a connector, and which collections it is shown as. Out: an ASGI application (`taxii_app`), or one that is served
already (`serve_taxii`). In pipeline order: `media` negotiates, `access` lets in, `query` reads what is asked for,
`collection` is what is shown, `reading` and `writing` ask the connector, `resources` are what is answered, `app`
puts them together.
"""

from __future__ import annotations

from understudy.simulation.taxii.access import TaxiiAccess
from understudy.simulation.taxii.app import serve_taxii, taxii_app
from understudy.simulation.taxii.collection import TaxiiCollection

__all__ = ["TaxiiAccess", "TaxiiCollection", "serve_taxii", "taxii_app"]

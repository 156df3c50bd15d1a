"""A TAXII 2.1 server over a simulated connector: the same objects, budget, log and faults, seen over HTTP.

In: a connector, and which collections it is shown as. Out: an ASGI application (`taxii_app`), or one that is served
already (`serve_taxii`). In pipeline order: `media` negotiates, `access` lets in, `query` reads what is asked for,
`collection` is what is shown, `reading`, `writing` and `deleting` ask the connector, `resources` are what is
answered, `server` is what each address does, and `app` gives it a port.
"""

from __future__ import annotations

from understudy.simulation.taxii.access import TaxiiAccess
from understudy.simulation.taxii.app import ServedTaxii, serve_taxii, taxii_app
from understudy.simulation.taxii.collection import TaxiiCollection

__all__ = ["ServedTaxii", "TaxiiAccess", "TaxiiCollection", "serve_taxii", "taxii_app"]

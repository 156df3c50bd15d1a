"""Deletes an object, or some of its versions: one request to the connector, whatever is left of the object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.simulation.errors import UnknownObject
from understudy.simulation.taxii.errors import TaxiiError
from understudy.simulation.taxii.query import Query
from understudy.simulation.taxii.reading import answering, chosen, held

if TYPE_CHECKING:
    from understudy.simulation.connector import SimulationConnector


def delete_object(connector: SimulationConnector, stix_id: str, query: Query) -> None:
    """Delete the versions that the query names: all of them, unless it says which. Raises TaxiiError."""
    with connector.store.lock, answering():
        there = held(connector, stix_id)
        gone = chosen(there, query.versions or ("all",), query.spec_versions)
        if there and not gone:
            raise TaxiiError(404, "no such version", f"{stix_id} has {len(there)} other versions")
        connector.delete_object(stix_id)
        if not there:
            raise UnknownObject(stix_id, connector.name, connector.store.ids)
        for version in there:
            if version not in gone:
                connector.store.put(version.value, version.added)

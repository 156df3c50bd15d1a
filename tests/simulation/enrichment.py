"""A part of an application, as the founding document assumes it: a connector over HTTP, and a pipeline of two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import urllib3

from understudy.simulation import SimulationConnector


class VirusTotalClient:
    """Asks a service about indicators."""

    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._http = urllib3.PoolManager(headers={"x-apikey": key})

    @classmethod
    def from_config(cls, config: Mapping[str, str]) -> VirusTotalClient:
        """A client from the settings of an application."""
        return cls(config["url"], config["api_key"])

    def reputation(self, name: str) -> int:
        """How bad a domain is."""
        answer = self._http.request("GET", f"{self._url}/domains/{name}")
        return int(answer.json()["data"]["attributes"]["reputation"])


@dataclass(frozen=True)
class Enriched:
    """What a run of the pipeline made."""

    enriched: list[dict[str, Any]]


class EnrichPipeline:
    """Reads indicators from one connector, asks another about them, and writes them back."""

    def __init__(self, source: SimulationConnector, enricher: VirusTotalClient) -> None:
        self._source = source
        self._enricher = enricher

    def run(self, workspace_id: str) -> Enriched:
        """Enrich every indicator, for a workspace."""
        made = [
            {**found, "x_reputation": self._enricher.reputation(found["name"]), "x_workspace": workspace_id}
            for found in self._source.list_objects("indicator")
        ]
        return Enriched([self._source.upsert_object(one) for one in made])

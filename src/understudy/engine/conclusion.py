"""What the acts make of the whole, once all evidence is there: the same after a run and after a merge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.core.outcome import Outcome
from understudy.engine.act import Act
from understudy.engine.trouble import defect, trouble


def conclusions(acts: Mapping[str, Act], evidence: Mapping[str, Any]) -> Iterator[Outcome]:
    """The last outcomes of every act; one that cannot judge the evidence is errored, not silent."""
    for name, act in acts.items():
        try:
            yield from act.conclude(evidence.get(name, {}))
        except UnderstudyError as error:
            yield trouble("conclude", name, str(error))
        except (Exception, SystemExit) as error:
            yield trouble("conclude", name, *defect(name, error))

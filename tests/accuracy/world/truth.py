"""The truth of a world: what each app, bug and phone really took from the battery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from world.catalog import CatalogApp, version_name
from world.defects import Defect
from world.drains import aged
from world.people import HOUR_S
from world.phone import Phone
from world.spans import Spans, covers, intersection, total_s


@dataclass(slots=True)
class Truth:
    """Collects the truth of phones, one after another."""

    effects: list[tuple[str, str, float, float, float]] = field(default_factory=list)
    bugs: list[tuple[str, str, str, float]] = field(default_factory=list)

    def add(self, phone: Phone, defects: Sequence[Defect]) -> None:
        """Add a phone."""
        unplugged = phone.unplugged
        whole_s = total_s(unplugged)
        name = phone.handset.client
        for index, runs in sorted(phone.runs.items()):
            ran = intersection(runs, unplugged)
            ran_s = total_s(ran)
            drains = [drain for drain in phone.drains if drain.app == index]
            drained = sum(drain.percent_h * _aged_s(phone, intersection(ran, drain.when)) / HOUR_S for drain in drains)
            extra = drained / (ran_s / HOUR_S) if ran_s else 0.0
            self.effects.append((name, phone.apps[index].package, ran_s / whole_s if whole_s else 0.0, extra, ran_s))
        for defect in defects:
            if defect.app in phone.runs:
                self.bugs.append((name, phone.apps[defect.app].package, defect.condition, defect.percent_h))

    def tables(self, catalog: Sequence[CatalogApp]) -> tuple[pa.Table, pa.Table, pa.Table]:
        """Return apps, effects and bugs."""
        apps = [
            {
                "app": app.package,
                "role": app.role or "",
                "is_hog": app.hog_percent_h > 0,
                "since": version_name(app.since) if app.hog_percent_h > 0 and app.since else "",
            }
            for app in catalog
        ]
        return (
            pa.Table.from_pylist(apps),
            _table(self.effects, "client", "app", "run_share", "extra_percent_h", "ran_s"),
            _table(self.bugs, "client", "app", "condition", "extra_percent_h"),
        )


def _aged_s(phone: Phone, when: Spans) -> float:
    """The seconds of spans, each times the factor of ageing."""
    edges = phone.rates[0].edges_s
    inside = np.unique(np.concatenate([edges, when.ravel()]))
    factor = aged(phone.hardware, edges)[np.clip(np.searchsorted(edges, inside[:-1], side="right") - 1, 0, len(edges) - 2)]
    return float(np.sum(np.diff(inside) * factor * covers(when, inside[:-1])))


def _table(rows: Sequence[tuple[object, ...]], *names: str) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [[] for _ in names]
    return pa.table([pa.array(list(column)) for column in columns], names=list(names))

"""Findings of small fleets of several kinds, as numbers that a change of the computation must not move."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.fleet_compare import findings
from support.level_fleet import level_samples, stored_fleet
from support.mixed_fleet import mixed_fleet
from support.open_fleet import fleet_of

from navitas.fleet.findings import joint
from navitas.fleet.findings.hogs import effects_on_clients, find_hogs
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.stages import Fleet
from navitas.fleet.store import Store

GOLDEN = Path(__file__).parents[2] / "golden" / "fleet-findings.json"
ALIKE = 1e-6
"""The largest allowed difference, relative to the mean size of a column."""


def simulated(path: Path) -> Store:
    store = Store.create(path, buckets=2, salt="s")
    model = FleetModel(clients=120, samples=30_000, apps=90, hog_share=0.1, bug_share=0.02, dirt=True, hidden_use=0.3)
    simulate(store, model, seed=5)
    return store


def at_levels(path: Path) -> Store:
    return stored_fleet(path, level_samples(7, 30, 10, [(10.0, 60.0, 0.0), (30.0, 120.0, 3.0), (120.0, 360.0, 1.5)]), 3)


FLEETS: dict[str, Callable[[Path], Store]] = {
    "simulated": simulated,
    "at level changes": at_levels,
    "mixed": lambda path: mixed_fleet(path, 48),
}


@pytest.mark.parametrize("kind", FLEETS)
def test_findings_are_those_of_the_golden_file(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    store = FLEETS[kind](tmp_path / "fleet")
    found = digests(fleet_of(store))
    golden = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    if request.config.getoption("--refresh-golden"):
        golden[kind] = found
        lists_in_a_line = re.sub(r"\[[^\]]+\]", lambda found: " ".join(found[0].split()), json.dumps(golden, indent=1))
        GOLDEN.write_text(lists_in_a_line + "\n", "utf-8")
    apart = {name: differing(of, golden[kind].get(name, {})) for name, of in found.items()}
    assert {name: columns for name, columns in apart.items() if columns} == {}
    assert golden[kind].keys() == found.keys()


def test_systems_that_are_read_in_each_pass_give_the_same_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FLEETS["mixed"](tmp_path / "fleet")
    found = []
    for rows in (joint._ROWS_IN_MEMORY, 0):
        monkeypatch.setattr(joint, "_ROWS_IN_MEMORY", rows)
        found.append(digests(fleet_of(store)))
    assert found[0] == found[1]


def digests(fleet: Fleet) -> dict[str, dict[str, Any]]:
    """All findings of a fleet, and effects of apps on the fleet and on its clients, as a digest of each column."""
    hogs = find_hogs(fleet)
    own = effects_on_clients(fleet, hogs, fleet.buckets, suspects=False)
    order = np.lexsort((own.app, own.client))
    tables: dict[str, Mapping[str, Sequence[Any]]] = {
        name: {key: [row.as_json()[key] for row in rows] for key in rows[0].as_json()}
        for name, rows in findings(fleet, with_paper=False).items()
        if rows
    }
    tables["apps"] = {
        "claim": [str(claim) for claim in hogs.claim],
        **{name: getattr(hogs.effect, name).tolist() for name in ("value", "error", "freedom", "scale_error")},
        **{name: getattr(hogs.evidence, name).tolist() for name in ("reliability", "screen_known", "link", "varied_s")},
        **{name: getattr(hogs.alone, name).tolist() for name in ("contrasted", "pairs", "seconds", "drop_ppm", "variance")},
        **{name: getattr(hogs.given, name).tolist() for name in ("partner", "overlap")},
    }
    names = ("client", "app", "value", "variance", "weight_s", "days", "freedom")
    tables["effects on clients"] = {name: getattr(own, name)[order].tolist() for name in names}
    return {name: {key: digest(values) for key, values in columns.items()} for name, columns in tables.items()}


def digest(values: Sequence[Any]) -> list[float] | str:
    """A hash of texts and lists. Of numbers: how many are known, their sum of sizes, their sum, and a weighted sum."""
    if any(isinstance(value, str | list) for value in values):
        return hashlib.blake2b(json.dumps(values).encode(), digest_size=8).hexdigest()
    numbers = np.array([np.nan if value is None else value for value in values], np.float64)
    known = np.isfinite(numbers)
    numbers = np.where(known, numbers, 0.0)
    weights = 0.5 + np.arange(len(numbers)) * 0.6180339887 % 1
    return [float(f"{of:.12g}") for of in (known.sum(), np.abs(numbers).sum(), numbers.sum(), numbers @ weights)]


def differing(found: Mapping[str, Any], golden: Mapping[str, Any]) -> list[str]:
    """The columns of a table that differ."""
    return [key for key in found.keys() | golden.keys() if not _alike(found.get(key), golden.get(key))]


def _alike(one: list[float] | str | None, other: list[float] | str | None) -> bool:
    if not isinstance(one, list) or not isinstance(other, list):
        return one == other
    return one[0] == other[0] and bool(np.all(np.abs(np.subtract(one, other)) <= ALIKE * max(one[1], 1e-12)))

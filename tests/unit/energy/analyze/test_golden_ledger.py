"""The frozen recording of schema version 1 keeps every sum of its ledger."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import navitas
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.ledger import NO_TEST

TESTS = Path(__file__).parents[3]
FIGURES = TESTS / "golden/recording-v1-ledger.json"
"""Written by the version that made the recording. Never updated."""


def sums(profile: Profile) -> dict[str, list[float]]:
    """Return energies with and without probes by run, test, owner, component and method, and calls by run to method."""
    ledger = profile.ledger
    energy, calls, owners, tests = ledger.energy, ledger.calls, ledger.owners, ledger.tests
    found: dict[str, list[float]] = {}

    def add(test: int, owner: int, path: int, more: str, *figures: float) -> None:
        run = ledger.runs[int(owners.run[owner])].id
        name = "outside" if test == NO_TEST else f"{tests.class_name[test]}#{tests.method[test]}/{tests.repeat[test]}"
        method = int(ledger.paths.method[path])
        place = ledger.methods.methods[method].name if method >= 0 else f"({path})"
        key = f"{run} {name} {OwnerKind(int(owners.kind[owner])).name} {owners.name[owner]} {more} {place}"
        found[key] = np.add(found.get(key, 0.0), figures).tolist()

    for i in range(len(energy.exclusive_j)):
        component = ledger.components[int(energy.component[i])]
        joules = float(energy.exclusive_j[i]), float(energy.raw_j[i])
        add(int(energy.test[i]), int(energy.owner[i]), int(energy.path[i]), component, *joules)
    for i in range(len(calls.calls)):
        counts = float(calls.calls[i]), float(calls.throws[i]), float(calls.cut[i]), float(calls.self_ns[i])
        add(int(calls.test[i]), int(calls.owner[i]), int(calls.path[i]), "calls", *counts)
    return found


def test_all_sums_are_unchanged() -> None:
    profile = navitas.load(TESTS / "golden/recording-v1")
    wanted = json.loads(FIGURES.read_text("utf-8"))
    found = sums(profile)
    assert found.keys() == wanted["sums"].keys()
    for key, figures in wanted["sums"].items():
        assert found[key] == pytest.approx(figures, rel=1e-9, abs=1e-15), key
    assert profile.ledger.run_energy_j.tolist() == [pytest.approx(row, rel=1e-9) for row in wanted["run_energy_j"]]
    assert [evidence.level for evidence in profile.evidence] == wanted["levels"]

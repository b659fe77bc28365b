"""Conditions of an app with bugs, in a fleet whose mobile network drains too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.open_fleet import fleet_of

from navitas.fleet.diagnoses.affected import Affected, grow_affected
from navitas.fleet.diagnoses.conditions import strata_by_app
from navitas.fleet.diagnoses.diagnosis import KILL, diagnose
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.schema import SAMPLES, State
from navitas.fleet.store import Store, Unit

CLIENTS, AFFECTED, EACH, GAP_S = 120, 12, 300, 900


def test_the_networks_drain_is_not_taken_for_the_apps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The app runs more on the mobile network, which drains anyway. The app itself drains only on OS 13."""
    monkeypatch.setattr("navitas.fleet.diagnoses.strata.CONTROL_SIZE", 60)
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    others = 12
    names = ["app", "always", *(f"other{i}" for i in range(others))]
    store.write_packages(pa.table({"id": range(len(names)), "app": names, "version": ["1"] * len(names)}))
    store.write_part(Unit(0, "1970-01"), "a", pa.Table.from_pylist(_rows(np.random.default_rng(6), others), SAMPLES))
    fleet = fleet_of(store)
    affected = np.arange(AFFECTED)
    ((_, strata),) = strata_by_app(fleet, find_hogs(fleet), np.array([0]), {0: affected})
    tree = grow_affected(strata, Affected(affected, 1.0, 144.0), 0.3)
    bad, elsewhere = tree.leaves()
    assert [str(one) for one in bad.conditions + elsewhere.conditions] == ["os before 14", "os 14 or later"]
    assert bad.effect.value == pytest.approx(12.0, abs=bad.effect.half_width)
    assert abs(elsewhere.effect.value) < 2 * elsewhere.effect.half_width < 0.1
    (finding,) = diagnose(strata, tree, lambda leaf, node: leaf.effect.less(node.effect)).findings
    assert finding.node is bad
    assert {action.feature: action.values for action in finding.actions} == {KILL: (), "os": ("14",)}


def _rows(random: np.random.Generator, others: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for client in range(CLIENTS):
        is_affected, usual, level = client < AFFECTED, 12 * random.lognormal(0, 0.2), 1_000_000.0
        is_mobile, runs, also = False, False, np.zeros(0, np.int64)
        for i in range(EACH):
            if i % 8 == 0:
                is_mobile = bool(random.random() < 0.5)
            if i % 4 == 0:
                runs = bool(random.random() < (0.65 if is_mobile else 0.35))
            if i % 6 == 0:
                also = 2 + np.flatnonzero(random.random(others) < 0.5)
            drain = (usual + 0.8 * is_mobile + 12 * (runs and is_affected)) * random.uniform(0.9, 1.1)
            level = level - GAP_S * drain if level > 100_000 else 1_000_000.0
            row = dict.fromkeys(SAMPLES.names) | {"client": client, "time_s": GAP_S * i, "level_ppm": int(level)}
            row |= {"state": int(State.DISCHARGING), "screen": False, "network": "mobile" if is_mobile else "wifi"}
            rows.append(
                row | {"os": "13" if is_affected else "14", "model": "m", "apps": [*([0] if runs else []), 1, *also.tolist()]}
            )
    return rows

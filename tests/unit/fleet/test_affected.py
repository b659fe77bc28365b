"""Trees of apps with bugs, on synthetic strata with known conditions."""

from __future__ import annotations

import numpy as np
import pytest
from support.made_strata import made_strata

from navitas.fleet.diagnoses.affected import Affected, grow_affected
from navitas.fleet.diagnoses.conditions import ConditionStrata
from navitas.fleet.diagnoses.diagnosis import KILL, diagnose
from navitas.fleet.statistics import F64, I64

_SPREAD = 200.0


def made(affected: list[int], drains: dict[str, str], seed: int = 1) -> ConditionStrata:
    """Strata of an app that drains 12 ppm/s on some clients while all of `drains` holds. One client in three has OS 12."""

    def drain(texts: dict[str, list[str]], client: I64) -> F64:
        met = [np.array(texts[name]) == value for name, value in drains.items()]
        return np.asarray(12.0 * np.all([np.isin(client, affected), *met], axis=0))

    phones = [("12" if number % 3 == 0 else ("13", "14")[number % 2], f"model {number % 5}") for number in range(90)]
    return made_strata(np.random.default_rng(seed), phones, ("wifi", "mobile", ""), drain, 2.0)


@pytest.mark.parametrize(
    ("affected", "drains", "text", "finder"),
    [
        ([3, 6, 9, 12, 15, 18], {}, "os before 13", {KILL: (), "os": ("13", "14")}),
        ([0, 5, 10, 15, 20, 25], {}, "model model 0", {KILL: ()}),
        ([1, 3, 8], {}, "", {KILL: ()}),
        ([7], {"network": "mobile"}, "network mobile", {KILL: (), "network": ("wifi",)}),
        ([7, 9], {"screen": "on"}, "screen on", {KILL: ()}),
        ([7, 9], {"version": "1.9"}, "version before 1.10", {KILL: (), "version": ("1.10",)}),
        (
            [3, 6, 9, 12, 15, 18],
            {"network": "mobile"},
            "os before 13 and network mobile",
            {KILL: (), "os": ("13", "14"), "network": ("wifi",)},
        ),
    ],
)
def test_conditions_of_bugs_are_found(
    affected: list[int], drains: dict[str, str], text: str, finder: dict[str, tuple[str, ...]]
) -> None:
    strata = made(affected, drains)
    tree = grow_affected(strata, Affected(np.array(affected) + 1000, 1.0, _SPREAD), 0.5)
    (finding,) = diagnose(strata, tree, lambda leaf, node: leaf.effect.less(node.effect)).findings
    assert " and ".join(map(str, finding.node.conditions)) == text
    assert {action.feature: action.values for action in finding.actions} == finder
    assert finding.clients == len(affected)
    for action in finding.actions:
        assert action.less.value == pytest.approx(12.0, abs=2.5)
        assert 0 < action.less.half_width < 4


def test_unrelated_conditions_of_bugs_are_rarely_named() -> None:
    named = 0
    for seed in range(60):
        affected = np.random.default_rng(seed).choice(90, 4, replace=False)
        strata = made(affected.tolist(), {}, seed)
        named += bool(grow_affected(strata, Affected(affected + 1000, 1.0, _SPREAD), 0.5).children)
    assert named <= 10

"""Trees of apps with bugs, on synthetic strata with known conditions."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.fleet.diagnoses.affected import Affected, grow_affected
from navitas.fleet.diagnoses.conditions import ConditionStrata, Feature
from navitas.fleet.diagnoses.diagnosis import KILL, diagnose

_SPREAD = 200.0


def made(affected: list[int], drains: dict[str, str], seed: int = 1, clients: int = 90) -> ConditionStrata:
    """Strata of an app that drains 12 ppm/s on some clients while all of `drains` holds. One client in three has OS 12."""
    random = np.random.default_rng(seed)
    rows = [
        (client, version, network, screen)
        for client in range(clients)
        for version in ("1.9", "1.10")
        for network in ("wifi", "mobile", "")
        for screen in ("off", "on")
    ]
    texts = {
        "version": [row[1] for row in rows],
        "os": ["12" if row[0] % 3 == 0 else ["13", "14"][row[0] % 2] for row in rows],
        "model": [f"model {row[0] % 5}" for row in rows],
        "network": [row[2] for row in rows],
        "screen": [row[3] for row in rows],
    }
    client = np.array([row[0] for row in rows])
    hit = np.isin(client, affected)
    for name, value in drains.items():
        hit &= np.array(texts[name]) == value
    w = random.uniform(3000, 9000, len(rows))
    s = w * (12.0 * hit + random.normal(0, 2.0, len(rows)))
    features = {name: Feature.from_texts(column, np.arange(len(rows))) for name, column in texts.items()}
    return ConditionStrata(
        np.arange(clients) + 1000, np.ones(clients, bool), client, s, w, np.square(2.0 * w), 2 * w, 2 * w * 20 + 2 * s, features
    )


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

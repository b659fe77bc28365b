"""Trees and actions on synthetic strata with known conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.made_strata import made_strata

from navitas.fleet.diagnoses.conditions import ConditionStrata, Feature
from navitas.fleet.diagnoses.diagnosis import KILL, Diagnosis, compared, diagnose, shares_of
from navitas.fleet.diagnoses.tree import FeatureCondition, grow, narrowed
from navitas.fleet.statistics import F64, I64


def made(
    extra: dict[str, str], drain: float, clients: int = 120, seed: int = 1, networks: tuple[str, ...] = ("wifi", "mobile", "none")
) -> ConditionStrata:
    """Strata of an app that drains `drain` ppm/s under one condition only, on clients that differ."""
    random = np.random.default_rng(seed)

    def drains(texts: dict[str, list[str]], client: I64) -> F64:
        hit = np.all([np.ones(len(client), bool), *(np.array(texts[name]) == value for name, value in extra.items())], axis=0)
        return np.asarray(drain * random.lognormal(0, 0.25, clients)[client] * hit)

    phones = [("13.1" if number % 4 else "13.0", f"model {number % 3}") for number in range(clients)]
    return made_strata(random, phones, networks, drains, 1.5)


def diagnosed(strata: ConditionStrata, least_ppm_s: float) -> Diagnosis:
    return diagnose(strata, grow(strata, least_ppm_s), compared(strata))


def actions(diagnosis: Diagnosis) -> dict[str, tuple[str, ...]]:
    (finding,) = diagnosis.findings
    return {action.feature: action.values for action in finding.actions}


@pytest.mark.parametrize(
    ("condition", "text", "expected"),
    [
        ({}, "", {KILL: ()}),
        ({"version": "1.9"}, "version before 1.10", {KILL: (), "version": ("1.10",)}),
        ({"version": "1.10"}, "version 1.10 or later", {KILL: ()}),
        ({"os": "13.0"}, "os before 13.1", {KILL: (), "os": ("13.1",)}),
        ({"network": "mobile"}, "network mobile", {KILL: (), "network": ("wifi",)}),
        ({"model": "model 2"}, "model model 2", {KILL: ()}),
        ({"network": "none"}, "no network", {KILL: (), "network": ("mobile", "wifi")}),
        ({"screen": "on"}, "screen on", {KILL: ()}),
    ],
)
def test_a_condition_and_its_actions_are_found(
    condition: dict[str, str], text: str, expected: dict[str, tuple[str, ...]]
) -> None:
    diagnosis = diagnosed(made(condition, 6.0), 0.5)
    assert len(diagnosis.tree.leaves()) == (2 if condition else 1)
    (finding,) = diagnosis.findings
    assert " and ".join(map(str, finding.node.conditions)) == text
    assert actions(diagnosis) == expected
    for action in finding.actions:
        assert action.less.value == pytest.approx(6.0, abs=1.0)
        assert 0 < action.less.half_width < 1.0


def test_two_conditions_give_two_actions() -> None:
    strata = made({"network": "mobile", "version": "1.9"}, 9.0)
    assert actions(diagnosed(strata, 0.5)) == {KILL: (), "network": ("wifi",), "version": ("1.10",)}


def test_an_app_without_drain_has_no_findings() -> None:
    found = [diagnosed(made({}, 0.0, clients=40, seed=seed), 0.5) for seed in range(40)]
    assert sum(len(one.tree.leaves()) > 1 for one in found) <= 2
    assert sum(bool(one.findings) for one in found) <= 3


def test_strata_whose_network_changes_are_on_neither_side_of_a_condition() -> None:
    """Otherwise, "not wifi and not mobile" would be the pairs whose ends differ, which a reader takes for no network."""
    strata = made({"network": ""}, 9.0, networks=("wifi", "mobile", "none", ""))
    assert diagnosed(strata, 0.5).tree.children == ()
    strata = made({"network": "none"}, 9.0, networks=("wifi", "mobile", "none", ""))
    diagnosis = diagnosed(strata, 0.5)
    (finding,) = diagnosis.findings
    assert " and ".join(map(str, finding.node.conditions)) == "no network"
    known = np.flatnonzero(strata.features["network"].place >= 0)
    assert [leaf.rows[known].sum() for leaf in diagnosis.tree.leaves()] == [480, 960]
    assert sum(leaf.rows.sum() for leaf in diagnosis.tree.leaves()) == len(known)


def test_time_on_neither_side_of_a_condition_is_divided_as_the_rest() -> None:
    strata = made({"network": "none"}, 9.0, networks=("wifi", "mobile", "none", ""))
    client, network = strata.cluster, strata.features["network"]
    none = network.place == network.values.index("none")
    seconds = np.select([none, network.place < 0], [100.0, 700.0], 50.0)
    seconds[(client == 1) & (network.place >= 0)] = 0.0  # On this client, the network changes in all pairs.
    strata = replace(strata, seconds=seconds)
    found = dict(shares_of(strata, diagnosed(strata, 0.5), [1000, 1001, 5]))
    assert found.keys() == {1000, 1001}
    for shares in found.values():
        assert {" and ".join(map(str, where)): round(share, 6) for where, share in shares.items()} == {
            "no network": 0.5,
            "network wifi or mobile": 0.5,
        }


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (FeatureCondition("network", "none", True), "no network"),
        (FeatureCondition("network", "none", False), "network wifi or mobile"),
        (FeatureCondition("network", "wifi", False), "network mobile or no network"),
        (FeatureCondition("network", "mobile", True), "network mobile"),
    ],
)
def test_conditions_on_networks_name_all_networks_that_meet_them(condition: FeatureCondition, words: str) -> None:
    assert str(condition) == words
    assert not condition.admits("")


def test_conditions_that_leave_one_value_name_it() -> None:
    networks = Feature.from_texts(["wifi", "mobile", "none", ""], np.arange(4))
    wifi, mobile = (FeatureCondition("network", name, False) for name in ("wifi", "mobile"))
    screen = FeatureCondition("screen", "on", True)
    assert narrowed((wifi, screen), mobile, networks) == (screen, FeatureCondition("network", "none", True))
    assert narrowed((screen,), mobile, networks) == (screen, mobile)
    screens = Feature.from_texts(["off", "", "on"], np.arange(3))
    assert narrowed((), FeatureCondition("screen", "off", False), screens) == (screen,)


def test_conditions_of_versions_compare_numbers() -> None:
    later = FeatureCondition("version", "1.10", True, later=True)
    assert [later.admits(value) for value in ("", "1.9", "1.10", "2")] == [False, False, True, True]
    assert str(FeatureCondition("os", "14", False)) == "os not 14"


def test_no_action_saves_more_than_killing() -> None:
    """Under other conditions, the app seems to drain less than nothing."""
    strata = made({"network": "mobile"}, 9.0)
    less = strata.s - 5.0 * strata.w * (strata.features["network"].place == strata.features["network"].values.index("wifi"))
    (finding, *_) = diagnosed(replace(strata, s=less), 0.5).findings
    kill, *others = sorted(finding.actions, key=lambda action: action.feature != KILL)
    assert others and all(action.less.value <= kill.less.value for action in others)
    assert finding.actions[0] == kill

"""A regression of several apps together, from equations of clients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from navitas.fleet.findings import joint
from navitas.fleet.findings.given_others import Outliers, joint_effects
from navitas.fleet.findings.joint import JointSystem, JointSystems
from navitas.fleet.statistics import F64

RELIABILITY = np.array([0.4, 1.0])
NOWHERE = Outliers(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def system(g: F64, drains: Mapping[int, tuple[float, float]], clients: int = 20) -> JointSystem:
    """Clients with the same two apps: `g` is Σ T x̃ x. Each drains (1, 0) ppm/s, unless `drains` has another pair for a client."""
    client, app, other = (column.ravel() for column in np.meshgrid(np.arange(clients), [0, 1], [0, 1], indexing="ij"))
    h = g * RELIABILITY
    beta = np.array([drains.get(one, (1.0, 0.0)) for one in range(clients)])
    s = np.where(app == other, (beta @ h.T)[client, app], 0.0)
    ones = np.ones(len(client))
    return JointSystem(np.arange(clients) + 100, 2, client, app, other, h[app, other], g[app, other], s, *[ones] * 7)


def test_the_correlation_of_two_apps_does_not_depend_on_their_reliability() -> None:
    found = joint_effects([system(np.array([[4.0, 4.2], [4.2, 9.0]]), {})], np.array([0, 1]), NOWHERE)
    assert found.value.tolist() == pytest.approx([1.0, 0.0], abs=1e-6)
    assert found.overlap == pytest.approx(np.array([[1.0, 0.7], [0.7, 1.0]]))


def test_a_client_with_an_outlier_is_left_out_of_that_apps_equation_only() -> None:
    made = system(np.array([[4.0, 2.0], [2.0, 9.0]]), {3: (50.0, 0.0)})
    plain, without = (
        joint_effects([made], np.array([0, 1]), one)
        for one in (NOWHERE, Outliers(np.array([103]), np.array([0]), np.array([50.0])))
    )
    assert plain.value[0] > 3
    assert without.value.tolist() == pytest.approx([1.0, 0.0], abs=1e-6)


def test_what_is_missed_of_a_hog_is_an_error_of_the_apps_that_run_along_with_it() -> None:
    made, both = system(np.array([[4.0, 2.0], [2.0, 9.0]]), {}), np.array([0, 1])
    sure, unsure = (joint_effects([made], both, NOWHERE, np.array([error, 0.0])) for error in (0.0, 0.3))
    less = replace(made, h=np.where((made.app == 0) & (made.other == 0), 1.01 * made.h, made.h))
    moved = (joint_effects([less], both, NOWHERE).value[1] - sure.value[1]) / 0.01
    assert unsure.error[0] == pytest.approx(sure.error[0])
    assert np.sqrt(unsure.error[1] ** 2 - sure.error[1] ** 2) == pytest.approx(abs(0.3 * moved), rel=0.02)


@pytest.mark.parametrize(("fitting", "expected"), [(2, [0, 1]), (1, [0, 1, 1, 1]), (0, [0, 1, 0, 1, 0, 1])])
def test_equations_that_fit_into_memory_are_read_once(fitting: int, expected: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    made, read = system(np.array([[4.0, 2.0], [2.0, 9.0]]), {}), []

    def systems_of(_fleet: object, _request: object, buckets: list[int]) -> Iterator[JointSystem]:
        read.extend(buckets)
        yield made

    monkeypatch.setattr(joint, "systems_of", systems_of)
    monkeypatch.setattr(joint, "_ROWS_IN_MEMORY", fitting * len(made.h))
    nothing: Any = None
    fleet: Any = SimpleNamespace(buckets=[0, 1])
    plain = JointSystems(fleet, nothing)
    doubled = plain.changed(lambda one: one.scaled(np.full(2, 2.0)))
    passes = (plain, doubled, doubled.changed(lambda one: one.scaled(np.full(2, 3.0))))
    found = [[one.h.sum() / made.h.sum() for one in each] for each in passes]
    assert read == expected
    assert found == [pytest.approx([factor] * 2) for factor in (1, 2, 6)]

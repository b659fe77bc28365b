"""Effects of apps on single clients, compared with regressions on all of the client's apps."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.fleet.findings.client_effects import AppPriors, ClientEffects, client_effects
from navitas.fleet.findings.joint import JointSystem
from navitas.fleet.findings.wanted_apps import WantedApps
from navitas.fleet.statistics import F64

NOISE, PAIRS = 0.5, 400
APPS = np.array([3, 7, 9])


def client(seed: int, drains: F64) -> tuple[F64, F64]:
    """Running times of three apps, of which the second one runs along with the first, and drains with noise."""
    chance = np.random.default_rng(seed)
    x = (chance.random((PAIRS, 3)) < 0.3).astype(float)
    x[:, 1] = np.where(chance.random(PAIRS) < 0.9, x[:, 0], x[:, 1])
    x -= x.mean(axis=0)
    return x, x @ drains + NOISE * chance.normal(size=PAIRS)


def system(*clients: tuple[F64, F64]) -> JointSystem:
    number, app, other = (axis.ravel() for axis in np.indices((len(clients), 3, 3)))
    gram = np.concatenate([(x.T @ x).ravel() for x, _ in clients])
    own = np.concatenate([np.diag(x.T @ y).ravel() for x, y in clients])
    noise = np.where(app == other, NOISE**2 * gram, 0.0)
    gg = np.where(app == other, gram, 0)
    return JointSystem(
        np.arange(len(clients)) * 10, 3, number, app, other, gram, gram, own, noise, noise, gg, *np.zeros((4, len(app)))
    )


def wanted(single_client: list[int], single_app: list[int]) -> WantedApps:
    return WantedApps(np.zeros(0, np.int64), np.array(single_client, np.int64), np.array(single_app, np.int64))


def effects(made: JointSystem, priors: AppPriors, single: WantedApps | None = None) -> ClientEffects:
    return client_effects(made, priors.mean, priors.on_clients(made, single or wanted([], [])), 1.0)


WIDE = AppPriors(APPS, np.zeros(3), np.full(3, 1e12), 1e12)


def test_without_prior_knowledge_effects_are_those_of_least_squares() -> None:
    made = [client(seed, np.array([2.0, 0.0, 1.0])) for seed in (1, 2)]
    found = effects(system(*made), WIDE)
    assert found.client.tolist() == [0, 0, 0, 10, 10, 10] and found.app.tolist() == [0, 1, 2, 0, 1, 2]
    for number, (x, y) in enumerate(made):
        rows = slice(3 * number, 3 * number + 3)
        assert found.value[rows] == pytest.approx(np.linalg.lstsq(x, y, rcond=None)[0], rel=1e-4)
        assert found.variance[rows] == pytest.approx(NOISE**2 * np.diag(np.linalg.inv(x.T @ x)), rel=1e-4)


def test_an_app_that_runs_along_with_a_hog_is_not_charged_for_it() -> None:
    """The hog's drain on other clients is known, and its companion is a suspect on this client."""
    x, y = client(3, np.array([2.0, 0.0, 0.0]))
    made = system((x, y))
    priors = AppPriors(APPS, np.array([2.0, 0.0, 0.0]), np.array([0.01, 0.0, 0.0]), 25.0)
    found = effects(made, priors, wanted([0], [7]))
    assert found.app.tolist() == [0, 1]
    assert abs(found.value[1]) < 3 * np.sqrt(found.variance[1]) and x[:, 1] @ y / (x[:, 1] @ x[:, 1]) > 1.5
    alone = effects(made, AppPriors(APPS, np.zeros(3), np.zeros(3), 25.0), wanted([0], [7]))
    assert alone.value[0] > 1.5, "without the hog, the companion would be charged"


def test_an_apps_own_prior_does_not_count() -> None:
    made = system(client(4, np.array([2.0, 1.0, 0.5])))
    mean, variances = np.array([0.0, 1.0, 0.5]), [np.array([[own, 1e6, 1e6]]) for own in (1e-9, 1e6)]
    found = [client_effects(made, mean, variance, 1.0).value[0] for variance in variances]
    assert found[0] == pytest.approx(found[1], rel=1e-3)


def test_two_apps_that_always_run_together_stay_uncertain() -> None:
    x, y = client(5, np.array([2.0, 0.0, 0.0]))
    x[:, 1] = x[:, 0]
    made = system((x, y))
    found = effects(made, AppPriors(APPS, np.zeros(3), np.full(3, 25.0), 25.0))
    assert np.sqrt(found.variance[:2]) == pytest.approx(5.0, rel=0.05) and np.sqrt(found.variance[2]) < 0.2


def test_apps_without_varied_running_time_have_no_effect() -> None:
    x, y = client(6, np.array([2.0, 0.0, 0.0]))
    x[:, 2] = 0.0
    made = system((x, y))
    assert effects(made, WIDE).app.tolist() == [0, 1]
    assert len(client_effects(made, np.zeros(3), np.zeros((1, 3)), 1.0).value) == 0

"""Weights of clients, and apps that always run together, in a regression of several apps."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa
import pytest

from navitas.fleet.findings.client_weights import ClientWeights, client_weights
from navitas.fleet.findings.given_others import _representatives
from navitas.fleet.findings.joint import JointSystem
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64


class _Fleet:
    """A fleet whose clients have these variances; clients below `bright` report the brightness."""

    def __init__(self, variance: F64, bright: int) -> None:
        self._client = np.arange(len(variance))
        self._variance, self._is_bright = variance, self._client < bright

    def query_clients(self, sql: str) -> pa.Table:
        """The rows of one of the two statements, in any order."""
        columns = {"is_bright": self._is_bright} if "is_bright" in sql else {"variance": self._variance}
        return pa.table({"client": self._client, **columns}).take(self._client[::-1])


def weights(variance: F64, bright: int = 10) -> ClientWeights:
    return client_weights(cast("Fleet", _Fleet(variance, bright)))


def test_a_client_with_a_far_greater_variance_counts_less() -> None:
    variance = np.ones(10)
    variance[[3, 5]] = 3.0, 400.0
    assert weights(variance).weight.tolist() == pytest.approx([1, 1, 1, 1, 1, 0.01, 1, 1, 1, 1])


def test_a_client_without_brightness_does_not_count_for_apps_that_need_it() -> None:
    found = weights(np.array([1.0, 1.0, 8.0, 1.0, 1.0]), bright=3)
    needs_brightness = np.array([False, True])
    assert found.of(np.array([0, 2, 4]), needs_brightness).tolist() == [[1, 1], [0.5, 0.5], [1, 0]]
    app = np.array([0, 1, 0, 1])
    ones = np.ones(4)
    system = JointSystem(np.array([0, 4]), 2, np.array([0, 0, 1, 1]), app, app, *[ones] * 10)
    assert system.weighted(found, needs_brightness).s.tolist() == [1, 1, 1, 0]


def test_one_of_several_apps_that_always_run_together_stands_for_all() -> None:
    overlap = np.eye(4)
    overlap[1, 3] = overlap[3, 1] = 0.999
    overlap[0, 2] = overlap[2, 0] = 0.95
    assert _representatives(overlap).tolist() == [0, 1, 2, 1]

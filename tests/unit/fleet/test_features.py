"""Encoded texts, in version order."""

from __future__ import annotations

import numpy as np

from navitas.fleet.diagnoses.conditions import AppVersions, Feature


def test_values_are_in_version_order_and_unknown_is_none() -> None:
    found = Feature.from_texts(["4.10", "", "4.9", "4-9", "4.9"], np.array([0, 1, 2, 3, 4, -1]))
    assert found.values == ("4-9", "4.9", "4.10")
    assert found.place.tolist() == [2, -1, 1, 0, 1, -1]
    assert found.take(np.array([5, 0])).place.tolist() == [-1, 2]


def test_versions_of_an_app_are_those_of_its_packages() -> None:
    versions = AppVersions(np.array([0, 1, 1, 1], np.int32), np.array([2, 0, 3, 5], np.int32), ["9", "2", "1", ""])
    found = versions.feature(1, np.array([5, 3, -1, 0, 3], np.int32))
    assert found.values == ("1", "2")
    assert found.place.tolist() == [-1, 0, -1, 1, 0]

"""Lists of apps as matrices, compared with a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.fleet.regression import memberships
from navitas.fleet.regression.memberships import AppLists, ClientApps, UnknownPackage, check_known, client_blocks, matrices

APPS = 5
rows = st.lists(st.tuples(st.integers(0, 3), st.dictionaries(st.integers(0, APPS - 1), st.integers(1, 9))), max_size=25)


@given(rows, st.integers(1, 30))
def test_matrices_have_the_values_of_lists(made: list[tuple[int, dict[int, int]]], block: int) -> None:
    made = sorted(made, key=lambda row: row[0])
    client = np.array([row[0] for row in made], np.int64)
    offset = np.cumsum([0, *(len(row[1]) for row in made)])
    app = np.array([one for row in made for one in row[1]], np.int32)
    value = np.array([one for row in made for one in row[1].values()], np.float64)
    kinds = [AppLists(offset, app), AppLists(offset, app, value)]
    old, memberships._MEMBERSHIPS = memberships._MEMBERSHIPS, block
    try:
        parts = list(client_blocks(client, offset, APPS))
    finally:
        memberships._MEMBERSHIPS = old
    found = {}
    for part in parts:
        for own in matrices(client[part], [lists.of(part) for lists in kinds], APPS):
            for row in range(own.samples.stop - own.samples.start):
                cells = zip(own.app.tolist(), own.values[0][:, row].tolist(), own.values[1][:, row].tolist(), strict=True)
                found[part.start + own.samples.start + row] = {one: (there, at) for one, there, at in cells if there}
    expected = {i: {one: (1.0, float(at)) for one, at in row[1].items()} for i, row in enumerate(made)}
    with_apps = {row[0] for row in made if row[1]}
    assert found == {i: cells for i, cells in expected.items() if made[i][0] in with_apps}


@given(rows, st.sets(st.integers(0, APPS - 1)))
def test_only_keeps_wanted_apps(made: list[tuple[int, dict[int, int]]], wanted: set[int]) -> None:
    offset = np.cumsum([0, *(len(row[1]) for row in made)])
    lists = AppLists(offset, np.array([one for row in made for one in row[1]], np.int32))
    kept = lists.numbered(np.where(np.isin(np.arange(APPS), list(wanted)), np.arange(APPS), -1).astype(np.int32))
    found = [kept.app[low:high].tolist() for low, high in zip(kept.offset, kept.offset[1:], strict=False)]
    assert found == [[one for one in row[1] if one in wanted] for row in made]


def test_an_unknown_package_is_an_error() -> None:
    with pytest.raises(UnknownPackage, match="below 5"):
        check_known(np.array([5], np.int32), 5)


def test_versions_of_an_app_are_merged() -> None:
    """App 7 has three packages; it is present where any of them is."""
    present = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]], np.uint8)
    made = ClientApps(slice(0, 3), np.array([3, 0, 2, 1], np.int32), (present.T,)).merged(np.array([7, 9, 7, 7], np.int32))
    assert made.app.tolist() == [7, 9]
    assert made.values[0].tolist() == [[1, 1, 1], [0, 0, 1]]

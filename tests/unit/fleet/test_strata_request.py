"""Requests for strata, compared with a plain loop over memberships."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.fleet import strata_request
from navitas.fleet.kernel import AppLists, UnknownPackage
from navitas.fleet.strata_request import StrataRequest

OF_APP = np.array([0, 0, 1, 2, 1], np.int32)
lists = st.lists(st.tuples(st.integers(-3, 3), st.sets(st.integers(0, 4))), max_size=20)
apps = st.sets(st.integers(0, 3), max_size=3)
pairs = st.sets(st.tuples(st.integers(-4, 4), st.integers(0, 3)), max_size=6)


def made(everywhere: set[int], single: set[tuple[int, int]]) -> StrataRequest:
    client, app = (np.array([pair[end] for pair in single], np.int64) for end in (0, 1))
    return StrataRequest.from_pairs(np.array([*everywhere], np.int64), client, app)


@given(lists, apps, pairs, st.integers(1, 9))
def test_lists_keep_requested_packages(
    rows: list[tuple[int, set[int]]], everywhere: set[int], single: set[tuple[int, int]], block: int
) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    client = np.array([row[0] for row in rows], np.int64)
    offset = np.cumsum([0, *(len(row[1]) for row in rows)])
    package = np.array([package for row in rows for package in sorted(row[1])], np.int32)
    old, strata_request._BLOCK = strata_request._BLOCK, block
    try:
        found = made(everywhere, single).select(AppLists(offset, package), client, OF_APP)
    finally:
        strata_request._BLOCK = old
    kept = [[one for one in sorted(own) if OF_APP[one] in everywhere or (of, int(OF_APP[one])) in single] for of, own in rows]
    assert [found.package[low:high].tolist() for low, high in zip(found.offset, found.offset[1:], strict=False)] == kept


@given(apps, pairs, apps, pairs)
def test_a_union_of_requests_has_the_packages_of_both(
    first: set[int], pairs_of_first: set[tuple[int, int]], second: set[int], pairs_of_second: set[tuple[int, int]]
) -> None:
    both = made(first, pairs_of_first) | made(second, pairs_of_second)
    assert both.digest() == made(first | second, pairs_of_first | pairs_of_second).digest()
    assert StrataRequest.from_table(both.table()).digest() == both.digest()
    parts = [both.for_bucket(bucket, 3) for bucket in range(3)]
    assert sum(len(part.client) for part in parts) == len(both.client)
    assert all(part.everywhere.tolist() == sorted(first | second) for part in parts)


def test_apps_are_requested_everywhere_or_on_some_clients() -> None:
    on = {1: np.array([7, 5]), 3: np.array([5]), 9: np.array([1])}
    found = StrataRequest.for_apps(np.array([3, 2, 1]), on)
    assert found.everywhere.tolist() == [2]
    assert list(zip(found.client.tolist(), found.app.tolist(), strict=True)) == [(5, 1), (5, 3), (7, 1)]


def test_an_unknown_package_is_an_error() -> None:
    with pytest.raises(UnknownPackage, match="below 5"):
        made({0}, set()).select(AppLists(np.array([0, 1]), np.array([5], np.int32)), np.array([1]), OF_APP)

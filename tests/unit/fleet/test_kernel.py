"""Sums by package, compared with a plain loop over pairs."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.fleet.memberships import AppLists, first_samples
from navitas.fleet.paper import kernel
from navitas.fleet.paper.kernel import PairAmounts, sums_by_package

OF_APP = np.array([0, 0, 1, 0, 2, 1], np.int32)
KINDS = 3
Made = list[tuple[int, set[int], int, int]]
"""Samples: client, packages, the second of the three values of the pair that it ends, and the pair's kind."""
samples = st.lists(
    st.tuples(st.integers(0, 3), st.sets(st.integers(0, 5)), st.sampled_from([0, 1, 5, 1 << 57]), st.integers(0, KINDS - 1)),
    max_size=30,
)


@given(samples, st.integers(1, 40))
def test_sums_are_those_of_a_plain_loop(made: Made, block: int) -> None:
    made = sorted(made, key=lambda row: row[0])
    client = np.array([row[0] for row in made], np.int64)
    apps = [sorted(row[1]) for row in made]
    offset = np.cumsum([0, *map(len, apps)])
    package = np.array([app for row in apps for app in row], np.int32)
    begins = np.append(True, client[1:] != client[:-1])[: len(client)]
    values = np.zeros((len(made), KINDS, 3), np.int64)
    for i, (_, _, value, kind) in enumerate(made):
        values[i, kind] = [0] * 3 if begins[i] else [1, value, 7]
    both: dict[tuple[int, int], np.ndarray] = defaultdict(lambda: np.zeros((KINDS, 3), np.int64))
    one: dict[tuple[int, int], np.ndarray] = defaultdict(lambda: np.zeros((KINDS, 3), np.int64))
    changed: dict[tuple[int, int], np.ndarray] = defaultdict(lambda: np.zeros((KINDS, 3), np.int64))
    for i, row in enumerate(apps):
        for app in row:
            both[client[i], app] += 0
        if begins[i]:
            continue
        come, gone = ({*these} - {*those} for these, those in ((row, apps[i - 1]), (apps[i - 1], row)))
        for app in {*row, *apps[i - 1]}:
            (one if app in come | gone else both)[client[i], app] += values[i]
        for number in {OF_APP[app] for app in come} & {OF_APP[app] for app in gone}:
            changed[client[i], min(app for app in come if OF_APP[app] == number)] += values[i]
    amounts = PairAmounts(values.sum(axis=1).T, np.array([row[3] for row in made], np.intp), KINDS)
    first = first_samples(client)
    own = [values[client == client[at]].sum(axis=0).ravel().tolist() for at in first]
    assert amounts.by_client(first).T.tolist() == own
    old, kernel._BLOCK = kernel._BLOCK, block
    try:
        parts = list(sums_by_package(client, AppLists(offset, package), amounts, OF_APP))
    finally:
        kernel._BLOCK = old
    found = {}
    for part in parts:
        for i in range(len(part.client)):
            key = int(client[part.client[i]]), int(part.package[i])
            assert key not in found
            found[key] = [sums[:, i].tolist() for sums in (part.both, part.one, part.changed)]
    assert found == {key: [sums[key].ravel().tolist() for sums in (both, one, changed)] for key in both}

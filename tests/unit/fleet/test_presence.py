"""Apps of samples as bits: the lists read back are those of the samples."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.fleet.regression.memberships import AppLists, matrices
from navitas.fleet.regression.presence import PRESENCE, PresenceColumns, present_apps

PACKAGES = 6
samples = st.lists(st.tuples(st.integers(-2, 3), st.sets(st.integers(0, PACKAGES - 1))), max_size=40)


def lists_of(rows: list[set[int]]) -> AppLists:
    app = np.array([one for row in rows for one in sorted(row)], np.int32)
    return AppLists(np.cumsum([0, *map(len, rows)]), app)


@given(samples, st.sets(st.integers(0, PACKAGES - 1)), st.integers(1, 16))
def test_wanted_lists_are_those_of_the_samples(made: list[tuple[int, set[int]]], wanted: set[int], longest: int) -> None:
    """Clients are split into parts of samples. Odd clients want no app with an even number."""
    made = sorted(made, key=lambda row: row[0])
    client, lists = np.array([row[0] for row in made], np.int64), lists_of([row[1] for row in made])
    place = np.array([i - client.tolist().index(one) for i, one in enumerate(client.tolist())], np.int64)
    part = np.cumsum(place % longest == 0)
    presence = PresenceColumns()
    for own in matrices(part, [lists], PACKAGES):
        first = own.samples.start
        presence.add(int(client[first]), int(place[first]), own.app, own.values[0])
    table = presence.table()
    assert table.schema.equals(PRESENCE)
    number_of = np.where(np.isin(np.arange(PACKAGES), [*wanted]), np.arange(PACKAGES)[::-1], -1).astype(np.int32)
    clients = np.unique(client)
    is_wanted = (clients[:, None] % 2 == 0) | (np.arange(PACKAGES) % 2 == 1)
    found = present_apps(table, client, number_of, is_wanted).lists()
    assert np.diff(found.offset).sum() == len(found.app) and len(found.offset) == len(client) + 1
    for i, (one, row) in enumerate(made):
        expected = {PACKAGES - 1 - app for app in row & wanted}
        expected = {number for number in expected if one % 2 == 0 or number % 2 == 1}
        assert set(found.app[found.offset[i] : found.offset[i + 1]].tolist()) == expected

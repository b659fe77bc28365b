"""Requests for strata."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.fleet.findings.wanted_apps import JointRequest, StrataRequest, WantedApps, steady
from navitas.fleet.regression.exposure import CLASSES
from navitas.fleet.schema import bucket_of

pairs = st.sets(st.tuples(st.integers(-4, 4), st.integers(0, 3)), max_size=6)


@given(st.sets(st.integers(0, 3)), pairs)
def test_the_parts_of_buckets_are_the_whole(everywhere: set[int], single: set[tuple[int, int]]) -> None:
    client, app = (np.array([pair[end] for pair in sorted(single)], np.int64) for end in (0, 1))
    apps = WantedApps(np.array(sorted(everywhere)), client, app)
    request = StrataRequest(apps, np.arange(4), np.ones((4, CLASSES)), np.zeros(4))
    parts = [request.for_bucket(bucket, 3) for bucket in range(3)]
    clients = np.arange(-4, 5)
    expected = [[number in everywhere or (one, number) in single for number in range(4)] for one in clients.tolist()]
    assert request.apps.table(clients, request.app).tolist() == expected
    buckets = bucket_of(clients, 3)
    for bucket, part in enumerate(parts):
        assert (
            part.apps.table(clients, request.app)[buckets == bucket].tolist()
            == request.apps.table(clients, request.app)[buckets == bucket].tolist()
        )
    assert request.packages(np.array([3, 9, 0, 3])).tolist() == [0, 2, 3]


def test_runs_that_differ_by_how_sums_round_make_the_same_request() -> None:
    chance = np.random.default_rng(1)
    nothing = np.zeros(0, np.int64)
    by_class = chance.uniform(0, 1, (1000, CLASSES))
    digests = {
        JointRequest(WantedApps(np.arange(1000), nothing, nothing), np.arange(1000), steady(by_class + noise)).digest()
        for noise in (0.0, *chance.normal(0, 1e-14, (5, 1000, CLASSES)))
    }
    assert len(digests) == 1

"""Pairs of samples, and what is refused."""

from __future__ import annotations

import numpy as np

from navitas.fleet.pairs import Samples, pairs_of
from navitas.fleet.schema import State

ON, OFF = True, False


def made(*rows: tuple[int, int, int, State, bool, int]) -> Samples:
    client, time_s, percent, state, screen, uptime_s = (np.array(column) for column in zip(*rows, strict=True))
    return Samples(client, time_s, percent * 10_000, state.astype(np.int8), screen.astype(bool), uptime_s)


def test_pairs_of_a_client_that_discharges() -> None:
    pairs = pairs_of(
        made(
            (1, 0, 90, State.DISCHARGING, OFF, 100),
            (1, 600, 88, State.DISCHARGING, ON, 700),
            (1, 1200, 88, State.DISCHARGING, OFF, 1300),
            (1, 1800, 87, State.DISCHARGING, OFF, 1900),
            (2, 2400, 50, State.DISCHARGING, OFF, -1),
            (2, 3000, 49, State.DISCHARGING, OFF, -1),
        )
    )
    assert pairs.counts.tolist() == [False, True, True, True, False, True]
    assert pairs.seconds.tolist() == [0, 600, 600, 600, 0, 600]
    assert pairs.drop_ppm.tolist() == [0, 20_000, 0, 10_000, 0, 10_000]
    assert pairs.screen.tolist() == [0, 1, 1, 0, 0, 0]
    assert not any(pairs.refused.values())


def test_what_is_refused_is_counted_once_by_its_first_reason() -> None:
    pairs = pairs_of(
        made(
            (1, 0, 90, State.DISCHARGING, OFF, 100),
            (1, 10, 91, State.CHARGING, OFF, 110),
            (1, 20, 91, State.DISCHARGING, OFF, 120),
            (1, 30, 90, State.DISCHARGING, OFF, 5),
            (1, 30, 90, State.DISCHARGING, OFF, 5),
            (1, 40_000, 80, State.DISCHARGING, OFF, 40_000),
            (1, 40_010, 81, State.DISCHARGING, OFF, 40_010),
        )
    )
    assert not pairs.counts.any()
    assert pairs.refused == {
        "the battery was not discharging": 2,
        "the phone was restarted": 1,
        "samples of one moment": 1,
        "more than six hours apart": 1,
        "the level rose": 1,
    }
    assert not pairs.seconds.any()
    assert not pairs.drop_ppm.any()

"""Pairs of samples, and what is refused."""

from __future__ import annotations

import numpy as np

from navitas.fleet.pairs import ClientSamples, pairs_of
from navitas.fleet.schema import State

ON, OFF = True, False


def made(*rows: tuple[int, int, int, State, bool, int]) -> ClientSamples:
    client, time_s, percent, state, screen, uptime_s = (np.array(column) for column in zip(*rows, strict=True))
    return ClientSamples(client, time_s, percent * 10_000, state.astype(np.int8), screen.astype(bool), uptime_s)


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
    assert pairs.refused(np.ones(6, bool)) == {}


def test_what_is_refused_is_counted_once_by_its_first_reason() -> None:
    pairs = pairs_of(
        made(
            (1, 0, 90, State.DISCHARGING, OFF, 1000),
            (1, 10, 91, State.CHARGING, OFF, 1010),
            (1, 20, 91, State.DISCHARGING, OFF, 1020),
            (1, 130, 90, State.DISCHARGING, OFF, 5),
            (1, 130, 90, State.DISCHARGING, OFF, 5),
            (1, 40_000, 80, State.DISCHARGING, OFF, 39_875),
            (1, 40_010, 81, State.DISCHARGING, OFF, 39_885),
        )
    )
    assert not pairs.counts.any()
    assert pairs.refused(np.ones(7, bool)) == {
        "the battery was not discharging": 2,
        "the phone was restarted": 1,
        "samples of one moment": 1,
        "more than six hours apart": 1,
        "the level rose": 1,
    }
    assert pairs.refused(np.arange(7) > 5) == {"the level rose": 1}
    assert not pairs.seconds.any()
    assert not pairs.drop_ppm.any()


def test_restarts_and_clocks_that_were_set_are_told_by_the_time_since_the_start() -> None:
    rows = [
        (1, 0, 90, State.DISCHARGING, OFF, 600),
        (1, 18_000, 80, State.DISCHARGING, OFF, 14_400),  # restarted within the first hour: its uptime has grown none the less
        (2, 0, 90, State.DISCHARGING, OFF, 90_000),
        (2, 15_000, 89, State.DISCHARGING, OFF, 90_600),  # ten minutes, and four hours on the clock
        (2, 15_600, 88, State.DISCHARGING, OFF, 109_200),  # five hours, and ten minutes on the clock
        (2, 16_200, 87, State.DISCHARGING, OFF, 109_790),  # ten seconds are what clocks are corrected by
        (2, 16_800, 86, State.DISCHARGING, OFF, -1),
        (2, 17_400, 85, State.DISCHARGING, OFF, 10),
    ]
    pairs = pairs_of(made(*rows))
    assert pairs.refused(np.ones(8, bool)) == {"the phone was restarted": 1, "the clock was set": 2}
    assert pairs.counts.tolist() == [False, False, False, False, False, True, True, True]

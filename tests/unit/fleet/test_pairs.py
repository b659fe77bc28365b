"""Pairs of samples, and reasons of refusals."""

from __future__ import annotations

import numpy as np

from navitas.fleet.regression.pairs import ClientSamples, pairs_of
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


def test_a_refused_pair_is_counted_by_its_first_reason() -> None:
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


def test_restarts_and_clock_changes_are_found_by_uptime() -> None:
    rows = [
        (1, 0, 90, State.DISCHARGING, OFF, 600),
        (1, 18_000, 80, State.DISCHARGING, OFF, 14_400),  # Restarted within the first hour; the uptime is greater anyway.
        (2, 0, 90, State.DISCHARGING, OFF, 90_000),
        (2, 15_000, 89, State.DISCHARGING, OFF, 90_600),  # Ten minutes of uptime, four hours by the clock.
        (2, 15_600, 88, State.DISCHARGING, OFF, 109_200),  # Five hours of uptime, ten minutes by the clock.
        (2, 16_200, 87, State.DISCHARGING, OFF, 109_790),  # Ten seconds are an ordinary correction of the clock.
        (2, 16_800, 86, State.DISCHARGING, OFF, -1),
        (2, 17_400, 85, State.DISCHARGING, OFF, 10),
    ]
    pairs = pairs_of(made(*rows))
    assert pairs.refused(np.ones(8, bool)) == {"the phone was restarted": 1, "the clock was set": 2}
    assert pairs.counts.tolist() == [False, False, False, False, False, True, True, True]

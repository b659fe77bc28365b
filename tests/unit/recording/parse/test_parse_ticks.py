"""The counter of the ticks."""

from __future__ import annotations

import pytest

from navitas.recording.parse.counters import Readings, tick_period_ns


def test_ticks_are_weighted_by_their_length() -> None:
    # nine ticks of 1 ms and one of 9 ms: half of the time is in the late tick
    squares_us2 = 9 * 1_000**2 + 9_000**2
    readings = Readings([1, 2], [b"1 1000000 1000000", b"10 18000000 %d" % squares_us2])
    assert tick_period_ns(readings) == pytest.approx(5e6)


@pytest.mark.parametrize("texts", [[], [b""], [b"1 2"], [b"0 0 0"], [b"a b c"], [b"-1 5 5"], [b"1 1 " + b"9" * 5_000]])
def test_without_a_complete_reading_there_is_no_period(texts: list[bytes]) -> None:
    assert tick_period_ns(Readings(list(range(len(texts))), texts)) is None
    assert tick_period_ns(None) is None


def test_a_torn_last_reading_is_skipped() -> None:
    assert tick_period_ns(Readings([1, 2], [b"1 1000000 1000000", b"2 20"])) == pytest.approx(1e6)

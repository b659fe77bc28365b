"""Times of manifests: their zones, and texts that are none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from navitas.base.moments import unix_s, utc_moment


@pytest.mark.parametrize("text", ["2026-01-01T00:00:00", "2026-01-01T00:00:00Z", "2026-01-01T05:30:00+05:30"])
def test_a_time_is_in_utc_unless_it_names_a_zone(text: str) -> None:
    assert utc_moment(text) == datetime(2026, 1, 1, tzinfo=UTC)
    assert unix_s(text) == 1_767_225_600


@pytest.mark.parametrize("text", ["", "yesterday", "0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00"])
def test_what_is_no_time_is_unknown(text: str) -> None:
    assert utc_moment(text) is None and unix_s(text) == 0


def test_a_time_before_1970_is_0() -> None:
    assert unix_s("1960-01-01T00:00:00") == 0

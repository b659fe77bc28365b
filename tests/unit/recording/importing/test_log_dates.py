"""Dates without a year: the year of a file, its turn, and days that a year lacks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from navitas.base.errors import UsageError
from navitas.recording.importing.original_log import LogDates, written_by


def _dates(*stamps: str) -> LogDates:
    dates = LogDates()
    for stamp in stamps:
        assert dates.add(stamp) is not None
    return dates


def _written(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def _years(dates: LogDates, first: int) -> list[int]:
    return [datetime.fromtimestamp(ns // 10**9, UTC).year for ns in dates.realtime_ns(first)]


def test_times_to_the_nanosecond() -> None:
    (ns,) = _dates("05-03 15:27:34.794000001").realtime_ns(2021)
    assert ns == int(_written("2021-05-03 15:27:34")) * 10**9 + 794_000_001


@pytest.mark.parametrize(
    "stamp", ["13-01 00:00:00.000", "02-30 00:00:00.000", "01-01 24:00:00.000", "1969-01-01 00:00:00.000", "x"]
)
def test_impossible_dates_are_none(stamp: str) -> None:
    assert LogDates().add(stamp) is None


def test_the_year_turns_also_if_lines_are_out_of_order() -> None:
    dates = _dates("12-31 23:59:59.999", "01-01 00:00:00.000", "12-31 23:59:59.998", "01-01 00:00:00.001", "06-01 00:00:00.000")
    assert _years(dates, 2020) == [2020, 2021, 2020, 2021, 2021]
    assert dates.turns == 1


@pytest.mark.parametrize(
    ("stamps", "written", "year"),
    [
        (("05-03 10:00:00.000",), "2021-05-03 12:00:00", 2021),
        (("05-03 10:00:00.000",), "2021-05-02 23:00:00", 2021),  # the phone's time zone can be a day ahead
        (("05-03 10:00:00.000",), "2021-01-02 10:00:00", 2020),
        (("12-31 23:59:59.000", "01-01 00:00:00.000"), "2021-01-01 00:00:00", 2020),
        (("02-29 10:00:00.000",), "2023-05-01 00:00:00", 2020),
        (("02-29 10:00:00.000",), "1903-05-01 00:00:00", 1896),
    ],
)
def test_the_year_of_a_file_is_the_latest_possible_one(stamps: tuple[str, ...], written: str, year: int) -> None:
    assert _dates(*stamps).first_year(_written(written)) == year


@pytest.mark.parametrize(
    ("name", "stamp", "year"),
    [
        ("2021-05-03_Test.run", "05-03 10:00:00.000", 2021),
        ("2021-05-03_Test.run", "05-05 10:00:00.000", 2021),
        ("2021-01-02", "12-31 10:00:00.000", 2020),
        ("Test.run", "05-03 10:00:00.000", 2026),
        ("2021-13-03_Test.run", "05-03 10:00:00.000", 2026),
    ],
)
def test_the_date_in_a_name_comes_before_the_time_of_change(name: str, stamp: str, year: int) -> None:
    written = written_by(name, _written("2026-11-01 10:00:00"))
    assert _dates(stamp).first_year(written.latest_s) == year
    assert written.source == ("when the file was last changed" if year == 2026 else "the date in the file's name")


def test_a_day_that_the_year_lacks_is_a_usage_error() -> None:
    dates = _dates("02-29 10:00:00.000")
    assert _years(dates, 2024) == [2024]
    with pytest.raises(UsageError, match="29 February, and 2023 has none"):
        dates.realtime_ns(2023)


def test_years_in_the_log_win() -> None:
    dates = _dates("2019-05-03 10:00:00.000")
    assert not dates.lacks_year and _years(dates, 2024) == [2019]

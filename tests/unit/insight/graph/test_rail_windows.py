"""Windows of rails, and the savings that follow from them."""

from __future__ import annotations

import math

import pytest
from rail_windows import Interval, Window, saving_j, windows

RAILS = ("S2M_VDD_CPUCL2", "VDD_CPU_ACTIVE", "VSYS_PWR_DISPLAY")


def reading(name: str, ms: int, *micro_joules: int) -> str:
    return f"rails {name}\nt={ms}\n" + "".join(
        f"CH{k}(T={ms})[{rail}], {uj}\n" for k, (rail, uj) in enumerate(zip(RAILS, micro_joules, strict=True))
    )


OUTPUT = "\n".join(
    [
        "Starting: Intent { }",
        reading("rest", 1000, 100, 0, 0),
        reading("none", 3000, 1_000_100, 500_000, 7),
        reading("alarms", 4000, 9_000_000, 500_000, 7),
        "Advanced by 60 s: 1 alarms and jobs",
        reading("none", 9000, 12_000_000, 1_500_000, 5_000_000),
        "",
    ]
)


def test_a_window_is_the_growth_of_rails_until_the_next_reading() -> None:
    assert windows(OUTPUT) == {"rest": Window(2.0, pytest.approx(1.5)), "alarms": Window(5.0, pytest.approx(4.0))}


def test_a_window_that_occurs_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="two windows rest"):
        windows(OUTPUT + OUTPUT)


def test_the_energy_of_a_longer_window_at_rest_is_no_saving() -> None:
    faulty = {"rest": Window(5.0, 1.0), "alarms": Window(12.0, 8.0)}
    fixed = {"rest": Window(5.0, 1.0), "alarms": Window(10.0, 3.0)}
    assert saving_j(faulty, fixed, "alarms") == pytest.approx(8.0 - 3.0 - 2 * 0.2)


def test_the_interval_is_students() -> None:
    found = Interval.of([1.0, 2.0, 3.0])
    assert (found.mean, found.half) == pytest.approx((2.0, 4.3027 / math.sqrt(3)), rel=1e-4)
    assert Interval.of([1.0]).half == math.inf

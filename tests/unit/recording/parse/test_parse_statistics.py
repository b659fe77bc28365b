"""Readings of the power statistics' text become rails and consumers."""

from __future__ import annotations

import pytest

from navitas.recording.parse.rail_readings import SkippedReadings, possible_growth
from navitas.recording.parse.sampled_files import parse_statistics
from navitas.virtual_phone.rail_monitor import Consumer, dump_power_statistics


def text(modem_j: float, app_j: float) -> str:
    rails = {"VSYS_PWR_MODEM": modem_j * 1e6, "S4M_VDD_CPUCL0": 7e6}
    return dump_power_statistics(
        rails, [Consumer("CPU_CLUSTER", 0, "CPUCL0", 7e6, {10_001: app_j * 1e6}), Consumer("GNSS", 0, "GPS", 1e6, {})]
    )


def test_rails_and_consumers_by_time() -> None:
    rails, consumers, skipped = parse_statistics([10, 20], [text(1.0, 0.25), text(2.0, 0.5)])
    assert rails is not None and consumers is not None and skipped == SkippedReadings()
    assert (rails.names, rails.t_ns.tolist()) == (("VSYS_PWR_MODEM", "S4M_VDD_CPUCL0"), [10, 20])
    assert rails.energy_j[:, 0].tolist() == pytest.approx([1.0, 2.0])
    assert consumers.names == ("CPUCL0", "GPS")
    assert (consumers.uid.tolist(), consumers.uid_t_ns.tolist()) == ([10_001, 10_001], [10, 20])
    assert consumers.uid_energy_j.tolist() == pytest.approx([0.25, 0.5])


def test_torn_readings_are_counted() -> None:
    whole = text(1.0, 0.25)
    rails, _, skipped = parse_statistics([10, 20, 30, 40], [whole, whole[: len(whole) // 2], "", text(3.0, 0.5)])
    assert rails is not None and rails.t_ns.tolist() == [10, 40] and skipped == SkippedReadings(torn=2)
    assert parse_statistics([10], ["Can't find service: x\n"]) == (None, None, SkippedReadings(torn=1))
    assert parse_statistics([], []) == (None, None, SkippedReadings())


def test_readings_with_other_rails_or_consumers_are_counted_apart() -> None:
    whole = text(1.0, 0.25)
    less = "".join(line for line in whole.splitlines(keepends=True) if "GPS" not in line)
    rails, _, skipped = parse_statistics([10, 20, 30], [whole, less, text(3.0, 0.5)])
    assert rails is not None and rails.t_ns.tolist() == [10, 30] and skipped == SkippedReadings(others=1)


def test_a_counter_never_goes_back() -> None:
    rails, _, _ = parse_statistics([10, 20], [text(2.0, 0.5), text(1.0, 0.25)])
    assert rails is not None and possible_growth(rails)[0].energy_j[:, 0].tolist() == pytest.approx([2.0, 2.0])

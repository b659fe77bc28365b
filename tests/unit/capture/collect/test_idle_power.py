"""The idle run: rails before and after, by the file or by the power statistics."""

from __future__ import annotations

import pytest
from fake_device import FakeDevice

from navitas.capture.collect.readings.topology import RAILS
from navitas.capture.collect.runs.special_runs import read_idle
from navitas.insight.operations.case_energy import IdleRun

STAMP = "cat /proc/uptime; date +%s.%N"


def run_of(device: FakeDevice) -> IdleRun:
    found = read_idle(device, 0.0)
    return IdleRun(kind=found.kind, before=found.before, after=found.after, uptime_s=found.uptime_s, unix_s=found.unix_s)


def test_the_monitors_file_comes_first() -> None:
    device = FakeDevice(texts={STAMP: "5.25 9.9\n1790000000.5\nt=5250\nCH0(T=5250)[S4M_VDD_CPUCL0], 7\n"})
    found = run_of(device)
    assert found.kind == "rails" and found.uptime_s == (5.25, 5.25) and found.unix_s == (1790000000.5, 1790000000.5)
    assert found.before.startswith("t=5250\n")
    assert device.commands[1:] == [f"{STAMP}; cat {RAILS}"] * 2


def test_the_power_statistics_are_the_next_choice() -> None:
    device = FakeDevice(texts={"dumpsys": "[S4M]:x 12.0 mWs\n"}, codes={f"cat {RAILS}": 1})
    assert run_of(device).kind == "statistics"


@pytest.mark.parametrize("text", ["", "no numbers\nat all\n", "5\n"])
def test_without_rails_there_is_no_power(text: str) -> None:
    device = FakeDevice(texts={STAMP: text}, codes={f"cat {RAILS}": 1})
    found = run_of(device)
    assert found.kind == "none" and found.power_w("*") is None

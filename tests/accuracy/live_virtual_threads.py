"""The same work costs the same on virtual threads and on platform threads (`make accuracy`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.lab import Lab, app_threads, skip_where_starved
from support.lab_fixtures import Bundles
from support.virtual_threads import java_with_virtual_threads, spinning_project

from navitas.capture.device.adb import AdbDevice

pytestmark = pytest.mark.usefixtures("gradle")


def test_work_costs_the_same_on_both_kinds(bundles: Bundles, phone: AdbDevice, tmp_path: Path) -> None:
    project = spinning_project(tmp_path / "spinning", java_with_virtual_threads(), 100_000_000)
    lab = Lab(phone, bundles(project), tmp_path)
    done = lab.profile("SpinTest#onPlatformThreads", "SpinTest#onVirtualThreads", name="recording", repeat=3)
    skip_where_starved(done)
    table = done.profile.method_table.methods
    cpu_ns: dict[str, list[float]] = {}
    energy_j: dict[str, list[float]] = {}
    for test in done.profile.tests:
        rows = [row for thread in app_threads(test) for row in thread.methods if table[row.method].name == "work"]
        assert sum(row.calls for row in rows) == 4
        cpu_ns.setdefault(test.method, []).append(sum(row.cpu_ns for row in rows))
        energy_j.setdefault(test.method, []).append(sum(row.inclusive_j for row in rows))
    for figures in (cpu_ns, energy_j):
        print(figures)
        least = {name: min(values) for name, values in figures.items()}
        assert least["onVirtualThreads"] == pytest.approx(least["onPlatformThreads"], rel=0.05)

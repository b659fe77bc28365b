"""Mode `tick` on code with many short calls: each call is counted, and the thread's energy is divided among its methods.

`make accuracy` compares each method's energy with its time (tests/accuracy/live_tick_mode.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.lab import Lab
from support.lab_fixtures import Bundles
from support.split_calls import split_calls

from navitas.capture.device.adb import AdbDevice

pytestmark = pytest.mark.extended

ROUNDS = 5_000


def test_mode_tick_counts_each_call_and_divides_the_threads_energy(phone: AdbDevice, bundles: Bundles, tmp_path: Path) -> None:
    project = split_calls(tmp_path / "project", ROUNDS)
    profiled = Lab(phone, bundles(project), tmp_path).profile(name="ticks", mode="tick")
    thread, methods = profiled.thread("split", "main"), profiled.methods("split")
    assert {name: methods[name].calls for name in ("one", "three", "deep", "spin", "none")} == {
        "one": ROUNDS,
        "three": ROUNDS,
        "deep": 3 * ROUNDS,
        "spin": 5 * ROUNDS,
        "none": ROUNDS,
    }
    traced_j = sum(method.exclusive_j for method in thread.methods)
    assert traced_j + thread.probes_j + thread.untraced_j == pytest.approx(thread.energy_j)
    assert profiled.profile.tick_ns is not None
    assert all(method.inclusive_error_j is not None for method in methods.values())
    assert "not_conserved" not in profiled.warnings
    # The last tick found a method that only the earlier test calls.
    assert {name for name, method in profiled.methods("then").items() if method.calls} == profiled.methods("then").keys()

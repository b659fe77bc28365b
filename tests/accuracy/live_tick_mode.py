"""Mode `tick`: the energy of a method is right within the stated error (`make accuracy`)."""

from __future__ import annotations

from pathlib import Path

from support.lab import Lab
from support.lab_fixtures import Bundles
from support.split_calls import split_calls

from navitas.capture.device.adb import AdbDevice

ROUNDS = 20_000


def test_ticks_split_a_threads_energy_within_the_stated_error(phone: AdbDevice, bundles: Bundles, tmp_path: Path) -> None:
    project = split_calls(tmp_path / "project", ROUNDS)
    profiled = Lab(phone, bundles(project), tmp_path).profile(name="ticks", mode="tick")
    thread, methods = profiled.thread("split", "main"), profiled.methods("split")
    assert thread.untraced_j <= 0.02 * thread.energy_j
    # The time that the test measured around its calls, which is almost all of its time.
    spent = dict(zip(("one", "three", "deep"), map(int, (project / "spent.txt").read_text().split()), strict=True))
    whole_ns, whole_j = sum(spent.values()), sum(methods[name].inclusive_j for name in spent)
    traced_j = sum(method.exclusive_j for method in thread.methods)
    assert whole_j >= 0.9 * traced_j
    for name, spent_ns in spent.items():
        error_j = methods[name].inclusive_error_j
        assert error_j is not None
        assert abs(methods[name].inclusive_j - whole_j * spent_ns / whole_ns) <= 4 * error_j
    assert methods["none"].inclusive_j <= 0.01 * traced_j

"""A cycle of each fault (`make cycles` runs a hundred): a correct report or a clear error, and no leftovers."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cycles import Workload, cycles
from support.lab import Lab

pytestmark = pytest.mark.extended


def test_a_cycle_of_each_fault(faulty: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds in (
        "navitas.capture.collect.runs.run_recorder._RECONNECT_S",
        "navitas.capture.collect.apps.installing._RECONNECT_S",
        "navitas.capture.collect.apps.restored_apps._RECONNECT_S",
        "navitas.capture.collect.state.guard._RECONNECT_S",
    ):
        monkeypatch.setattr(seconds, 0.3)
    with cycles(tmp_path, 5, Workload(faulty.bundles)) as (some,):
        ends = {fault: some.one(fault, fault) for fault in some.faults}
    assert ends["none"] == ends["slow"] == "correct report"
    assert all(end.startswith(("correct report", "report", "clear error")) for end in ends.values()), ends

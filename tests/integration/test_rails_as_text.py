"""Rails and energy consumers of a profiling, as text of the power statistics where nothing else shows rails."""

from __future__ import annotations

import pytest
from support.lab import Lab

from navitas.capture.collect.readings import topology
from navitas.energy.analyze.load import load_tables

pytestmark = pytest.mark.extended


def test_rails_are_read_as_text_where_nothing_else_shows_them(sample: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topology, "RAILS", "/sys/hidden")
    profiled = sample.profile("KnownCasesTest#nestedCalls", name="statistics", trace="none")
    (run,) = load_tables(profiled.outcome.recording).parsed.runs
    assert run.devices.rails is not None and "VSYS_PWR_DISPLAY" in run.devices.rails.names and run.cpu.trace is None
    assert run.devices.consumers is not None and "Display" in run.devices.consumers.names
    assert profiled.profile.ledger.runs[0].id == run.run_id

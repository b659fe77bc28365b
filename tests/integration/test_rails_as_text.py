"""Rails and energy consumers of a profiling: by Perfetto, and as text of the power statistics where nothing else shows rails."""

from __future__ import annotations

import pytest
from support.lab import Lab, Profiled

from navitas.analyze.load import load_tables
from navitas.collect import topology
from navitas.parse.device_states import NO_UID

pytestmark = pytest.mark.xdist_group("cases")


def test_consumers_of_a_trace_have_the_apps_uid(cases: Profiled) -> None:
    (run,) = load_tables(cases.outcome.recording).parsed.runs
    assert run.consumers is not None and {"CPU_CLUSTER", "DISPLAY", "WIFI"} <= set(run.consumers.kinds)
    assert run.consumers.app_uid != NO_UID and (run.consumers.uid == run.consumers.app_uid).any()
    (cpu,) = [one for one in cases.profile.consumers if one.component == "cpu"]
    assert cpu.energy_j > 0 and cpu.app_j is not None and 0 < cpu.app_j <= cpu.energy_j


@pytest.mark.extended
def test_rails_are_read_as_text_where_nothing_else_shows_them(sample: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topology, "RAILS", "/sys/hidden")
    profiled = sample.profile("KnownCasesTest#nestedCalls", name="statistics", trace="none")
    (run,) = load_tables(profiled.outcome.recording).parsed.runs
    assert run.rails is not None and "VSYS_PWR_DISPLAY" in run.rails.names and run.trace is None
    assert run.consumers is not None and "Display" in run.consumers.names
    assert profiled.profile.ledger.runs[0].id == run.run_id

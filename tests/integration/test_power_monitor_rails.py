"""Rails of phones that show them to apps only: power monitors, with the permission of Android 17 and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.java_sources import java_sources
from support.lab import Lab, Profiled
from support.lab_fixtures import Apps
from support.notes_app import APP, Made, bundle_of
from support.quick_jvm import quick_jvms

from navitas.capture.bundle.reader import open_bundle
from navitas.capture.collect.readings import topology
from navitas.capture.collect.state.settings import FINE_MONITORS, is_granted, reading_command
from navitas.energy.analyze.load import load_tables
from navitas.recording.manifest import Source
from navitas.recording.parse import parsed_recording
from navitas.recording.parse.power_monitors import PowerMonitors, read_monitors
from navitas.recording.store import open_recording
from navitas.virtual_phone.start import virtual_phone

pytestmark = pytest.mark.extended
_CLOCKS_NS = 20_000_000
_UJ = 1e-6


@pytest.fixture(scope="module")
def made(apps: Apps) -> Made:
    """An app that requests the permission."""
    return apps(
        tests=java_sources("devices/tests"), hooked=java_sources("devices/app"), permissions=(FINE_MONITORS.rpartition(".")[2],)
    )


def profiled_on(made: Made, folder: Path, **phone: object) -> tuple[Profiled, str]:
    """The app's test on a new phone that has the app already, and the app's permission on it afterwards."""
    with quick_jvms(), virtual_phone(**phone) as device:  # type: ignore[arg-type]
        device.install(made.apks)
        bundle = open_bundle(bundle_of(made, folder / "uses.bundle.zip"))
        found = Lab(device, [bundle], folder).profile("MonitorsTest#*", name="recording", record="hooks", trace="auto")
        return found, device.shell(reading_command(APP)).text


@pytest.fixture(scope="module")
def fine(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Profiled, str]]:
    """Android 17."""
    yield profiled_on(made, tmp_path_factory.mktemp("fine"), sdk=37, hides_rails=True)


def test_monitors_are_the_rails_of_android_17(fine: tuple[Profiled, str]) -> None:
    found, _ = fine
    assert not found.outcome.failures and not found.outcome.troubles
    (run,) = load_tables(found.outcome.recording).parsed.runs
    assert run.devices.rails is not None and {"VSYS_PWR_DISPLAY", "VSYS_PWR_CAMERA"} <= set(run.devices.rails.names)
    assert np.median(np.diff(run.devices.rails.t_ns)) < 20e9, "more often than every 20 s"
    assert run.devices.consumers is not None and {"DISPLAY", "CPU/0"} <= set(run.devices.consumers.names)
    assert "power_monitors" not in found.warnings


def test_components_have_the_energy_of_the_monitors_and_name_them(fine: tuple[Profiled, str]) -> None:
    found, _ = fine
    evidence = {one.component: one for one in found.profile.evidence}
    for component in ("screen", "flashlight", "modem"):
        assert evidence[component].level == "rails", component
        reasons = [reason.text for reason in evidence[component].reasons if reason.code == "power_monitor_noise"]
        assert reasons and "0.25 s" in reasons[0], component
        assert evidence[component].rails_j, component
    assert "power_monitor_noise" not in {reason.code for reason in evidence["cpu"].reasons}, "it keeps its estimate"


def test_the_permission_is_granted_for_the_run_only(fine: tuple[Profiled, str]) -> None:
    _, permission = fine
    assert FINE_MONITORS in permission and not is_granted(permission)


def test_a_short_run_without_the_permission_has_no_rails_and_a_remedy(made: Made, tmp_path: Path) -> None:
    """On a machine where it takes 20 s, it has rails."""
    found, _ = profiled_on(made, tmp_path, sdk=36, hides_rails=True)
    assert not found.outcome.failures
    warnings = [one for one in found.profile.warnings if one.code == "power_monitors"]
    (run,) = load_tables(found.outcome.recording).parsed.runs
    assert len(warnings) == (run.devices.rails is None)
    for warning in warnings:
        assert "fewer than two readings" in warning.message and "more than 40 s" in warning.remedy
    assert any(one.level == "rails" for one in found.profile.evidence) == (run.devices.rails is not None)


def test_readings_lack_no_more_than_the_noise(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact readings of the shell, which count as rails, say how much."""
    source = Source(id=7, path="power_monitors", kind="power_monitors")
    monkeypatch.setattr(topology, "monitor_sources", lambda *_, **more: [source])
    found, _ = profiled_on(made, tmp_path, sdk=37)
    kept: list[PowerMonitors] = []

    def keep(*inputs: Any, **more: Any) -> PowerMonitors:
        kept.append(read_monitors(*inputs, **more))
        return kept[-1]

    monkeypatch.setattr(parsed_recording, "read_monitors", keep)
    (run,) = parsed_recording.parse_recording(open_recording(found.outcome.recording)).runs
    exact, read = run.devices.rails, kept[0].rails
    assert exact is not None and read is not None and not exact.reasons and set(read.names) == set(exact.names)
    exact_j = exact.energy_j[:, exact.names.index("VSYS_PWR_DISPLAY")]
    read_j = read.energy_j[:, read.names.index("VSYS_PWR_DISPLAY")]
    # However late, the shell stamps a reading after it was taken, and before it takes the next one. So a reading is a lower bound
    # from its time on, and an upper one up to the time of the reading before. Both clocks have milliseconds.
    low_j = exact_j[np.searchsorted(exact.t_ns + _CLOCKS_NS, read.t_ns).clip(1) - 1]
    high_j = np.append(exact_j, np.inf)[(np.searchsorted(exact.t_ns - _CLOCKS_NS, read.t_ns) + 1).clip(None, len(exact_j))]
    # Between two readings of the screen's chip lies one of the CPU's.
    assert (read_j[:-1] <= high_j[1:] + _UJ).all(), "never more than the true energy"
    known = read.t_ns[:-3] >= exact.t_ns[0]
    assert (read_j[3:] >= low_j[:-3] - _UJ)[known].all(), "no less than at the reading before"

"""Rails of phones that show them to apps only: power monitors, with the permission of Android 17 and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.lab import Lab, Profiled
from support.maven import NotFetchedError
from support.notes_app import APP, Made, bundle_of, make

from navitas.analyze.load import load_tables
from navitas.bundle.reader import open_bundle
from navitas.collect import topology
from navitas.collect.state.permissions import FINE_MONITORS, is_granted, reading_command
from navitas.parse import parsed_recording
from navitas.parse.power_monitors import PowerMonitors, read_monitors
from navitas.recording.manifest import Source
from navitas.recording.store import open_recording
from navitas.virtual_phone.start import virtual_phone

pytestmark = pytest.mark.timeout(900)
USES = {
    "Uses": """
import android.content.Context;
import android.hardware.camera2.CameraManager;
import android.os.SystemClock;
public class Uses {
    static void shines(Context app) throws Exception {
        CameraManager cameras = app.getSystemService(CameraManager.class);
        cameras.setTorchMode("0", true);
        SystemClock.sleep(1500);
        cameras.setTorchMode("0", false);
        SystemClock.sleep(1500);
    }
}"""
}
TESTS = {
    "UsesTest": """
import androidx.test.platform.app.InstrumentationRegistry;
import org.junit.Test;
public class UsesTest {
    @Test public void shines() throws Exception {
        Uses.shines(InstrumentationRegistry.getInstrumentation().getTargetContext());
    }
}"""
}


@pytest.fixture(scope="module")
def made(jvm: str, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """An app that requests the permission."""
    try:
        return make(tmp_path_factory.mktemp("uses") / "made", TESTS, hooked=USES, permissions=(FINE_MONITORS,))
    except NotFetchedError as error:
        pytest.skip(str(error))


def profiled_on(made: Made, folder: Path, **phone: object) -> tuple[Profiled, str]:
    """The app's test on a new phone that has the app already, and the app's permission on it afterwards."""
    with virtual_phone(**phone) as device:  # type: ignore[arg-type]
        device.install(made.apks)
        bundle = open_bundle(bundle_of(made, folder / "uses.bundle.zip"))
        found = Lab(device, [bundle], folder).profile(name="recording", record="hooks", trace="auto")
        return found, device.shell(reading_command(APP)).text


@pytest.fixture(scope="module")
def fine(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Profiled, str]]:
    """Android 17."""
    yield profiled_on(made, tmp_path_factory.mktemp("fine"), sdk=37, hides_rails=True)


def test_monitors_are_the_rails_of_android_17(fine: tuple[Profiled, str]) -> None:
    found, _ = fine
    assert not found.outcome.failures and not found.outcome.troubles
    (run,) = load_tables(found.outcome.recording).parsed.runs
    assert run.rails is not None and {"VSYS_PWR_DISPLAY", "VSYS_PWR_CAMERA"} <= set(run.rails.names)
    assert len(run.rails.t_ns) >= 3 and np.median(np.diff(run.rails.t_ns)) < 10e9, "more often than every 20 s"
    assert run.consumers is not None and {"DISPLAY", "CPU/0"} <= set(run.consumers.names)
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
    found, _ = profiled_on(made, tmp_path, sdk=36, hides_rails=True)
    assert not found.outcome.failures
    (warning,) = [one for one in found.profile.warnings if one.code == "power_monitors"]
    assert "fewer than two readings" in warning.message and "more than 40 s" in warning.remedy
    (run,) = load_tables(found.outcome.recording).parsed.runs
    assert run.rails is None
    assert all(one.level != "rails" for one in found.profile.evidence)


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
    exact, read = run.rails, kept[0].rails
    assert exact is not None and read is not None and not exact.reasons and set(read.names) == set(exact.names)
    # The screen's power is constant, so its energy between readings is known.
    exact_j = exact.energy_j[:, exact.names.index("VSYS_PWR_DISPLAY")]
    read_j = read.energy_j[:, read.names.index("VSYS_PWR_DISPLAY")]
    true_j = np.interp(read.t_ns, exact.t_ns, exact_j)
    inside = (read.t_ns >= exact.t_ns[0]) & (read.t_ns <= exact.t_ns[-1])
    missing_j, seconds = (true_j - read_j)[inside], np.diff(read.t_ns[inside]) / 1e9
    watts = (exact_j[-1] - exact_j[0]) / ((exact.t_ns[-1] - exact.t_ns[0]) / 1e9)
    # Both clocks have milliseconds. A busy machine takes a time of the exact readings late: then they leave their straight line.
    during = (exact.t_ns >= read.t_ns[0]) & (exact.t_ns <= read.t_ns[-1])
    near_ns, near_j = exact.t_ns[during], exact_j[during]
    slack_j = 0.02 * watts + 2 * np.abs(near_j - np.interp(near_ns, near_ns[[0, -1]], near_j[[0, -1]])).max()
    # Between two readings of the screen's chip lies one of the CPU's.
    longest_s = (seconds[:-1] + seconds[1:]).max()
    assert (missing_j >= -slack_j).all() and (missing_j <= watts * longest_s + slack_j).all()
    drawn_w = np.diff(read_j[inside]) / seconds
    assert (drawn_w < 2 * watts).all(), "no energy of a period between the readings of two chips"

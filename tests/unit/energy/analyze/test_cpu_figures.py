"""Figures of the CPU have the CPU's energy only, whatever other components used."""

from __future__ import annotations

import pytest
from attribution_maker import run
from hardware_maker import CALLER, CAMERA_ON, hooks, profile_of, states
from support.run_tables import changed

from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.tables import RunTables


def tables(*, tick_ns: float | None = None, camera: bool = True) -> RunTables:
    return changed(run([CALLER], [(0, 1000)]), hooks=CAMERA_ON if camera else None, tick_ns=tick_ns)


def test_cpu_power_is_the_energy_of_the_cpu_by_its_time() -> None:
    with_camera, alone = profile_of(tables()), profile_of(tables(camera=False))
    assert "camera" in with_camera.components and alone.components == ("cpu",)
    for totals in (Profile.thread_totals, Profile.role_totals):
        (found,), (wanted,) = totals(with_camera), totals(alone)
        assert found.energy_j > wanted.energy_j
        assert (found.cpu_j, found.cpu_power_w) == (pytest.approx(wanted.cpu_j), pytest.approx(wanted.cpu_power_w))


def test_the_error_of_ticks_is_that_of_the_cpu() -> None:
    with_camera, alone = (profile_of(tables(tick_ns=1e6, camera=camera)) for camera in (True, False))
    for found, wanted in zip(with_camera.tests[0].threads[0].methods, alone.tests[0].threads[0].methods, strict=True):
        assert found.method == wanted.method
        assert found.exclusive_error_j == pytest.approx(wanted.exclusive_error_j)
        assert found.inclusive_error_j == pytest.approx(wanted.inclusive_error_j)


def test_a_device_left_on_is_a_warning_with_its_method_file_and_line() -> None:
    left = hooks([(0, 250, 250, 0, HookKind.CAMERA, False, 7)])
    (found,) = (notice for notice in profile_of(changed(tables(), hooks=left)).warnings if notice.code == "left_on")
    assert found.message == "camera: started in a.C.m1 (C.java:1), and not stopped before the end of the run"
    assert "Stop it" in found.remedy


def test_the_estimate_of_paper_1_has_its_screen() -> None:
    # The brightest bin is screen.on + screen.full in paper 1, and a tenth of screen.full less by default.
    seen = states(("screen", 0, 1000), ("brightness", 0, 1000, 4))
    lit, dark = (profile_of(changed(tables(camera=False), states=each), alternative="paper1").tests[0] for each in (seen, None))
    assert lit.alternative_j is not None and dark.alternative_j is not None
    assert lit.alternative_j - dark.alternative_j == pytest.approx(0.5)
    assert lit.energy_j - dark.energy_j == pytest.approx(0.46)
    methods = [[method.alternative_j for method in test.threads[0].methods] for test in (lit, dark)]
    assert methods[0] == methods[1], "a call uses no screen"

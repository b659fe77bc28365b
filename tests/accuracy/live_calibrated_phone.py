"""Special test runs on the virtual phone measure the power of its CPUs and its screen (`make accuracy`)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from navitas.base.errors import ExitCode
from navitas.capture.collect.readings import topology
from navitas.capture.collect.runs.special_runs import meter_of, special_runs
from navitas.capture.device.adb import AdbDevice
from navitas.cli.main import run
from navitas.insight.calibrate.special_steps import read_steps
from navitas.power import catalog
from navitas.power.cpu import power_model
from navitas.power.power_profile import read_power_profile


def _warn(code: str, text: str, remedy: str) -> None:
    raise AssertionError(text)


def test_steps_load_the_named_cpus(phone: AdbDevice) -> None:
    meter = meter_of(phone)
    steps = special_runs(phone, topology.read_policies(phone)[:1], meter, _warn, step_s=0.5, stage=lambda _: None)
    uses = read_steps(steps, meter)
    (full,) = [use for use in uses if use.step.kind == "cpu" and min(use.busy_s[cpu] for cpu in range(4)) > 0.02]
    assert max(full.busy_s[cpu] for cpu in range(4, 8)) < 0.1
    frequencies = sum(np.count_nonzero(use.ran_s[0]) > 0 for use in uses)
    assert frequencies >= 5
    screen = {use.step.brightness: use.power_mw["VSYS_PWR_DISPLAY"] for use in uses if use.step.kind == "screen"}
    assert 0 < screen[10] < screen[130] < screen[255] and screen[0] < screen[10]


def test_a_wrong_profile_becomes_better_by_special_test_runs(tmp_path: Path) -> None:
    """All currents of cores are 30 % too high. The truth is the virtual phone's profile."""
    truth = power_model(catalog.load("google-pixel-6"), 3.85).cpu
    text = catalog.find("google-pixel-6").read_text()
    for cluster in truth.clusters:
        for milliamps in cluster.core_ma.tolist():
            text = text.replace(f"<value>{milliamps:g}</value>", f"<value>{milliamps * 1.3:.3f}</value>")
    (tmp_path / "wrong.xml").write_text(text)
    words = ["--device", "virtual", "--step", "1", "-o", str(tmp_path / "out.xml"), "--json", str(tmp_path / "report.json")]
    assert run(["power", "calibrate", str(tmp_path / "wrong.xml"), *words]) == ExitCode.OK
    found = power_model(read_power_profile(tmp_path / "out.xml"), 3.85).cpu
    for cluster, true in zip(found.clusters, truth.clusters, strict=True):
        assert np.median(np.abs(cluster.core_ma / true.core_ma - 1)) < 0.15
    document = json.loads((tmp_path / "report.json").read_text())
    assert document["errors"][0]["held_out"] < 0.1
    assert {each["component"] for each in document["components"]} == {"screen", "wifi", "bluetooth"}

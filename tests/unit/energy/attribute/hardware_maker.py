"""Runs with hooks, counters, states and rails, and a phone with round currents: 1 V, so 1000 mA are 1 W."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

import numpy as np
from attribution_maker import MODEL, POLICIES, manifest, nested, ns, thread
from support.run_tables import changed
from traces import METHODS, as_folded, random_run

from navitas.energy.analyze.notices import notices
from navitas.energy.analyze.profile import About, Profile
from navitas.energy.attribute.analysis_settings import AnalysisSettings
from navitas.energy.attribute.build import build_ledger
from navitas.energy.attribute.component import Component
from navitas.power.components.component_power import ComponentPower
from navitas.power.power_profile import PowerProfile
from navitas.recording.manifest import Run
from navitas.recording.parse.device_states import NO_UID, DeviceStates
from navitas.recording.parse.hook_calls import NO_NODE, HookCalls, HookKind
from navitas.recording.parse.io_counters import IoCounters, Medium
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.rail_readings import RailReadings
from navitas.recording.parse.tables import Method, MethodTable, RunTables

APP_UID, OTHER_UID = 10_001, 10_002
CURRENTS = {
    "screen.on": 100.0,
    "screen.full": 400.0,
    "ambient.on": 10.0,
    "wifi.on": 10.0,
    "wifi.controller.idle": 10.0,
    "wifi.controller.rx": 200.0,
    "wifi.controller.tx": 400.0,
    "wifi.scan": 100.0,
    "radio.active": 300.0,
    "radio.scanning": 50.0,
    "bluetooth.controller.idle": 5.0,
    "bluetooth.controller.rx": 50.0,
    "bluetooth.controller.tx": 80.0,
    "gps.on": 60.0,
    "camera.avg": 600.0,
    "camera.flashlight": 150.0,
    "audio": 40.0,
    "video": 70.0,
}
PHONE = replace(MODEL, components=ComponentPower.from_profile(PowerProfile("made", CURRENTS, {"radio.on": (20.0, 10.0)})))
RAILS = ("VSYS_PWR_DISPLAY", "VSYS_PWR_WLAN_BT", "VSYS_PWR_MODEM", "L9S_GNSS_CORE", "VSYS_PWR_CAM", "UFS_VCC", "S2S_VDD_G3D")
ABOUT = About(
    "made",
    device={"kind": "phone", "serial": "s", "model": "m"},
    settings={"granularity": "class"},
    power_profile={"name": "made", "source": "a test", "voltage_v": 1.0, "voltage_source": "option"},
    battery_mah=None,
    voltage_v=1.0,
    provenance={"navitas_version": "0"},
)

CALLER = thread(1, nested((100, 900, 0), (200, 300, 1)), [(0, 0), (1000, 100)])
"""m0 runs from 100 to 900 ms, and calls m1 from 200 to 300 ms."""
API_CALLER = thread(1, sorted([*nested((100, 900, 0), (200, 300, 1)), *nested((400, 500, 2))]), [(0, 0), (1000, 100)])
"""m0 also calls m2 from 400 to 500 ms; m1 and m2 are calls of an API."""
HookRow = tuple[int, float, float, int, HookKind, bool, int]


def hooks(rows: Iterable[HookRow], *, nodes: Sequence[int] | None = None) -> HookCalls:
    """Rows of (thread index, start ms, end ms, amount, kind, is stop, handle)."""
    found = sorted(rows, key=lambda row: row[1])
    thread, start, end, amount, kind, stop, handle = zip(*found, strict=True) if found else ((),) * 7
    return HookCalls(
        np.array(thread, np.int64),
        np.array([ns(t) for t in start], np.int64),
        np.array([ns(t) for t in end], np.int64),
        np.array(amount, np.int64),
        np.array(kind, np.uint8),
        np.array(stop, bool),
        np.array([NO_NODE] * len(found) if nodes is None else nodes, np.int32),
        np.array(handle, np.int64),
    )


CAMERA_ON = hooks([(0, 250, 250, 0, HookKind.CAMERA, False, 7), (0, 450, 450, 0, HookKind.CAMERA, True, 7)])
"""The first thread starts the camera at 250 ms and stops it at 450 ms."""


def counters(
    readings: Sequence[tuple[float, Sequence[int]]], medium: Medium = "network", *, device: bool = False, name: str = "counters"
) -> IoCounters:
    """Readings of (ms, received bytes, received packets, sent bytes, sent packets)."""
    return IoCounters(
        name,
        "device" if device else "app",
        medium,
        np.array([ns(t) for t, _ in readings], np.int64),
        np.array([row for _, row in readings], np.int64).reshape(len(readings), 4),
    )


def states(*rows: tuple[str, float, float] | tuple[str, float, float, int] | tuple[str, float, float, int, int]) -> DeviceStates:
    """Rows of (state, start ms, end ms, value = 1, uid = none)."""
    full = [(*row, *(1, NO_UID)[len(row) - 3 :]) for row in rows]
    names = tuple(dict.fromkeys(str(row[0]) for row in full))
    return DeviceStates(
        names,
        np.array([names.index(str(row[0])) for row in full], np.int32),
        np.array([row[3] for row in full], np.int64),
        np.array([ns(float(row[1])) for row in full], np.int64),
        np.array([ns(float(row[2])) for row in full], np.int64),
        np.array([row[4] for row in full], np.int64),
        APP_UID,
    )


def rails(readings: Sequence[tuple[float, Sequence[float]]], names: Sequence[str]) -> RailReadings:
    """Readings of (ms, joules of each rail)."""
    times = np.array([ns(t) for t, _ in readings], np.int64)
    return RailReadings(tuple(names), times, np.array([row for _, row in readings], np.float64))


def profile_of(
    *runs: RunTables,
    components: Sequence[Component] | None = None,
    use_rails: bool = True,
    api_kinds: Sequence[int] = (),
    alternative: str | None = None,
) -> Profile:
    """The profile of runs with three tests each. `api_kinds[i]` is the kind of method i."""
    kinds = [*api_kinds, *[0] * METHODS][:METHODS]
    methods = tuple(
        Method(i, ":", "a.C", f"m{i}", "()V", i, "api" if kind else "main", False, "C.java", kind) for i, kind in enumerate(kinds)
    )
    numbered = tuple(replace(run, run_id=number) for number, run in enumerate(runs))
    made = manifest(max((len(run.app.windows) for run in runs), default=0), policies=POLICIES)
    tests = [test.model_copy(update={"run": number}) for number in range(len(runs)) for test in made.tests]
    fields = {"module": ":", "package": "a", "map_id": "0", "exit": "complete", "baseline": False}
    described = [Run.model_validate({"id": number, "repeat": 0, **fields}) for number in range(len(runs))]
    made = made.model_copy(update={"tests": tests, "runs": described})
    parsed = ParsedRecording(MethodTable(methods, {}), numbered, (), ())
    settings = AnalysisSettings(alternative, "rails" if use_rails else "model", call_steps=True)
    profile = Profile(build_ledger(parsed, made, PHONE, settings, components=components), ABOUT)
    profile.warnings += notices(profile)
    return profile


def random_hardware_run(random: Random) -> RunTables:
    """A random run, in which everything happens that can go wrong.

    Counters reset and wrap, states overlap and have no length, devices are never stopped or stopped twice, hooks have no path
    or lie outside of the run, rails jump.
    """
    run = random_run(random, cut=random.random() < 0.3)
    if random.random() < 0.4:
        run = replace(run, threads=tuple(map(as_folded, run.threads)))
    end_ms = (run.end_ns - run.start_ns) / 1e6

    def moment() -> float:
        return random.choice([random.uniform(-10, end_ms + 10), 0.0, end_ms, float(round(random.uniform(0, end_ms)))])

    def span() -> tuple[float, float]:
        begin = moment()
        return begin, begin + random.choice([0.0, 0.0005, random.uniform(0, end_ms / 2)])

    rows: list[HookRow] = []
    for _ in range(random.randint(0, 40)):
        kind = random.choice(list(HookKind))
        amount = random.choice([0, 1, random.randint(0, 1 << 20), -5])
        rows.append((random.randrange(len(run.threads)), *span(), amount, kind, random.random() < 0.4, random.randint(1, 3)))
    nodes = [random.choice([NO_NODE, NO_NODE, 0, 1, 2, 50]) for _ in rows]
    known = random.random()
    return changed(
        run,
        hooks=hooks(rows, nodes=nodes) if known < 0.8 else None,
        io_counters=tuple(_random_counters(random, end_ms, number) for number in range(random.randint(0, 4))),
        states=_random_states(random, span) if random.random() < 0.7 else None,
        rails=_random_rails(random, end_ms) if random.random() < 0.6 else None,
    )


def _random_counters(random: Random, end_ms: float, number: int) -> IoCounters:
    value = [random.choice([0, (1 << 32) - random.randint(1, 1 << 20)]) for _ in range(4)]
    readings = []
    t = random.uniform(-20, end_ms / 2)
    while t < end_ms + 20:
        readings.append((t, tuple(value)))
        value = [(each + random.choice([0, 100, 1 << 18])) % (1 << 32) for each in value]
        if random.random() < 0.1:
            value = [random.randint(0, 1000) for _ in value]
        t += random.choice([0.0, 1.0, 20.0, end_ms])
        if len(readings) > 60:
            break
    medium = random.choice(("network", "wifi", "mobile", "storage"))
    return counters(readings, medium, device=random.random() < 0.5, name=f"counters {number}")


def _random_states(random: Random, span: object) -> DeviceStates:
    names = ("screen", "screen_doze", "brightness", "top", "wifi", "mobile_radio", "wifi_scan", "gnss", "gnss_quality", "camera")
    names += ("audio", "video", "bluetooth_scan", "wake_lock", "newer")
    rows = [
        (random.choice(names), *span(), random.randint(0, 5), random.choice([NO_UID, APP_UID, OTHER_UID, OTHER_UID + 1]))  # type: ignore[operator]
        for _ in range(random.randint(0, 30))
    ]
    return states(*rows)


def _random_rails(random: Random, end_ms: float) -> RailReadings:
    names = random.sample(RAILS, random.randint(1, len(RAILS)))
    value = [random.uniform(0, 100) for _ in names]
    readings, t = [], random.uniform(-20, 50)
    while t < end_ms + 20:
        readings.append((t, tuple(value)))
        value = [each + random.choice([0.0, 0.001, 0.5, 50.0]) for each in value]
        t += random.choice([0.0, 10.0, 50.0])
        if len(readings) > 60:
            break
    return rails(readings, names)

"""The currents that reports use are those with which Android's own tests of its power models expect a device's charge."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from aosp_profiles import model_of
from support.field_data import FIELD_DATA, needs_field_data

from navitas.power.components.component_power import ControllerPower
from navitas.power.components.screen_power import brightness_bin
from navitas.power.model import PowerModel

FILE = FIELD_DATA / "aosp-power/cases.json"
_MA_MS_MAH = 1 / 3_600_000
Case = dict[str, Any]


def screen(model: PowerModel, inputs: Case) -> float:
    (display,) = inputs["displays"]
    (begin, end), changes = display["on_interval_ms"], display["brightness_level_changes"]
    edges = [max(begin, t) for t, _ in changes] + [end]
    bins = brightness_bin(np.array([level for _, level in changes]))
    return float(np.diff(edges) @ model.components.screen.current_ma(0)[bins])


def ambient(model: PowerModel, inputs: Case) -> float:
    displays = zip(model.components.screen.displays, inputs["displays"], strict=True)
    return sum(display.ambient_ma * given["doze_ms"] for display, given in displays)


def _controller(controller: ControllerPower, intervals: Iterable[Case]) -> float:
    return sum(
        controller.rx_ma * one["controller_rx_ms"]
        + controller.tx_ma * one["controller_tx_ms"]
        + controller.idle_ma * one["controller_idle_ms"]
        for one in intervals
    )


def wifi(model: PowerModel, inputs: Case) -> float:
    return _controller(model.components.wifi.controller, inputs["intervals"])


def wifi_with_scans(model: PowerModel, inputs: Case) -> float:
    power = model.components.wifi
    return _controller(power.controller, [inputs]) + power.scan_ma * inputs["controller_scan_ms"]


def bluetooth(model: PowerModel, inputs: Case) -> float:
    return _controller(model.components.bluetooth.controller, inputs.get("intervals", [inputs]))


def modem(model: PowerModel, inputs: Case) -> float:
    power, (report,) = model.components.modem, inputs["activity"]
    active = power.receive_ma[0, 0] * report["rx_ms"] + power.transmit_ma[0, 0] @ report["tx_ms"]
    return float(active) + power.sleep_ma * inputs["sleep_ms"] + power.idle_ma * inputs["idle_ms"]


def call(model: PowerModel, inputs: Case) -> float:
    return model.components.modem.active_ma * inputs["call_ms"]


def _on_ms(inputs: Case) -> float:
    return sum(end - begin for spans in inputs["uid_on_intervals_ms"].values() for begin, end in spans)


def gnss_by_quality(model: PowerModel, inputs: Case) -> float:
    """No two uids of the case are on at the same time."""
    gnss, changes = model.components.gnss, [*inputs["signal_quality"], [inputs["window_ms"][1], None]]
    total = 0.0
    for (begin, quality), (end, _) in pairwise(changes):
        clipped = [np.clip(span, begin, end) for spans in inputs["uid_on_intervals_ms"].values() for span in spans]
        current_ma = gnss.unknown_quality_ma if quality is None else gnss.quality_ma[quality]
        total += current_ma * sum(float(b - a) for a, b in clipped)
    return total


def idle(model: PowerModel, inputs: Case) -> float:
    return model.cpu.suspend_ma * inputs["realtime_ms"] + model.cpu.idle_ma * inputs["uptime_ms"]


def cpu(model: PowerModel, inputs: Case) -> float:
    clusters = model.cpu.clusters
    steps = np.concatenate([cluster.core_ma for cluster in clusters])
    shared = np.array([cluster.cluster_ma for cluster in clusters])
    uids = inputs["uids"].values()
    return sum(model.cpu.active_ma * u["active_ms"] + float(shared @ u["cluster_ms"] + steps @ u["step_ms"]) for u in uids)


CHARGES: dict[str, Callable[[PowerModel, Case], float]] = {
    "screen_calc_profile": screen,
    "ambient_calc_profile": ambient,
    "wifi_calc_controller": wifi,
    "wifi_proc_controller": wifi_with_scans,
    "bt_calc_timer": bluetooth,
    "bt_proc_transfer": bluetooth,
    "modem_calc_counter": modem,
    "modem_calc_counter_legacy": modem,
    "modem_proc_profile": modem,
    "phone_proc_profile": call,
    "gnss_calc_timer": lambda model, inputs: model.components.gnss.unknown_quality_ma * _on_ms(inputs),
    "gnss_proc_profile": gnss_by_quality,
    "gnss_proc_initially_on": gnss_by_quality,
    "camera_calc_timer": lambda model, inputs: model.components.camera.current_ma * _on_ms(inputs),
    "flashlight_calc": lambda model, inputs: model.components.flashlight.current_ma * _on_ms(inputs),
    "audio_calc": lambda model, inputs: model.components.audio.current_ma * _on_ms(inputs),
    "video_calc": lambda model, inputs: model.components.video.current_ma * _on_ms(inputs),
    "idle_calc": idle,
    "cpu_calc_timer": cpu,
}


def _device_mah(expected: Sequence[Case]) -> float:
    """The device's charge in all its states; that of the uids where the case has no other."""
    whole = [one["mah"] for one in expected if one["who"] == "device" and not one.get("state")]
    states = [one["mah"] for one in expected if one["who"] in ("device", "phone") and one.get("state")]
    return float(whole[0] if whole else sum(states) if states else sum(one["mah"] for one in expected if one["who"] == "uid"))


@needs_field_data
@pytest.mark.parametrize("name", CHARGES)
def test_android_expects_the_same(name: str) -> None:
    (case,) = (case for case in json.loads(FILE.read_text())["cases"] if case["id"] == name)
    charge_mah = CHARGES[name](model_of(case["power_profile"]), case["inputs"]) * _MA_MS_MAH
    assert charge_mah == pytest.approx(_device_mah(case["expected"]), rel=0, abs=max(2e-5, case["expected"][0]["tolerance"]))

"""The power models compute the figures that Android's own tests of its power models expect."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from aosp_profiles import model_of
from aosp_usage import UC_C, DeviceStates, Found, UserRows, figure, ns, rows_of
from support.field_data import FIELD_DATA, needs_field_data

from navitas.power.components.allocation import Allocation, proportional, sum_by_interval, whole_milliseconds
from navitas.power.components.charge import F64, I64
from navitas.power.components.component_power import ComponentPower
from navitas.power.components.controller_power import ControllerTimes, RadioUse
from navitas.power.components.cpu_charge import (
    AOSP_CLUSTER_WEIGHT,
    ClusterUse,
    cpu_times_c,
    share_brackets,
    share_cluster_rails,
    state_steps_c,
)
from navitas.power.components.modem_currents import NrFrequency, Technology
from navitas.power.components.modem_power import (
    ModemActivity,
    allocate_by_active_time,
    allocate_by_direction,
    allocate_by_packets,
    split_off_calls,
    transmit_share,
)
from navitas.power.components.on_off_power import OnOffPower
from navitas.power.components.screen_power import brightness_bin
from navitas.power.components.sensor_power import SensorPower
from navitas.power.components.state_times import StateTimeline, merged
from navitas.power.model import PowerModel

FILE = FIELD_DATA / "aosp-power/cases.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text())["cases"] if FILE.is_file() else []
Results = Iterator[Found]
Case = dict[str, Any]


def first_interval(rows: int) -> I64:
    return np.zeros(rows, np.int64)


def columns(items: Sequence[Case], *names: str) -> list[F64]:
    """Named times of dictionaries, as columns of ns; 0 where one has none."""
    return [ns([item.get(name, 0) for item in items]).astype(np.float64) for name in names]


def rail_of(items: Sequence[Case]) -> F64 | None:
    """The rail's charge of each interval; None without a rail."""
    return np.array([item["energy_uc"] for item in items]) * UC_C if "energy_uc" in items[0] else None


def state_rail(case: Case, states: DeviceStates) -> F64 | None:
    """The rail's charge over the case, spread over device states; None without a rail."""
    return None if case["measured_energy_uc"] is None else states.spread(case["measured_energy_uc"] * UC_C)


def with_rail(found: Allocation, rail_c: F64 | None) -> Allocation:
    return found if rail_c is None else found.scaled_to_rail(rail_c)


def screen_calculator(case: Case, model: PowerModel) -> Results:
    screen, inputs = model.components.screen, case["inputs"]
    if "displays" in inputs:
        (display,) = inputs["displays"]
        begin, end = ns(display["on_interval_ms"])[:, None]
        starts, levels = np.array(display["brightness_level_changes"]).T
        bins = StateTimeline(ns(starts), brightness_bin(levels), 5).time_ns(begin, end)
        device_c = screen.on_c((end - begin)[:, None], bins[:, None, :])
        top = [inputs["uid_top_ms"]]
    else:
        updates = inputs["energy_updates"]
        device_c = _counted(case, model, "on")
        top = [update["uid_top_ms"] for update in updates]
    rows = rows_of([{uid: {"top": ms} for uid, ms in one.items()} for one in top])
    found = screen.allocate(device_c, ns(rows.columns["top"]), rows.interval)
    yield Found("device", found.device_c.sum())
    yield from rows.results(found.user_c, ns(rows.columns["top"]))


def ambient_calculator(case: Case, model: PowerModel) -> Results:
    if "displays" in case["inputs"]:
        doze_ns = ns([[display["doze_ms"] for display in case["inputs"]["displays"]]])
        yield Found("device", model.components.screen.ambient_c(doze_ns).sum())
    else:
        yield Found("device", _counted(case, model, "doze").sum())


def _counted(case: Case, model: PowerModel, state: str) -> F64:
    updates = case["inputs"]["energy_updates"]
    rail_c = np.array([update["display_energy_uc"] for update in updates]) * UC_C
    return model.components.screen.counted_c(rail_c, np.array([update["display_state_until_now"] for update in updates]) == state)


def screen_processor(case: Case, model: PowerModel) -> Results:
    screen, inputs = model.components.screen, case["inputs"]
    states = DeviceStates(inputs)
    on_ns, bin_ns, doze_ns = (
        ns([[display[name] for display in inputs["displays"]]]) for name in ("on_ms", "brightness_bin_ms", "doze_ms")
    )
    is_on = [state["screen"] == "on" for state in states.names]
    on_c, doze_c = screen.by_state(screen.on_c(on_ns, bin_ns)[0], screen.ambient_c(doze_ns)[0], states.time_ns, is_on)
    yield from states.device_results(on_c)
    yield from states.device_results(doze_c, "device_doze")
    rows = states.user_rows({uid: {"top": ms} for uid, ms in inputs.get("uid_top_ms", {}).items()})
    if rows.uid:
        yield from rows.results(screen.allocate(on_c, rows.columns["top"], rows.interval).user_c)


def controller_calculator(case: Case, model: PowerModel) -> Results:
    """Wi-Fi by packets and Bluetooth by bytes, in Android's whole milliseconds."""
    power, inputs = model.components, case["inputs"]
    intervals = inputs["intervals"]
    controller = power.wifi.controller if case["component"] == "wifi" else power.bluetooth.controller
    traffic = "uid_packets" if case["component"] == "wifi" else "uid_bytes"
    times = ControllerTimes(*columns(intervals, "controller_rx_ms", "controller_tx_ms", "controller_idle_ms"))
    rows = rows_of(
        [
            {uid: one | {"scan": each.get("uid_scan_ms", {}).get(uid, 0)} for uid, one in each[traffic].items()}
            for each in intervals
        ]
    )
    use = RadioUse(rows.interval, rows.columns["rx"], rows.columns["tx"], ns(rows.columns["scan"]))
    found = controller.allocate_scan_first(times, use, whole_milliseconds)
    uses_rail = not inputs.get("ignore_controller_energy")
    charge = with_rail(found.charge, rail_of(intervals) if uses_rail else None)
    if "controller_energy_uj" in inputs and uses_rail:
        yield Found("device", power.bluetooth.reported_device_c(charge.user_c, inputs["controller_energy_uj"] / 1e6))
    else:
        yield Found("device", charge.device_c.sum())
    yield from _by_process_state(rows, intervals, charge.user_c, found.rx_ns + found.tx_ns)


def _by_process_state(rows: UserRows, intervals: Sequence[Case], charge_c: F64, duration_ns: F64 | None = None) -> Results:
    """Rows of uids, each split over the process states that the uid had in the interval, where the case has them."""
    for row, uid in enumerate(rows.uid):
        shares = intervals[rows.interval[row]].get("uid_process_state_share", {}).get(uid, {"": 1.0})
        weight = np.array(list(shares.values()))
        split = [
            proportional(whole[row : row + 1], weight, first_interval(len(shares)))
            for whole in (charge_c, charge_c if duration_ns is None else duration_ns)
        ]
        for number, name in enumerate(shares):
            duration = None if duration_ns is None else float(split[1][number])
            yield Found("uid", split[0][number], uid, {"process": name} if name else {}, duration_ns=duration)


def wifi_timer_calculator(case: Case, model: PowerModel) -> Results:
    rows = rows_of([case["inputs"]["uids"]])
    column = rows.columns
    use = RadioUse(rows.interval, column["rx_packets"], column["tx_packets"], ns(column["scan_ms"]))
    yield from rows.results(model.components.wifi.packets_and_times_c(use, ns(column["running_ms"])))


def wifi_processor(case: Case, model: PowerModel) -> Results:
    states, inputs = DeviceStates(case["inputs"]), case["inputs"]
    rows = states.user_rows(inputs["uids"])
    column = rows.columns
    use = RadioUse(
        rows.interval, column["rx_packets"], column["tx_packets"], ns(column["scan_ms"]), ns(column["batched_scan_ms"])
    )
    if "wifi_active_ms" in inputs:
        found = model.components.wifi.allocate_active_time(states.spread(ns(inputs["wifi_active_ms"])), use)
    else:
        times = [states.spread(ns(inputs[f"controller_{name}_ms"])) for name in ("rx", "tx", "idle", "scan")]
        found = model.components.wifi.allocate(ControllerTimes(*times), use)
    found = with_rail(found, state_rail(case, states))
    yield from states.device_results(found.device_c)
    yield from rows.results(found.user_c)


def bluetooth_processor(case: Case, model: PowerModel) -> Results:
    states, inputs = DeviceStates(case["inputs"]), case["inputs"]
    rows = states.user_rows(inputs["uids"])
    use = RadioUse(rows.interval, rows.columns["rx_bytes"], rows.columns["tx_bytes"], ns(rows.columns["scan_ms"]))
    times = ControllerTimes(*(states.spread(ns(inputs[f"controller_{name}_ms"])) for name in ("rx", "tx", "idle")))
    found = with_rail(model.components.bluetooth.allocate(times, use), state_rail(case, states))
    yield from states.device_results(found.device_c)
    yield from rows.results(found.user_c)


def _activity(inputs: Case, spread: Callable[[float], F64] = lambda amount: np.array([amount])) -> ModemActivity:
    """The activity report: its rows once for each interval that `spread` divides amounts over."""
    intervals = len(spread(0.0))
    rows = [(number, one) for one in inputs["activity"] for number in range(intervals)]
    return ModemActivity(
        np.array([number for number, _ in rows]),
        np.array([Technology[one["rat"]] if one["rat"] in ("LTE", "NR") else 0 for _, one in rows]),
        np.array([NrFrequency[one.get("nr_frequency", "DEFAULT")] for _, one in rows]),
        np.array([spread(ns(one["rx_ms"]))[number] for number, one in rows]),
        np.array([[spread(ns(level))[number] for level in one["tx_ms"]] for number, one in rows]),
    )


def modem_counter_calculator(case: Case, model: PowerModel) -> Results:
    inputs, modem = case["inputs"], model.components.modem
    charge = modem.report_c(_activity(inputs), *columns([inputs], "sleep_ms", "idle_ms"))
    rows = rows_of([inputs["uids"]])
    use = RadioUse(rows.interval, rows.columns["rx_packets"], rows.columns["tx_packets"], np.zeros(len(rows.uid)))
    found = allocate_by_packets(charge, use)
    yield Found("device", found.device_c.sum())
    yield from rows.results(found.user_c)


def modem_active_time_calculator(case: Case, model: PowerModel) -> Results:
    modem, intervals = model.components.modem, case["inputs"]["intervals"]
    active_ns, scanning_ns, call_ns = columns(intervals, "radio_active_ms", "scanning_ms", "call_ms")
    signal_ns = ns([[one.get("signal_level_ms", {}).get(str(level), 0) for level in range(5)] for one in intervals])
    rows = rows_of([{uid: {"active": ms} for uid, ms in one["uid_radio_active_ms"].items()} for one in intervals])
    uid_ns = ns(rows.columns.get("active", np.zeros(0)))
    found = allocate_by_active_time(
        modem.active_time_c(active_ns), modem.inactive_c(scanning_ns, signal_ns), uid_ns, rows.interval
    )
    rail_c = rail_of(intervals)
    if rail_c is not None:
        phone_c, rest_c = split_off_calls(rail_c, call_ns, active_ns)
        yield Found("phone", phone_c.sum())
        found = found.scaled_to_rail(rest_c)
    yield Found("device", found.device_c.sum())
    yield from _by_process_state(rows, intervals, found.user_c)


def modem_rx_tx_energy_calculator(case: Case, model: PowerModel) -> Results:
    inputs, activity = case["inputs"], _activity(case["inputs"])
    charge = model.components.modem.report_c(activity, *columns([inputs], "sleep_ms", "idle_ms"))
    rows = rows_of([inputs["uids"]])
    use = RadioUse(rows.interval, rows.columns["rx_packets"], rows.columns["tx_packets"], np.zeros(len(rows.uid)))
    rail_c = np.array([case["measured_energy_uc"] * UC_C])
    phone_c, rest_c = split_off_calls(rail_c, *columns([inputs], "call_ms", "radio_active_ms"))
    found = allocate_by_direction(charge, use, transmit_share(activity, 1)).scaled_to_rail(rest_c)
    yield Found("phone", phone_c.sum())
    yield Found("device", found.device_c.sum())
    yield from rows.results(found.user_c)


def modem_processor(case: Case, model: PowerModel) -> Results:
    states, inputs, modem = DeviceStates(case["inputs"]), case["inputs"], model.components.modem
    sleep, idle, scanning = (states.spread(ns(inputs.get(f"{name}_ms", 0))) for name in ("sleep", "idle", "scanning"))
    charge = modem.report_c(_activity(inputs, states.spread), sleep, idle, scanning)
    yield from states.device_results(modem.active_time_c(states.spread(ns(inputs["call_ms"]))), "phone")
    rows = states.user_rows(inputs.get("uids", {}))
    if rows.uid:
        use = RadioUse(rows.interval, rows.columns["rx_packets"], rows.columns["tx_packets"], np.zeros(len(rows.uid)))
        yield from rows.results(allocate_by_direction(charge, use).user_c)
    yield from states.device_results(charge.device_c)


def _on_off(components: ComponentPower, name: str) -> OnOffPower:
    return {
        "camera": components.camera,
        "flashlight": components.flashlight,
        "audio": components.audio,
        "video": components.video,
    }[name]


def timer_calculator(case: Case, model: PowerModel) -> Results:
    name, components = case["component"], model.components
    charge_c = components.gnss.charge_c if name == "gnss" else _on_off(components, name).charge_c
    on = {uid: ns(intervals) for uid, intervals in case["inputs"]["uid_on_intervals_ms"].items()}
    on_ns = np.array([(intervals[:, 1] - intervals[:, 0]).sum() for intervals in on.values()])
    yield Found("device", charge_c(sum_by_interval(on_ns, first_interval(len(on_ns)), 1))[0], duration_ns=on_ns.sum())
    for uid, charge, duration in zip(on, charge_c(on_ns), on_ns, strict=True):
        yield Found("uid", charge, uid, duration_ns=duration)


def binary_processor(case: Case, model: PowerModel) -> Results:
    name, inputs, states = case["component"], case["inputs"], DeviceStates(case["inputs"])
    on = np.concatenate([ns(intervals) for intervals in inputs["uid_on_intervals_ms"].values()])
    begin, end = merged(*on.T)
    rows = states.user_on_rows(inputs["uid_on_intervals_ms"])
    on_ns = states.during(begin, end).sum(axis=0)
    if name == "gnss":
        gnss = model.components.gnss
        starts, quality = zip(*inputs["signal_quality"], strict=True)
        qualities = StateTimeline(ns(starts), np.array([0 if one is None else one + 1 for one in quality]), 3)
        times = states.with_states_of(qualities).time_ns(begin, end).sum(axis=0).reshape(-1, 3)
        found = gnss.allocate(gnss.quality_c(times[:, 0], times[:, 1:]), rows.columns["on_ns"], rows.interval)
    else:
        rail_c = _update_rail(inputs, states, begin, end) if "energy_updates" in inputs else None
        found = _on_off(model.components, name).allocate(on_ns, rows.columns["on_ns"], rows.interval, rail_c)
    yield from states.device_results(found.device_c)
    yield from rows.results(found.user_c)


def _update_rail(inputs: Case, states: DeviceStates, begin: I64, end: I64) -> F64:
    """A rail's charge in each device state: that of each update by the on-time of states in its span."""
    ends = ns([update["t_ms"] for update in inputs["energy_updates"]])
    starts = np.concatenate([[0], ends[:-1]])
    on_ns = np.array(
        [states.during(np.clip(begin, a, b), np.clip(end, a, b)).sum(axis=0) for a, b in zip(starts, ends, strict=True)]
    )
    updates, count = on_ns.shape
    rail_c = np.array([update["energy_uc"] for update in inputs["energy_updates"]]) * UC_C
    charge_c = proportional(rail_c, on_ns.ravel(), np.repeat(np.arange(updates), count))
    return sum_by_interval(charge_c, np.tile(np.arange(count), updates), count)


def sensor_calculator(case: Case, model: PowerModel) -> Results:
    names = list(case["power_profile"])
    sensors = SensorPower(np.array([case["power_profile"][name] for name in names], np.float64))
    rows = [(uid, sensor, ms) for uid, one in case["inputs"]["uid_sensor_on_ms"].items() for sensor, ms in one.items()]
    index = np.array([names.index(f"sensor:{sensor}") for _, sensor, _ in rows])
    on_ns = ns([ms for *_, ms in rows])
    charge_c = sensors.charge_c(index, on_ns)
    yield Found("device", charge_c.sum())
    for (uid, *_), charge, duration in zip(rows, charge_c, on_ns, strict=True):
        yield Found("uid", charge, uid, duration_ns=duration)


def idle_calculator(case: Case, model: PowerModel) -> Results:
    yield Found("device", model.components.idle.charge_c(*columns([case["inputs"]], "realtime_ms", "uptime_ms")).sum())


def wakelock_calculator(case: Case, model: PowerModel) -> Results:
    inputs = case["inputs"]
    held_ns = ns(list(inputs["uid_partial_wakelock_ms"].values()))
    found = model.components.idle.with_wakelocks(
        *columns([inputs], "realtime_ms", "uptime_ms", "screen_on_ms"), held_ns, first_interval(len(held_ns))
    )
    for uid, charge in zip(inputs["uid_partial_wakelock_ms"], found.holder_c, strict=True):
        yield Found("uid", charge, uid)
        yield Found("apps", charge)
    yield Found("uid", found.system_c[0], "0")
    yield Found("device", found.moved_c[0])


def memory_calculator(case: Case, model: PowerModel) -> Results:
    buckets = case["inputs"]["bucket_ms"]
    bucket_ns = ns([[buckets.get(str(number), 0) for number in range(len(case["power_profile"]["memory.bandwidths"]))]])
    yield Found("device", model.components.memory.charge_c(bucket_ns)[0])


def cpu_calculator(case: Case, model: PowerModel) -> Results:
    uids = case["inputs"]["uids"]
    active, cluster, step = (ns([one[name] for one in uids.values()]) for name in ("active_ms", "cluster_ms", "step_ms"))
    charge_c = cpu_times_c(model.cpu, active, cluster, step)
    yield Found("device", charge_c.sum())
    for uid, charge in zip(uids, charge_c, strict=True):
        yield Found("uid", charge, uid)


def cpu_energy_calculator(case: Case, model: PowerModel) -> Results:
    intervals = case["inputs"]["intervals"]
    rail_c = np.array([one["cluster_energy_uc"] for one in intervals]) * UC_C
    step_ns = ns([[ms for cluster in one["cluster_step_ms"] for ms in cluster] for one in intervals])
    rows = [(number, uid, user) for number, one in enumerate(intervals) for uid, user in one["uids"].items()]
    use = ClusterUse(
        np.array([number for number, *_ in rows]),
        np.array([user["user_system_us"] * 1000 for *_, user in rows]),
        ns([user["cluster_ms"] for *_, user in rows]),
    )
    yield Found("device", rail_c.sum())
    for (_, uid, _), charge in zip(rows, share_cluster_rails(model.cpu, rail_c, step_ns, use, AOSP_CLUSTER_WEIGHT), strict=True):
        yield Found("uid", charge, uid)


def cpu_processor(case: Case, model: PowerModel) -> Results:
    states, users = case["inputs"]["device_states"], case["inputs"]["uids"]
    step_ns, cluster_ns, uptime_ns = (ns([one[name] for one in states]) for name in ("step_ms", "cluster_ms", "uptime_ms"))
    state_c = state_steps_c(model.cpu, step_ns, cluster_ns, uptime_ns)
    for one, charge in zip(states, state_c.sum(axis=1), strict=True):
        yield Found("device", charge, state=one["state"])
    device_states = [one["state"] for one in states]
    index = np.array([device_states.index({k: v for k, v in user["state"].items() if k != "process"}) for user in users])
    bracket_ns = ns([user["bracket_ms"] for user in users])
    charge_c = share_brackets(state_c, step_ns, np.array(case["inputs"]["step_bracket"]), bracket_ns, index)
    for user, charge in zip(users, charge_c, strict=True):
        yield Found("uid", charge, user["uid"], user["state"])


def custom_calculator(case: Case, model: PowerModel) -> Results:
    for name, rail in case["inputs"]["rails"].items():
        users = np.array(list(rail["uid_energy_uc"].values())) * UC_C
        found = Allocation(np.array([rail["energy_uc"] * UC_C]), users, first_interval(len(users)))
        yield Found("device", found.device_c[0], rail=name)
        yield Found("apps", found.device_c[0], rail=name)  # Android's test reads it from the device
        for uid, charge in zip(rail["uid_energy_uc"], found.user_c, strict=True):
            yield Found("uid", charge, uid, rail=name)


RULES: dict[str, Callable[[Case, PowerModel], Results]] = {
    "screen_calculator": screen_calculator,
    "ambient_calculator": ambient_calculator,
    "screen_processor": screen_processor,
    "wifi_controller_calculator": controller_calculator,
    "wifi_timer_calculator": wifi_timer_calculator,
    "wifi_processor": wifi_processor,
    "bluetooth_calculator": controller_calculator,
    "bluetooth_processor": bluetooth_processor,
    "modem_counter_calculator": modem_counter_calculator,
    "modem_active_time_calculator": modem_active_time_calculator,
    "modem_rx_tx_energy_calculator": modem_rx_tx_energy_calculator,
    "modem_processor": modem_processor,
    "timer_calculator": timer_calculator,
    "binary_processor": binary_processor,
    "sensor_calculator": sensor_calculator,
    "idle_calculator": idle_calculator,
    "wakelock_calculator": wakelock_calculator,
    "memory_calculator": memory_calculator,
    "cpu_calculator": cpu_calculator,
    "cpu_energy_calculator": cpu_energy_calculator,
    "cpu_processor": cpu_processor,
    "custom_calculator": custom_calculator,
}


@needs_field_data
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_android_expects_the_same(case: Case) -> None:
    found = list(RULES[case["rule"]](case, model_of(case["power_profile"])))
    for wanted in case["expected"]:
        mah, duration_ms = figure(found, wanted)
        assert mah == pytest.approx(wanted["mah"], rel=0, abs=max(1e-6, wanted["tolerance"])), wanted
        if duration_ms is not None and wanted["duration_ms"] is not None:
            assert duration_ms == wanted["duration_ms"], wanted


@needs_field_data
def test_all_cases_are_present() -> None:
    assert len(CASES) == 44
    assert {case["rule"] for case in CASES} == RULES.keys()

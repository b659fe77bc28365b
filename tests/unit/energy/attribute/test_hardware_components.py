"""What components other than the CPU cost, and who pays: small runs with round currents, at 1 V."""

from __future__ import annotations

from dataclasses import replace

import hardware_maker
import numpy as np
import pytest
from attribution_maker import folded, ns, run, thread
from hardware_maker import API_CALLER as CALLER
from hardware_maker import APP_UID, OTHER_UID, counters, hooks, profile_of, rails, states
from hypothesis import given
from hypothesis import strategies as st
from support.run_tables import changed

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.hardware.on_off import NO_APP_UID, users_of
from navitas.energy.attribute.hardware.radio_link import RadioLink, air_spans
from navitas.energy.attribute.hardware.traffic import NO_CALLS, SHARED_BY_TIME, Traffic
from navitas.energy.attribute.ledger import NO_TEST, Transfers
from navitas.energy.attribute.scaling import NO_USE
from navitas.power.components.component_power import ComponentPower
from navitas.power.power_profile import PowerProfile
from navitas.recording.parse.device_states import NO_UID, RadioTimes
from navitas.recording.parse.hook_calls import NO_NODE, HookCalls, HookKind
from navitas.recording.parse.tables import RunTables

K = HookKind
IDLE = thread(2, samples=[(0, 0), (1000, 10)])


def used(*runs: RunTables, **more: object) -> Profile:
    made = profile_of(*runs, **more)  # type: ignore[arg-type]
    assert check(made) == []
    return made


def joules(made: Profile, component: str) -> dict[str, float]:
    """The joules of a component by owner: the method `m0` …, `thread` outside of methods, or the kind of the owner."""
    ledger = made.ledger
    if component not in ledger.components:
        return {}
    energy, found = ledger.energy, {}
    for row in np.flatnonzero(energy.component == ledger.components.index(component)).tolist():
        kind = OwnerKind(ledger.owners.kind[energy.owner[row]])
        method = int(ledger.paths.method[energy.path[row]])
        name = kind.name.lower() if kind != OwnerKind.THREAD else f"m{method}" if method >= 0 else "thread"
        found[name] = found.get(name, 0.0) + float(energy.exclusive_j[row])
    return {name: pytest.approx(value, rel=1e-9) for name, value in found.items() if abs(value) > 1e-12}


def reasons(made: Profile, component: str) -> list[str]:
    return [str(reason) for one in made.evidence if one.component == component for reason in one.reasons]


def level(made: Profile, component: str) -> str:
    return next(one.level for one in made.evidence if one.component == component)


def lit(*rows: tuple[float, K, bool], amount: int = 0, **more: object) -> RunTables:
    """A run in which the caller starts and stops devices at these times."""
    found = hooks([(0, t, t, amount, kind, stop, 7) for t, kind, stop in rows])
    return changed(run([CALLER, IDLE]), hooks=found, **more)


# Devices that are started and stopped


def test_a_device_belongs_to_the_call_that_started_it_until_it_is_stopped() -> None:
    made = used(lit((250, K.CAMERA, False), (450, K.CAMERA, True)))
    assert joules(made, "camera") == {"m1": 0.6 * 0.2}
    assert level(made, "camera") == "hooks" and reasons(made, "camera") == []


def test_energy_after_a_test_belongs_to_the_test_with_the_starting_call() -> None:
    tables = changed(
        lit((250, K.CAMERA, False), (950, K.CAMERA, True)), windows=run([CALLER], [(0, 300), (300, 1000)]).app.windows
    )
    made = used(tables)
    camera = made.ledger.components.index("camera")
    assert [test.components[camera] for test in made.tests] == [pytest.approx(0.6 * 0.7), 0.0]
    # It flows when the camera is on.
    steps = made.timeline("camera", run=0, step_ns=100_000_000)
    assert steps.energy_j.tolist() == pytest.approx([0, 0, 0.03, 0.06, 0.06, 0.06, 0.06, 0.06, 0.06, 0.03])
    own = made.timeline("camera", run=0, step_ns=100_000_000, thread="thread-1")
    assert own.energy_j.tolist() == pytest.approx([0, 0, 0.42, 0, 0, 0, 0, 0, 0, 0])


def test_a_device_left_on_is_named_with_the_method_its_file_and_line() -> None:
    made = used(lit((250, K.GNSS, False)), api_kinds=[0, K.GNSS])
    assert joules(made, "gnss") == {"m1": 0.06 * 0.75}
    assert reasons(made, "gnss") == ["gnss: started in a.C.m0 (C.java), and not stopped before the end of the run"]


def test_stops_without_a_start_are_counted() -> None:
    made = used(
        lit((100, K.AUDIO, True), (300, K.AUDIO, False), (500, K.AUDIO, False), (600, K.AUDIO, True), (700, K.AUDIO, True))
    )
    assert sum(float(each.expected) for each in joules(made, "audio").values()) == pytest.approx(0.04 * 0.3)  # type: ignore[attr-defined]
    assert reasons(made, "audio") == ["audio: 2 × stopped without a recorded start, which counts as no use"]


def test_very_many_sessions_of_one_listener_and_of_other_apps() -> None:
    """One listener with 20,000 sensors of different currents, each stopped twice; and 20,000 other apps on the camera."""
    count = 20_000
    starts = [(0, 250, 250, 1 + i, K.SENSOR, False, 7) for i in range(count)]
    stops = [(0, 450, 450, 1 + i, K.SENSOR, True, 7) for i in range(count)]
    others = states(*(("camera", 100 + i / 100, 300 + i / 100, 1, OTHER_UID + i) for i in range(20_000)))
    made = used(changed(run([CALLER, IDLE]), hooks=hooks([*starts, *stops, *stops]), states=others))
    assert joules(made, "sensors") == {"m1": sum(range(1, count + 1)) / 1e6 * 0.2}
    assert reasons(made, "sensors") == [f"sensors: {count} × stopped without a recorded start, which counts as no use"]
    assert joules(made, "camera") == {"other_processes": 0.6 * 0.39999}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 3)), max_size=12))
def test_an_app_counts_once_in_each_step(rows: list[tuple[int, int, int]]) -> None:
    edges = np.arange(10)
    begin, end, uid = np.array(rows, np.int64).reshape(-1, 3).T
    expected = [len({who for b, e, who in rows if b <= step < e}) for step in range(9)]
    assert users_of(edges, begin, end, uid).tolist() == expected


def test_two_users_in_the_app_share_one_device() -> None:
    rows = [(0, 200, 200, 0, K.CAMERA, False, 1), (0, 450, 450, 0, K.CAMERA, False, 2)]
    rows += [(0, 600, 600, 0, K.CAMERA, True, 1), (0, 700, 700, 0, K.CAMERA, True, 2)]
    made = used(changed(run([CALLER]), hooks=hooks(rows)))
    assert joules(made, "camera") == {"m1": 0.6 * (0.25 + 0.075), "m2": 0.6 * (0.075 + 0.1)}


def test_other_apps_share_a_device_and_have_it_alone_otherwise() -> None:
    known = states(("gnss", 350, 800, 1, OTHER_UID), ("gnss", 250, 450, 1, APP_UID))
    made = used(lit((250, K.GNSS, False), (450, K.GNSS, True), states=known))
    assert joules(made, "gnss") == {"m1": 0.06 * (0.1 + 0.05), "other_processes": 0.06 * (0.05 + 0.35)}


def test_without_the_apps_uid_sessions_share_with_no_one() -> None:
    """The interval may be the app's own."""
    known = replace(states(("gnss", 250, 450, 1, APP_UID), ("wake_lock", 200, 400, 1, APP_UID)), app_uid=NO_UID)
    made = used(lit((250, K.GNSS, False), (350, K.GNSS, True), states=known))
    assert joules(made, "gnss") == {"m1": 0.06 * 0.1, "other_processes": 0.06 * 0.1}
    assert reasons(made, "gnss") == [str(NO_APP_UID)]
    assert joules(made, "wakelock") == {}
    plain = used(changed(run([CALLER]), states=known))
    assert joules(plain, "gnss") == {"unattributed": 0.06 * 0.2} and reasons(plain, "gnss") == [str(NO_APP_UID)]


def test_without_hooks_the_app_has_the_time_of_its_state_unattributed() -> None:
    known = states(("gnss", 100, 300, 1, APP_UID), ("gnss", 300, 400, 1, OTHER_UID), ("audio", 0, 500))
    made = used(changed(run([CALLER]), states=known))
    assert joules(made, "gnss") == {"unattributed": 0.06 * 0.2, "other_processes": 0.06 * 0.1}
    assert joules(made, "audio") == {"unattributed": 0.04 * 0.5}
    assert level(made, "gnss") == "states"


def test_sensors_draw_what_their_driver_declares() -> None:
    rows = [(0, 200, 200, 500, K.SENSOR, False, 3), (0, 400, 400, 2000, K.SENSOR, False, 3)]
    made = used(changed(run([CALLER]), hooks=hooks([*rows, (0, 600, 600, 0, K.SENSOR, True, 3)])))
    assert joules(made, "sensors") == {"m1": 0.0005 * 0.4, "m2": 0.002 * 0.2}


def test_one_listener_of_two_sensors_with_the_same_current() -> None:
    rows = [(0, 200, 200, 500, K.SENSOR, False, 3), (0, 400, 400, 500, K.SENSOR, False, 3)]
    each = [(0, 600, 600, 500, K.SENSOR, True, 3), (0, 700, 700, 500, K.SENSOR, True, 3)]
    made = used(changed(run([CALLER]), hooks=hooks([*rows, *each])))
    assert joules(made, "sensors") == {"m1": 0.0005 * 0.4, "m2": 0.0005 * 0.3} and reasons(made, "sensors") == []
    both = used(changed(run([CALLER]), hooks=hooks([*rows, (0, 600, 600, 0, K.SENSOR, True, 3)])))
    assert joules(both, "sensors") == {"m1": 0.0005 * 0.4, "m2": 0.0005 * 0.2} and reasons(both, "sensors") == []


def test_bluetooth_scans_cost_more_than_links() -> None:
    made = used(lit((200, K.BLUETOOTH_SCAN, False), (300, K.BLUETOOTH_SCAN, True), (400, K.BLUETOOTH_LINK, False)))
    assert joules(made, "bluetooth") == {"m1": 0.05 * 0.1, "m2": 0.005 * 0.6}


def test_a_wake_lock_moves_energy_out_of_base() -> None:
    """`cpu.idle` is 5 mA: 5 mJ in a second, of which 400 ms were held."""
    plain, held = used(run([CALLER, IDLE])), used(lit((200, K.WAKE_LOCK, False), (600, K.WAKE_LOCK, True)))
    assert joules(held, "wakelock") == {"m1": 0.005 * 0.4}
    assert joules(plain, "cpu")["base"] == 0.007 and joules(held, "cpu")["base"] == 0.007 - 0.005 * 0.4
    assert held.ledger.run_energy_j.sum() == pytest.approx(plain.ledger.run_energy_j.sum(), rel=1e-12)


# The screen


def test_the_screen_is_base_and_another_apps_screen_is_that_apps() -> None:
    known = states(
        ("screen", 0, 500),
        ("screen_doze", 500, 1000),
        ("brightness", 0, 200, 0),
        ("brightness", 200, 500, 4),
        ("top", 0, 400, 1, APP_UID),
        ("top", 400, 1000, 1, OTHER_UID),
    )
    made = used(changed(run([CALLER]), states=known))
    assert joules(made, "screen") == {"base": 0.14 * 0.2 + 0.46 * 0.2, "other_processes": 0.46 * 0.1 + 0.01 * 0.5}
    assert level(made, "screen") == "states"


def test_without_brightness_the_screen_counts_as_half_bright() -> None:
    made = used(changed(run([CALLER]), states=states(("screen", 0, 1000))))
    assert joules(made, "screen") == {"base": 0.3}
    assert level(made, "screen") == "profile" and "half bright" in reasons(made, "screen")[0]


def test_of_several_displays_the_one_with_the_largest_current_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outer display has 80 mA and 200 mA, the inner one 100 mA and 400 mA, which is 300 mA at half its brightness."""
    entries = {"screen.on": (80.0, 100.0), "screen.full": (200.0, 400.0), "ambient.on": (10.0, 5.0)}
    currents = {f"{name}.display{number}": ma for name, both in entries.items() for number, ma in enumerate(both)}
    phone = replace(hardware_maker.PHONE, components=ComponentPower.from_profile(PowerProfile("foldable", currents, {})))
    monkeypatch.setattr(hardware_maker, "PHONE", phone)
    known = states(("screen", 0, 500), ("screen_doze", 500, 1000), ("brightness", 0, 500, 2))
    made = used(changed(run([CALLER]), states=known))
    assert joules(made, "screen") == {"base": 0.3 * 0.5 + 0.01 * 0.5}
    assert reasons(made, "screen") == ["which of 2 displays was on is unknown: the one with the largest current counts"]


# Radios

MB = 1_000_000
MS = 1_000_000
AIR = 20 / 43  # 1 MB at 20 Mbit/s takes 400 ms


def wifi(rows: list[tuple[int, float, float, int, K, bool, int]], **more: object) -> RunTables:
    return changed(run([CALLER, IDLE]), hooks=hooks(rows), **more)


def test_a_transfer_and_its_tail_belong_to_the_call_and_the_rest_is_base() -> None:
    """1 MB at 43 Mbit/s takes 186 ms of 200 mA. The rest of the call, and the tail of 238 ms, have 10 mA, as the idle rest."""
    made = used(wifi([(0, 200, 600, MB, K.NET_READ, False, 1)]))
    assert joules(made, "wifi") == {"m1": 0.19 * 0.4 * AIR + 0.01 * (0.4 + 0.238), "base": 0.01 * (1.0 - 0.4 - 0.238)}
    assert level(made, "wifi") == "hooks"


def test_a_tail_ends_with_the_next_transfer_and_goes_to_the_last_user() -> None:
    """Each transfer of 25 kB takes 10 ms. The second one begins 100 ms after the end of the first."""
    rows = [(0, 250, 260, 25_000, K.NET_WRITE, False, 1), (0, 450, 370, 25_000, K.NET_WRITE, False, 1)]
    rows[1] = (0, 450, 460, 25_000, K.NET_WRITE, False, 1)
    made = used(wifi(rows))
    tail = 0.01 * 0.19, 0.01 * 0.238
    assert joules(made, "wifi") == {
        "m1": 0.39 * 0.01 * AIR + 0.01 * 0.01 + tail[0],
        "m2": 0.39 * 0.01 * AIR + 0.01 * 0.01 + tail[1],
        "base": 0.01 * (1.0 - 0.02 - 0.19 - 0.238),
    }


def test_bytes_belong_to_the_path_that_moved_them() -> None:
    rows = [
        (0, 200, 300, 1000, K.NET_READ, False, 1),
        (0, 310, 320, 500, K.NET_WRITE, False, 1),
        (0, 450, 460, 70, K.NET_WRITE, False, 1),
    ]
    ledger = used(wifi(rows)).ledger
    moved = {
        (ledger.components[component], f"m{ledger.paths.method[path]}"): (received, sent)
        for component, path, received, sent in zip(*ledger_columns(ledger.transfers), strict=True)
    }
    assert moved == {("wifi", "m1"): (1000.0, 0.0), ("wifi", "m0"): (0.0, 500.0), ("wifi", "m2"): (0.0, 70.0)}


def ledger_columns(transfers: Transfers) -> list[list[float]]:
    return [getattr(transfers, name).tolist() for name in ("component", "path", "received_bytes", "sent_bytes")]


def test_times_of_the_controller_replace_the_assumed_speed_and_tail() -> None:
    """The controller received 1 MB in 200 ms, and was awake for 150 ms after that."""
    rows = [(0, 200, 400, MB, K.NET_READ, False, 1)]
    times = RadioTimes("wifi", received_ns=200 * MS, sent_ns=0, idle_ns=150 * MS)
    made = used(wifi(rows, radio_times=(times,)))
    assert joules(made, "wifi") == {"m1": 0.2 * 0.2 + 0.01 * 0.15, "base": 0.01 * (1.0 - 0.2 - 0.15)}
    assert reasons(made, "wifi") == [each for each in reasons(used(wifi(rows)), "wifi") if "its speed" not in each]


@pytest.mark.parametrize(("idle_ms", "tail_ms"), [(60, 15), (110, 35), (225, 135), (900, 150)])
def test_the_tail_explains_the_idle_time_of_all_transfers(idle_ms: int, tail_ms: int) -> None:
    """Pauses of 20, 20, 50, 150 and 0 ms follow the transfers."""
    begin, end = MS * np.array([0, 100, 200, 300, 800]), MS * np.array([80, 180, 250, 650, 1000])
    none = np.zeros(5, np.int64)
    traffic = Traffic(none, none, none, none, begin, end, np.zeros(5), (end - begin) / 8e3, "", ())
    link = RadioLink(1, 1, 1, 1, 7, 1.0, 1.0).measured(
        RadioTimes("wifi", 0, int(sum(end - begin)), idle_ms * MS), traffic, air_spans(traffic, (0, 1000 * MS))
    )
    assert link == RadioLink(1, 1, 1, 1, tail_ms * MS, 1.0, 1e6)


def test_times_that_are_too_coarse_change_nothing() -> None:
    rows = [(0, 200, 600, MB, K.NET_READ, False, 1)]
    coarse = used(wifi(rows, radio_times=(RadioTimes("wifi", 9 * MS, 9 * MS, 9 * MS),)))
    assert joules(coarse, "wifi") == joules(used(wifi(rows)), "wifi")


def test_bytes_beyond_the_payload_are_spread_by_packets_and_other_apps_have_the_rest() -> None:
    """The app's counter shows 110 kB, of which hooks saw 100 kB. The device's counter shows 25 kB more."""
    app = counters([(0, (0, 0, 0, 0)), (1000, (110_000, 90, 0, 0))])
    device = counters([(0, (5, 0, 0, 0)), (1000, (135_005, 99, 0, 0))], "wifi", device=True, name="wlan0")
    made = used(wifi([(0, 200, 300, 100_000, K.NET_READ, False, 1)], io_counters=(app, device)))
    found = {name: float(each.expected) for name, each in joules(made, "wifi").items()}  # type: ignore[attr-defined]
    assert found["m1"] == pytest.approx(0.19 * 0.044 * AIR + 0.01 * (0.1 + 0.238))
    assert found["other_processes"] == pytest.approx(0.19 * 0.01 * AIR + 0.01 * 0.2)


def test_many_bytes_beyond_the_payload_are_not_the_calls() -> None:
    """Of 200 kB, hooks saw 100 kB. Headers are at most 15 % of that."""
    app = counters([(0, (0, 0, 0, 0)), (1000, (200_000, 90, 0, 0))])
    ledger = used(wifi([(0, 200, 300, 100_000, K.NET_READ, False, 1)], io_counters=(app,))).ledger
    assert ledger.transfers.received_bytes.tolist() == pytest.approx([115_000])


@pytest.mark.parametrize(
    "counted, expected",
    [
        ((200_000, 100_000), (107_500, 7_500)),  # 200 kB beyond the payload, in equal parts
        ((104_000, 3_000), (104_000, 3_000)),  # headers and acknowledgements of a download fit
    ],
)
def test_bytes_beyond_the_payload_are_at_most_15_percent_in_both_directions(
    counted: tuple[int, int], expected: tuple[int, int]
) -> None:
    app = counters([(0, (0, 0, 0, 0)), (1000, (counted[0], 90, counted[1], 90))])
    transfers = used(wifi([(0, 200, 300, 100_000, K.NET_READ, False, 1)], io_counters=(app,))).ledger.transfers
    found = transfers.received_bytes.tolist(), transfers.sent_bytes.tolist()
    assert found == ([pytest.approx(expected[0])], [pytest.approx(expected[1])])


def test_traffic_on_mobile_interfaces_is_the_modems() -> None:
    mobile = counters([(0, (0, 0, 0, 0)), (1000, (100_000, 90, 0, 0))], "mobile", device=True, name="rmnet0")
    made = used(wifi([(0, 200, 300, 100_000, K.NET_READ, False, 1)], io_counters=(mobile,)))
    assert joules(made, "wifi") == {} and "m1" in joules(made, "modem")


def test_in_quiet_intervals_traffic_is_of_the_radio_that_carried_more_in_the_run() -> None:
    """Since boot, the mobile network carried most. The call is after all growth, of Wi-Fi only."""
    mobile = counters([(t, (1000 * MB, 9, 0, 0)) for t in (0, 600, 1000)], "mobile", device=True, name="rmnet0")
    wlan = counters([(0, (0, 0, 0, 0)), (600, (MB, 9, 0, 0)), (1000, (MB, 9, 0, 0))], "wifi", device=True, name="wlan0")
    made = used(wifi([(0, 700, 800, MB, K.NET_READ, False, 1)], io_counters=(mobile, wlan)))
    assert joules(made, "modem") == {} and "m0" in joules(made, "wifi")


def test_sampling_shares_counters_among_open_calls() -> None:
    """m1 and m2 are reads of 100 ms each. In the first half second, 1 MB is counted, in the second half 20 kB without a call."""
    app = counters([(0, (0, 0, 0, 0)), (500, (MB, 700, 0, 0)), (1000, (MB + 20_000, 720, 0, 0))])
    made = used(changed(run([CALLER]), io_counters=(app,)), api_kinds=[0, K.NET_READ, K.NET_READ])
    found = {name: float(each.expected) for name, each in joules(made, "wifi").items()}  # type: ignore[attr-defined]
    assert level(made, "wifi") == "counters"
    assert found["m1"] == pytest.approx(0.19 * 0.2 * AIR + 0.01 * 0.2, rel=0.05) and found["m2"] == pytest.approx(
        found["m1"], rel=0.1
    )
    assert found["unattributed"] == pytest.approx(0.19 * 0.008 * AIR + 0.01 * 0.16, rel=1e-3)


def test_without_calls_the_apps_traffic_is_unattributed() -> None:
    app = counters([(0, (0, 0, 0, 0)), (500, (25_000, 20, 0, 0)), (1000, (25_000, 20, 0, 0))])
    made = used(changed(run([CALLER]), io_counters=(app,)))
    assert joules(made, "wifi") == {"unattributed": 0.19 * 0.01 * AIR + 0.01 * (0.2 + 0.238), "base": 0.01 * (1 - 0.2 - 0.238)}
    assert str(NO_CALLS) in reasons(made, "wifi")


def test_no_traffic_is_no_reason() -> None:
    still = counters([(0, (7, 1, 0, 0)), (1000, (7, 1, 0, 0))])
    made = used(changed(run([CALLER]), io_counters=(still,), states=states(("wifi", 0, 1000))))
    assert joules(made, "wifi") == {"base": 0.01} and str(NO_CALLS) not in reasons(made, "wifi")


def test_counters_that_go_back_are_named() -> None:
    app = counters([(0, (900, 1, 0, 0)), (500, (100, 2, 0, 0)), (1000, (200, 3, 0, 0))], name="/proc/net/dev wlan0")
    made = used(changed(run([CALLER]), io_counters=(app,)))
    assert "/proc/net/dev wlan0 restarted 1 ×: its growth counts from there" in reasons(made, "wifi")


# Rails


def measured(*rows: tuple[float, float], name: str = "VSYS_PWR_CAM") -> object:
    return rails([(t, (value,)) for t, value in rows], [name])


def test_a_component_with_a_rail_has_what_the_rail_measured() -> None:
    tables = lit((200, K.CAMERA, False), (450, K.CAMERA, True), (450, K.CAMERA, False), (550, K.CAMERA, True))
    tables = changed(tables, rails=measured((0, 1.0), (500, 1.3), (1000, 1.42)))
    made = used(tables)
    assert joules(made, "camera") == {"m1": 0.42 * 0.25 / 0.35, "m2": 0.42 * 0.1 / 0.35}
    (evidence,) = (one for one in made.evidence if one.component == "camera")
    assert (evidence.level, evidence.rails_j) == ("rails", pytest.approx(0.42))
    assert evidence.unscaled_j == pytest.approx(0.6 * 0.35)
    steps = made.timeline("camera", run=0, step_ns=500_000_000)
    assert steps.energy_j.tolist() == pytest.approx([0.3, 0.12])


def test_model_evidence_leaves_rails_out_and_still_shows_them() -> None:
    tables = changed(lit((200, K.CAMERA, False), (400, K.CAMERA, True)), rails=measured((0, 1.0), (1000, 1.3)))
    made = used(tables, use_rails=False)
    assert joules(made, "camera") == {"m1": 0.6 * 0.2} and level(made, "camera") == "hooks"
    (evidence,) = (one for one in made.evidence if one.component == "camera")
    assert (evidence.rails_j, evidence.unscaled_j) == (pytest.approx(0.3), pytest.approx(0.12))


def test_a_rail_without_an_estimate_is_base_and_unattributed() -> None:
    tables = changed(lit((0, K.AUDIO, True)), rails=measured((0, 1.0), (500, 1.1), (1000, 1.5)))
    assert joules(used(tables), "camera") == {"base": 0.2, "unattributed": 0.3}
    assert joules(used(tables, use_rails=False), "camera") == {}


def test_a_rail_without_an_estimate_is_no_reason_if_another_run_shows_what_used_it() -> None:
    unused = changed(lit((0, K.AUDIO, True)), rails=measured((0, 1.0), (500, 1.1), (1000, 1.5)))
    used_once = changed(lit((200, K.CAMERA, False), (400, K.CAMERA, True)), rails=measured((0, 1.0), (1000, 1.3)))

    assert reasons(used(unused, unused), "camera") == [str(NO_USE)]
    assert reasons(used(unused, used_once), "camera") == reasons(used(used_once, unused), "camera") == []


def test_a_rail_of_a_component_that_was_off_is_base_and_unattributed() -> None:
    """The states say that the camera was off, so the model estimates nothing."""
    tables = changed(run([CALLER]), states=states(("camera", 0, 1000, 0)))
    tables = changed(tables, rails=measured((0, 1.0), (500, 1.1), (1000, 1.5)))
    made = used(tables)
    assert joules(made, "camera") == {"base": 0.2, "unattributed": 0.3}
    assert str(NO_USE) not in reasons(made, "camera")


def test_a_rail_and_an_estimate_of_0_joules() -> None:
    tables = changed(run([CALLER]), states=states(("camera", 0, 1000, 0)))
    made = used(changed(tables, rails=measured((0, 1.0), (500, 1.0), (1000, 1.0))))
    (evidence,) = (one for one in made.evidence if one.component == "camera")
    assert (evidence.level, evidence.rails_j, evidence.unscaled_j) == ("rails", 0.0, 0.0)


def test_wifi_and_bluetooth_share_the_ratio_of_their_rail() -> None:
    tables = lit((200, K.BLUETOOTH_SCAN, False), (400, K.BLUETOOTH_SCAN, True))
    tables = changed(tables, states=states(("wifi", 0, 1000)))
    alone = used(tables)
    both = used(changed(tables, rails=measured((0, 0.0), (1000, 0.04), name="VSYS_PWR_WLAN_BT")))
    assert joules(alone, "bluetooth") == {"m1": 0.01} and joules(alone, "wifi") == {"base": 0.01}
    assert joules(both, "bluetooth") == {"m1": 0.02} and joules(both, "wifi") == {"base": 0.02}


@pytest.mark.parametrize(
    "names", [("VSYS_PWR_BT", "VSYS_PWR_WLAN_BT"), ("VSYS_PWR_WLAN_BT", "VSYS_PWR_BT")], ids=["own_first", "shared_first"]
)
def test_a_component_with_a_rail_of_its_own_and_a_shared_one(names: tuple[str, str]) -> None:
    """Both rails measured 0.04 J, in whichever order they are: twice the estimate of both components."""
    tables = lit((200, K.BLUETOOTH_SCAN, False), (400, K.BLUETOOTH_SCAN, True))
    read = rails([(0, (0.0, 0.0)), (1000, [0.03 if "WLAN" in name else 0.01 for name in names])], names)
    made = used(changed(tables, states=states(("wifi", 0, 1000)), rails=read))
    assert joules(made, "bluetooth") == {"m1": 0.02} and joules(made, "wifi") == {"base": 0.02}
    assert sum(one.rails_j or 0.0 for one in made.evidence) == pytest.approx(0.04)


def test_rails_of_older_recordings_change_nothing() -> None:
    made = used(changed(run([CALLER]), rails=measured((0, 0.0), (1000, 0.04))))
    assert made.components == ("cpu",)


def test_calls_share_the_storage_rail_by_bytes() -> None:
    """The rail has a floor of 0.1 W. In the first half second, calls moved 300 and 100 bytes."""
    rows = [(0, 200, 210, 300, K.FILE_WRITE, False, 1), (0, 410, 420, 100, K.FILE_READ, False, 2)]
    tables = changed(wifi(rows), rails=measured((0, 0.0), (500, 0.25), (900, 0.29), (1000, 0.4), name="UFS_VCC"))
    made = used(tables)
    assert joules(made, "storage") == {"m1": 0.2 * 0.75, "m2": 0.2 * 0.25, "base": 0.1, "unattributed": 0.1}
    assert level(made, "storage") == "rails" and joules(used(tables, use_rails=False), "storage") == {}


def test_calls_without_bytes_share_by_time_what_calls_with_bytes_leave() -> None:
    """A file call wrote 1 byte. The counter shows 1 MB while a database was used (m1), and 1 MB without a call."""
    written = counters([(t, (0, 0, sent, 0)) for t, sent in ((0, 0), (300, MB), (500, MB + 1), (800, 2 * MB + 1))], "storage")
    tables = wifi([(0, 200, 300, 0, K.DATABASE, False, 1), (0, 410, 420, 1, K.FILE_WRITE, False, 2)], io_counters=(written,))
    tables = changed(tables, rails=measured((0, 0.0), (100, 0.0), (1000, 0.4), name="UFS_VCC"))
    made = used(tables, api_kinds=[0, K.DATABASE, K.FILE_WRITE])
    assert sorted(made.ledger.transfers.sent_bytes.tolist()) == [1, MB]
    assert float(joules(made, "storage")["m1"].expected) > 0.19  # type: ignore[attr-defined]
    share = str(replace(SHARED_BY_TIME, share=0.5))
    assert share in reasons(made, "storage") and level(made, "storage") == "rails"


def test_a_long_read_has_the_bytes_of_all_its_intervals() -> None:
    """A read of 60 MB lasts 600 ms, with 10 MB counted each 100 ms. For 100 ms, another call (m1) reads as fast."""
    readings = [(100.0 * step, (10 * MB * min(max(step - 1, 0), 7), 0, 0, 0)) for step in range(11)]
    rows = [(0, 100, 700, 60 * MB, K.FILE_READ, False, 1), (0, 200, 300, 10 * MB, K.FILE_READ, False, 2)]
    tables = wifi(rows, io_counters=(counters(readings, "storage"),))
    made = used(changed(tables, rails=measured((0, 0.0), (100, 0.0), (1000, 0.4), name="UFS_VCC")))
    assert sorted(made.ledger.transfers.received_bytes.tolist()) == pytest.approx([5 * MB, 55 * MB])


# Paths


def test_events_and_folded_calls_agree() -> None:
    rows = [(0, 250.0, 250.0, 0, K.CAMERA, False, 1), (0, 420.0, 440.0, 50_000, K.NET_READ, False, 2)]
    events = changed(run([CALLER, IDLE]), hooks=hooks([*rows, (0, 600, 600, 0, K.CAMERA, True, 1)]))
    table = folded([(100, 900, 5, -1, 0, 1, 0, 600.0), (100, 900, 6, 5, 1, 1, 0, 100.0), (100, 900, 9, 5, 2, 1, 0, 100.0)])
    folding = thread(1, (), [(0, 0), (100, 0), (900, 100), (1000, 100)], folds=table)
    in_nodes = changed(events, threads=(folding, IDLE), hooks=_with_nodes(events.calls.hooks, [6, 9, 5]))
    for component in ("camera", "wifi"):
        assert joules(used(events), component) == joules(used(in_nodes), component) != {}


def _with_nodes(table: HookCalls | None, nodes: list[int]) -> HookCalls:
    assert table is not None
    return replace(table, node=np.array(nodes, np.int32))


def test_a_charge_without_a_known_call_is_outside_of_methods() -> None:
    unknown = _with_nodes(lit((250, K.VIDEO, False), (450, K.VIDEO, True)).calls.hooks, [99, NO_NODE])
    assert joules(used(changed(run([CALLER]), hooks=unknown)), "video") == {"thread": 0.07 * 0.2}


def test_a_charge_outside_of_all_tests_belongs_to_its_thread() -> None:
    tables = changed(lit((250, K.VIDEO, False), (450, K.VIDEO, True)), windows=run([CALLER], [(500, 600)]).app.windows)
    ledger = used(tables).ledger
    energy, video = ledger.energy, ledger.components.index("video")
    assert energy.test[energy.component == video].tolist() == [NO_TEST]
    assert energy.exclusive_j[energy.component == video].tolist() == pytest.approx([0.07 * 0.2])


def test_hooks_at_the_edges_of_the_run_are_clipped() -> None:
    made = used(lit((-50, K.CAMERA, False), (1200, K.CAMERA, True)))
    assert joules(made, "camera") == {"thread": 0.6}
    assert made.ledger.runs[0].start_ns == ns(0)


def test_sampling_of_folded_calls_shares_by_their_self_time() -> None:
    """Within one epoch, m1 read for 300 ms and m2 for 100 ms."""
    table = folded([(100, 900, 5, -1, 0, 1, 0, 400.0), (100, 900, 6, 5, 1, 1, 0, 300.0), (100, 900, 9, 5, 2, 1, 0, 100.0)])
    folding = thread(1, (), [(0, 0), (100, 0), (900, 100), (1000, 100)], folds=table)
    app = counters([(0, (0, 0, 0, 0)), (1000, (MB, 700, 0, 0))])
    made = used(changed(run([folding]), io_counters=(app,)), api_kinds=[0, K.NET_READ, K.NET_READ])
    found = {name: float(each.expected) for name, each in joules(made, "wifi").items()}  # type: ignore[attr-defined]
    assert found["m1"] == pytest.approx(0.19 * 0.3 * AIR + 0.004, rel=0.1)
    assert found["m2"] == pytest.approx(0.19 * 0.1 * AIR + 0.004, rel=0.2)


def test_bytes_that_cross_no_interface_have_no_energy() -> None:
    """Hooks saw 100 kB, of which the interface shows 25 kB: the rest stayed on the device."""
    app = counters([(0, (0, 0, 0, 0)), (1000, (25_000, 20, 0, 0))])
    made = used(wifi([(0, 200, 300, 100_000, K.NET_READ, False, 1)], io_counters=(app,)))
    assert joules(made, "wifi")["m1"] == 0.19 * 0.01 * AIR + 0.01 * (0.1 + 0.238)
    assert reasons(made, "wifi")[0].startswith("75.0% of the bytes of hooked calls crossed no counted interface")


def test_calls_without_a_counted_byte_keep_no_radio_awake() -> None:
    """Both calls reach a server on the phone itself, so the idle radio is base, without a tail."""
    still = counters([(0, (0, 0, 0, 0)), (500, (0, 0, 0, 0)), (1000, (0, 0, 0, 0))])
    rows = [(0, 200, 300, MB, K.NET_READ, False, 1), (0, 450, 460, MB, K.NET_WRITE, False, 1)]
    made = used(wifi(rows, io_counters=(still,), states=states(("wifi", 0, 1000))))
    assert joules(made, "wifi") == {"base": 0.01}
    assert reasons(made, "wifi")[0].startswith("100.0% of the bytes of hooked calls crossed no counted interface")


def test_impossible_amounts_do_not_overflow() -> None:
    made = used(wifi([(0, 200, 300, (1 << 63) - 1, K.NET_READ, False, 1)]))
    assert float(joules(made, "wifi")["m1"].expected) > 0  # type: ignore[attr-defined]


def test_counters_of_one_name_count_separately() -> None:
    own = counters([(0, (0, 0, 0, 0)), (1000, (25_000, 20, 0, 0))])
    whole = counters([(0, (0, 0, 0, 0)), (1000, (50_000, 20, 0, 0))], device=True)
    made = used(changed(run([CALLER]), io_counters=(own, whole, counters([], "wifi"))))
    assert {"unattributed", "other_processes"} <= joules(made, "wifi").keys()


def test_a_wifi_scan_ends_by_itself() -> None:
    rows = [(0, t, t, 0, K.WIFI_SCAN, False, 1) for t in (250.0, 300.0, 4450.0)]
    made = used(changed(run([CALLER], end_ms=9000), hooks=hooks(rows)))
    assert joules(made, "wifi") == {"m1": 0.4, "thread": 0.4}
    assert reasons(made, "wifi") == []


@pytest.mark.parametrize(
    "row, app_j, rest",
    [
        (("wifi_scan", 260, 1750), 0.15, {}),
        (("wifi_scan", 260, 1750, 1, APP_UID), 0.15, {}),
        (("wifi_scan", 5000, 6000), 0.4, {"other_processes": 0.1}),
        (("wifi_scan", 250, 1250, 1, OTHER_UID), 0.35, {"other_processes": 0.05}),
    ],
)
def test_a_wifi_scan_ends_with_its_state(row: tuple[str, float, float], app_j: float, rest: dict[str, float]) -> None:
    scan = hooks([(0, 250, 250, 0, K.WIFI_SCAN, False, 1)])
    made = used(changed(run([CALLER], end_ms=9000), hooks=scan, states=states(row)))
    assert joules(made, "wifi") == {"m1": app_j, **rest}


def test_wake_locks_of_unknown_holders_stay_in_base() -> None:
    unknown = changed(run([CALLER]), states=states(("wake_lock", 0, 1000)))
    assert joules(used(unknown), "wakelock") == {} and joules(used(unknown), "cpu")["base"] == 0.007
    other = changed(run([CALLER]), states=states(("wake_lock", 0, 500, 1, OTHER_UID)))
    assert joules(used(other), "wakelock") == {"other_processes": 0.0025} and joules(used(other), "cpu")["base"] == 0.0045

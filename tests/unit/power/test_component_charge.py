"""Charge of components: never negative, conserved by every allocation, in whatever order users come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navitas.power.components.allocation import Allocation, proportional, scan_first, sum_by_interval, whole_milliseconds
from navitas.power.components.charge import MAH_C, charge_c, rail_charge_c
from navitas.power.components.component_power import ComponentPower
from navitas.power.components.controller_power import ControllerTimes, RadioUse
from navitas.power.components.idle_power import IdlePower
from navitas.power.components.modem_power import (
    ModemActivity,
    allocate_by_active_time,
    allocate_by_direction,
    allocate_by_packets,
    split_off_calls,
)
from navitas.power.components.screen_power import ScreenModel
from navitas.power.components.state_times import StateTimeline, merged
from navitas.power.power_profile import PowerProfile

MS_NS = 1_000_000
HOUR_NS = 3_600_000 * MS_NS
INTERVALS = 3

PROFILE = PowerProfile(
    "made",
    {
        **{f"wifi.controller.{state}": 10.0 * k for k, state in enumerate(("idle", "rx", "tx"), 1)},
        **{f"bluetooth.controller.{state}": 5.0 * k for k, state in enumerate(("idle", "rx", "tx"), 1)},
        **{"wifi.scan": 30.0, "wifi.batchedscan": 20.0, "wifi.active": 100.0, "wifi.on": 2.0},
        **{"modem.controller.sleep": 1.0, "modem.controller.idle": 9.0, "modem.controller.rx": 80.0, "radio.scanning": 50.0},
        **{"camera.avg": 600.0, "cpu.suspend": 4.0, "cpu.idle": 8.0, "screen.on": 90.0, "screen.full": 300.0},
    },
    {"modem.controller.tx": (100.0, 120.0, 140.0, 160.0, 200.0)},
)
POWER = ComponentPower.from_profile(PROFILE)


@dataclass(frozen=True)
class Usage:
    """Times of intervals, and users' rows with amounts and times."""

    times: ControllerTimes
    use: RadioUse

    def reordered(self, order: np.ndarray) -> Usage:
        use = self.use
        return Usage(
            self.times,
            RadioUse(use.interval[order], use.rx[order], use.tx[order], use.scan_ns[order], use.batched_scan_ns[order]),
        )


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    rows = draw(st.integers(0, 8))

    def column(size: int, most: int) -> np.ndarray:
        return np.array(draw(st.lists(st.integers(0, most), min_size=size, max_size=size)), np.int64)

    times = ControllerTimes(*(column(INTERVALS, HOUR_NS) for _ in range(4)))
    interval = column(rows, INTERVALS - 1)
    use = RadioUse(interval, column(rows, 10**9), column(rows, 10**9), column(rows, HOUR_NS), column(rows, HOUR_NS))
    return Usage(times, use)


def modem_charge(times: ControllerTimes):  # type: ignore[no-untyped-def]
    rows = np.arange(INTERVALS)
    levels = np.repeat(times.sent_ns[:, None], 5, axis=1)
    activity = ModemActivity(rows, np.zeros(INTERVALS, int), np.zeros(INTERVALS, int), times.rx_ns, levels)
    return POWER.modem.report_c(activity, times.idle_ns, times.scan_ns, times.scan_ns)


ALLOCATIONS: dict[str, Callable[[ControllerTimes, RadioUse], Allocation]] = {
    "wifi": POWER.wifi.allocate,
    "wifi, scans first": lambda times, use: POWER.wifi.controller.allocate_scan_first(times, use).charge,
    "wifi, active time": lambda times, use: POWER.wifi.allocate_active_time(times.rx_ns, use),
    "bluetooth": POWER.bluetooth.allocate,
    "modem by direction": lambda times, use: allocate_by_direction(modem_charge(times), use),
    "modem by packets": lambda times, use: allocate_by_packets(modem_charge(times), use),
    "modem by active time": lambda times, use: allocate_by_active_time(
        POWER.modem.active_time_c(times.rx_ns),
        POWER.modem.inactive_c(times.scan_ns, times.tx_ns[:, None]),
        use.scan_ns,
        use.interval,
    ),
    "camera": lambda times, use: POWER.camera.allocate(times.rx_ns, use.scan_ns, use.interval),
    "screen": lambda times, use: POWER.screen.allocate(charge_c(90.0, times.rx_ns), use.scan_ns, use.interval),
}


@settings(max_examples=40)
@given(usages())
def test_allocation_is_never_negative_and_never_more_than_the_total(usage: Usage) -> None:
    for rule, allocate in ALLOCATIONS.items():
        found = allocate(usage.times, usage.use)
        assert (found.device_c >= 0).all() and (found.user_c >= 0).all(), rule
        slack = 1e-9 * (found.device_c + 1e-9)
        assert (found.unallocated_c >= -slack).all(), rule
        total = found.user_c.sum() + found.unallocated_c.sum()
        assert total == pytest.approx(found.device_c.sum(), rel=1e-12, abs=1e-18), rule


@settings(max_examples=40)
@given(usages(), st.randoms(use_true_random=False))
def test_the_order_of_users_does_not_matter(usage: Usage, random) -> None:  # type: ignore[no-untyped-def]
    order = np.array(random.sample(range(len(usage.use.interval)), len(usage.use.interval)), np.int64)
    for rule, allocate in ALLOCATIONS.items():
        first, second = (allocate(usage.times, use) for use in (usage.use, usage.reordered(order).use))
        assert second.user_c == pytest.approx(first.user_c[order], rel=1e-9, abs=1e-15), rule


@settings(max_examples=40)
@given(usages(), st.lists(st.floats(0, 1e6), min_size=INTERVALS, max_size=INTERVALS))
def test_a_rails_charge_is_conserved_and_keeps_the_shares(usage: Usage, rail: list[float]) -> None:
    for rule, allocate in ALLOCATIONS.items():
        estimate = allocate(usage.times, usage.use)
        found = estimate.scaled_to_rail(np.array(rail))
        assert found.device_c.tolist() == rail, rule
        assert found.user_c.sum() + found.unallocated_c.sum() == pytest.approx(sum(rail), rel=1e-9, abs=1e-12), rule
        is_known = estimate.device_c[found.interval] > 0
        scaled = found.user_c * estimate.device_c[found.interval]
        expected = (estimate.user_c * found.device_c[found.interval])[is_known]
        assert scaled[is_known] == pytest.approx(expected, rel=1e-9), rule


def test_a_rail_without_an_estimate_is_unallocated() -> None:
    found = Allocation(np.zeros(1), np.zeros(2), np.zeros(2, int)).scaled_to_rail(np.array([5.0]))
    assert found.user_c.tolist() == [0, 0] and found.unallocated_c.tolist() == [5.0]


@given(usages())
def test_a_split_conserves_its_total_where_a_row_has_weight(usage: Usage) -> None:
    use, total = usage.use, usage.times.rx_ns
    found = sum_by_interval(proportional(total, use.rx, use.interval), use.interval, INTERVALS)
    has_weight = sum_by_interval(use.rx, use.interval, INTERVALS) > 0
    assert found[has_weight] == pytest.approx(total[has_weight], rel=1e-12)
    assert (found[~has_weight] == 0).all()


@given(usages())
def test_whole_milliseconds_lose_less_than_one_a_row(usage: Usage) -> None:
    use, total = usage.use, usage.times.rx_ns
    exact, whole = (split(total, use.rx, use.interval) for split in (proportional, whole_milliseconds))
    assert (whole % MS_NS == 0).all() and (whole <= exact * (1 + 1e-12)).all()
    rows = sum_by_interval(np.ones(len(use.rx)), use.interval, INTERVALS)
    lost = sum_by_interval(exact - whole, use.interval, INTERVALS)
    assert (lost <= (rows + 1) * MS_NS).all()


def test_scans_come_first_and_share_what_is_too_short_for_all() -> None:
    interval = np.array([0, 0, 1, 1])
    found = scan_first(np.array([100.0, 100.0]), np.array([30, 0, 150, 50]), np.array([1, 3, 1, 3]), interval)
    assert found.tolist() == [30 + 17.5, 52.5, 75.0, 25.0]


def test_long_bluetooth_scans_replace_traffic_as_the_weight() -> None:
    """Interval 0: scans are longer than receiving, not than transmitting. Interval 1: than neither."""
    times = ControllerTimes(np.array([100, 500]), np.array([500, 500]), np.zeros(2))
    scan_ns = np.array([150, 50, 150, 50])
    use = RadioUse(np.array([0, 0, 1, 1]), np.array([1, 3, 1, 3]), np.array([1, 4, 1, 4]), scan_ns)
    found = POWER.bluetooth.allocate(times, use).user_c
    rx_c, tx_c = POWER.bluetooth.controller.rx_c(times), POWER.bluetooth.controller.tx_c(times)
    assert found[:2] == pytest.approx(rx_c[0] * np.array([0.75, 0.25]) + tx_c[0] * np.array([0.2, 0.8]))
    assert found[2:] == pytest.approx(rx_c[1] * np.array([0.25, 0.75]) + tx_c[1] * np.array([0.2, 0.8]))


def test_a_device_costs_at_least_as_much_as_its_users() -> None:
    bluetooth = ComponentPower.from_profile(PowerProfile("p", {"bluetooth.controller.voltage": 3700.0}, {})).bluetooth
    assert bluetooth.reported_device_c(np.array([0.5, 0.75]), 3.7) == 1.25
    assert bluetooth.reported_device_c(np.array([0.5]), 3.7) == pytest.approx(1.0)
    assert POWER.bluetooth.reported_device_c(np.array([0.5]), 3.7) == 0.5, "no voltage, so nothing is known of the device"


def test_old_bluetooth_costs_its_times() -> None:
    old = ComponentPower.from_profile(PowerProfile("p", {"bluetooth.on": 1.0, "bluetooth.active": 10.0}, {})).bluetooth
    assert old.on_and_active_c(np.array([HOUR_NS]), np.array([HOUR_NS // 2])) / MAH_C == pytest.approx(6.0)


@given(
    st.lists(st.integers(0, 24 * HOUR_NS), min_size=4, max_size=4),
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 24 * HOUR_NS)), max_size=6),
)
def test_idle_and_wake_locks_together_cost_the_idle_current_once(times: list[int], locks: list[tuple[int, int]]) -> None:
    """What a wake lock costs is moved out of the idle component. Adding both, as Android shows them, would count it twice."""
    elapsed_ns, awake_ns = np.array(times[:2]) + 24 * HOUR_NS, np.array(times[2:])
    interval, held_ns = np.array([one for one, _ in locks], np.int64), np.array([ns for _, ns in locks], np.int64)
    idle = POWER.idle
    found = idle.with_wakelocks(elapsed_ns, awake_ns, awake_ns // 3, held_ns, interval)
    assert found.base_c + found.moved_c == pytest.approx(idle.charge_c(elapsed_ns, awake_ns), rel=1e-12)
    assert found.base_c == pytest.approx(np.maximum(found.base_c, charge_c(idle.suspend_ma, elapsed_ns)), rel=1e-9)
    assert (found.holder_c >= 0).all() and (found.system_c >= 0).all()


def test_androids_idle_and_wakelock_components_share_one_current() -> None:
    """Android: idle 6 s and wake locks 6 s, each at `cpu.idle`. The device draws it for 6 s only."""
    idle = IdlePower(0.0, 360.0, POWER.idle.coverage)
    seconds = np.array([10e9]), np.array([6e9]), np.array([0.0])
    found = idle.with_wakelocks(*seconds, np.array([1e9]), np.array([0]))
    assert (found.base_c[0], found.holder_c[0] / MAH_C, found.system_c[0] / MAH_C) == pytest.approx((0.0, 0.1, 0.5))
    assert (found.base_c + found.moved_c)[0] / MAH_C == pytest.approx(0.6), "not 1.2"


def test_wake_locks_held_together_share_the_time_awake() -> None:
    idle = IdlePower(0.0, 360.0, POWER.idle.coverage)
    found = idle.with_wakelocks(np.array([10e9]), np.array([4e9]), np.array([0.0]), np.array([6e9, 2e9]), np.zeros(2, int))
    assert found.holder_c / MAH_C == pytest.approx([0.3, 0.1])
    assert found.base_c == pytest.approx(0.0) and found.system_c == pytest.approx(0.0)


def test_calls_take_their_share_of_the_modems_rail() -> None:
    calls, rest = split_off_calls(np.array([10.0, 10.0, 10.0]), np.array([1, 5, 3]), np.array([4, 4, 0]))
    assert calls.tolist() == [2.5, 10.0, 0.0] and rest.tolist() == [7.5, 0.0, 10.0]


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 50)), max_size=10))
def test_merged_intervals_have_the_time_in_which_any_is_on(spans: list[tuple[int, int]]) -> None:
    begin = np.array([a for a, _ in spans], np.int64)
    starts, ends = merged(begin, begin + np.array([length for _, length in spans], np.int64))
    points = {t for a, length in spans for t in range(a, a + length)}
    assert (ends - starts).sum() == len(points)
    assert (starts[1:] > ends[:-1]).all()


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 2)), max_size=8),
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 1)), max_size=8),
    st.lists(st.tuples(st.integers(-5, 120), st.integers(0, 40)), max_size=6),
)
def test_time_in_states_is_what_counting_finds(
    first: list[tuple[int, int]], second: list[tuple[int, int]], spans: list[tuple[int, int]]
) -> None:
    changes = [dict(sorted(one)) for one in (first, second)]
    lines = [
        StateTimeline(np.array([*one], np.int64), np.array([*one.values()], np.int64), states)
        for one, states in zip(changes, (3, 2), strict=True)
    ]
    begin = np.array([a for a, _ in spans], np.int64)
    end = begin + np.array([length for _, length in spans], np.int64)

    def state_at(change: dict[int, int], t: int) -> int | None:
        return next((state for start, state in reversed(change.items()) if start <= t), None)

    found = lines[0].with_states_of(lines[1]).time_ns(begin, end)
    for row, (a, length) in enumerate(spans):
        expected = [0] * 6
        for t in range(a, a + length):
            one, other = state_at(changes[0], t), state_at(changes[1], t)
            if one is not None and other is not None:
                expected[one * 2 + other] += 1
        assert found[row].tolist() == expected


def test_joules_of_a_rail_are_coulombs_at_the_batterys_voltage() -> None:
    assert rail_charge_c(np.array([38.5]), 3.85).tolist() == [10.0]


@pytest.mark.parametrize("model", ["default", "paper1"])
@given(st.lists(st.integers(0, HOUR_NS), min_size=5, max_size=5))
def test_a_screen_costs_between_its_lowest_and_highest_brightness(model: ScreenModel, bins: list[int]) -> None:
    bin_ns = np.array(bins)[None, None, :]
    found = POWER.screen.on_c(bin_ns.sum(axis=2), bin_ns, model)[0]
    low, high = charge_c(90.0, sum(bins)), charge_c(390.0, sum(bins))
    assert low * (1 - 1e-12) <= found <= high * (1 + 1e-12)
    brighter = np.roll(bin_ns, 1, axis=2) if not bins[4] else bin_ns
    assert POWER.screen.on_c(bin_ns.sum(axis=2), brighter, model)[0] >= found * (1 - 1e-12)

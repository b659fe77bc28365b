"""The kernel model against what Linux documents: PELT, util_est, schedutil, and closed forms of the rails' energy.

Documentation/scheduler/{schedutil,sched-energy,sched-capacity}.rst; kernel/sched/{pelt,fair,cpufreq_schedutil}.c.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from navitas.virtual_phone.kernel.kernel_model import DOWN_LIMIT_NS, UP_LIMIT_NS, Governor, KernelModel
from navitas.virtual_phone.kernel.scheduler import HALF_LIFE_NS, KernelTask, Scheduler
from navitas.virtual_phone.kernel.spec import ClusterSpec, PhoneSpec

MS = 1_000_000
TASK = KernelTask(1, 1)
CLUSTER = ClusterSpec((0, 1), (300_000, 700_000, 1_100_000, 1_800_000), (10.0, 30.0, 70.0, 160.0), 5.0, 300.0)
PLAIN = PhoneSpec(
    "plain", Path("plain.xml"), 4.0, 50.0, 100.0, (ClusterSpec((0, 1, 2, 3), (1_000_000,), (300.0,), 70.0, 1024.0),)
)

steps = st.lists(st.integers(MS, 16 * MS), min_size=1, max_size=40)


def utilisation(scheduler: Scheduler) -> float:
    return sum(scheduler.core_utils())


@given(steps, st.floats(0.0, 1.0))
@example([MS] * 40, 0.03)
def test_pelt_is_a_geometric_series_of_half_life_32_ms(lengths: list[int], share: float) -> None:
    """A task that always runs for the same share u of the time tends to 1024·u as 1 − 2^(−t/32 ms), however time is cut."""
    assert HALF_LIFE_NS == 32 * MS
    scheduler = Scheduler(PLAIN)
    expected = 0.0
    for dt in lengths:
        scheduler.give({TASK: round(share * dt)}, {})
        scheduler.place(dt)
        decay = 0.5 ** (dt / HALF_LIFE_NS)
        expected = expected * decay + 1024 * (1 - decay) * round(share * dt) / dt
    assert utilisation(scheduler) == pytest.approx(expected, abs=1.0)
    closed = 1024 * share * (1 - 0.5 ** (sum(lengths) / HALF_LIFE_NS))
    assert expected == pytest.approx(closed, abs=0.01)


@given(steps)
def test_pelt_decays_by_half_in_32_ms_of_sleep(lengths: list[int]) -> None:
    scheduler = Scheduler(PLAIN)
    for _ in range(20):
        scheduler.give({TASK: 10 * MS}, {})
        scheduler.place(10 * MS)
    full = utilisation(scheduler)
    for dt in lengths:
        scheduler.place(dt)
    assert utilisation(scheduler) == pytest.approx(full * 0.5 ** (sum(lengths) / HALF_LIFE_NS), abs=1.0)


@given(st.integers(2, 30))
def test_util_est_rises_at_once_and_falls_by_a_quarter(bursts: int) -> None:
    """At each sleep ewma ← max(util, ewma + (util − ewma)/4): kernel/sched/fair.c, util_est_update."""
    scheduler = Scheduler(PLAIN)

    def burst(run_ns: int) -> float:
        """Run, sleep in the same step, wake again for a moment; what the task is expected to need then."""
        scheduler.give({TASK: run_ns}, {})
        scheduler.place(16 * MS)
        return utilisation(scheduler)

    for _ in range(20):
        scheduler.give({TASK: 16 * MS}, {})
        scheduler.place(16 * MS)
    estimate = util = burst(12 * MS)
    for _ in range(bursts):
        keep = 0.5 ** (16 / 32)
        util = util * keep + 1024 * (1 - keep) * 2 / 16
        estimate = max(util, estimate + (util - estimate) / 4)
        assert burst(2 * MS) == pytest.approx(max(util, estimate), abs=1.0)


@given(st.floats(0.0, 400.0), st.floats(0.0, 400.0))
def test_schedutil_takes_the_lowest_frequency_at_or_above_a_quarter_more_than_needed(first: float, second: float) -> None:
    """next_freq = 1.25 · max_freq · util / max, of the policy's busiest CPU, rounded up to an operating point."""
    governor = Governor(CLUSTER)
    governor.update(10 * DOWN_LIMIT_NS, [first, second])
    wanted_khz = 1.25 * CLUSTER.freq_khz[-1] * max(first, second) / CLUSTER.capacity
    chosen = CLUSTER.freq_khz[governor.index]
    assert chosen >= min(wanted_khz, CLUSTER.freq_khz[-1])
    assert governor.index == 0 or CLUSTER.freq_khz[governor.index - 1] < wanted_khz


@given(st.lists(st.tuples(st.integers(MS, 30 * MS), st.floats(0.0, 400.0)), max_size=30))
def test_changes_keep_the_rate_limits(changes: list[tuple[int, float]]) -> None:
    governor = Governor(CLUSTER)
    now_ns = changed_ns = 0
    for dt, util in changes:
        before = governor.index
        now_ns += dt
        governor.update(now_ns, [util, 0.0])
        if governor.index != before:
            assert now_ns - changed_ns >= (UP_LIMIT_NS if governor.index > before else DOWN_LIMIT_NS)
            changed_ns = now_ns


@given(st.integers(1, 4), st.integers(1, 40), st.integers(1, 16 * MS))
def test_busy_cores_draw_what_their_powers_sum_to(tasks: int, count: int, dt: int) -> None:
    """k tasks that always run: E = t · (base + active + cluster + k · core)."""
    model = KernelModel(PLAIN)
    for number in range(count):
        model.step(number * dt, (number + 1) * dt, {KernelTask(1, tid): dt for tid in range(1, tasks + 1)})
    seconds = count * dt / 1e9
    assert sum(model.rails.energies_uj().values()) == pytest.approx(seconds * (50 + 100 + 70 + 300 * tasks) * 1e3, rel=1e-9)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30), st.integers(0, 5))
def test_one_task_draws_for_as_long_as_it_runs(shares: list[float], seed: int) -> None:
    """One task on one core: E = base · t + (active + cluster + core) · running time, wherever in a step it runs."""
    dt = 10 * MS
    model = KernelModel(PLAIN, seed=seed)
    for number, share in enumerate(shares):
        model.step(number * dt, (number + 1) * dt, {TASK: round(share * dt)})
    run_s = sum(round(share * dt) for share in shares) / 1e9
    total = sum(model.rails.energies_uj().values())
    assert total == pytest.approx((len(shares) * dt / 1e9 * 50 + run_s * 470) * 1e3, rel=1e-9, abs=1e-6)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 64 * MS), min_size=1, max_size=20))
def test_more_than_the_cores_can_run_is_run_later_and_paid_once(demands: list[int]) -> None:
    """Without a limit on the host, surplus CPU time follows: no energy is invented, some of it comes late."""
    dt = 10 * MS
    model = KernelModel(PLAIN)
    for number, demand in enumerate(demands):
        model.step(number * dt, (number + 1) * dt, {KernelTask(1, tid): demand // 8 for tid in range(1, 9)})
        assert sum(model.busy_ns) <= 4 * dt * (number + 1)
    given_ns = sum(8 * (demand // 8) for demand in demands)
    assert sum(model.busy_ns) + model.scheduler.backlog_ns == given_ns
    end = len(demands)
    model.step(end * dt, (end + 200) * dt, {})
    assert model.scheduler.backlog_ns == 0
    cores_uj = model.rails.energies_uj()["S4M_VDD_CPUCL0"] - model.rails.cluster_ns[0] * 70.0 * 1e-6
    assert math.isclose(cores_uj, given_ns * 300.0 * 1e-6, rel_tol=1e-9, abs_tol=1e-6)

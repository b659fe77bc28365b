"""The whole model without clocks and files: what is given is run, counted and paid for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_truth import TaskEnergies

from navitas.virtual_phone.kernel.kernel_model import KernelModel
from navitas.virtual_phone.kernel.scheduler import KernelTask
from navitas.virtual_phone.kernel.spec import PhoneSpec, load_spec

MS = 1_000_000
DT = 10 * MS
SPEC = load_spec()


def energy_uj(model: KernelModel) -> float:
    return sum(model.rails.energies_uj().values())


_steps = st.lists(
    st.tuples(
        st.integers(0, 60 * MS),
        st.dictionaries(st.builds(KernelTask, st.integers(1, 2), st.integers(-2, 9)), st.integers(0, 15 * MS), max_size=8),
    ),
    max_size=25,
)


@given(_steps, st.integers(0, 3))
def test_nothing_is_lost_and_nothing_invented(steps: list[tuple[int, dict[KernelTask, int]]], seed: int) -> None:
    model, energies = KernelModel(SPEC, seed=seed), TaskEnergies(SPEC)
    model.observers.append(energies.observe)
    now = given_ns = 0
    for dt, runs in steps:
        before_uj = energy_uj(model)
        model.step(now, now + dt, runs)
        now += dt
        given_ns += sum(runs.values())
        rails = model.rails
        assert energy_uj(model) >= before_uj
        assert sum(model.busy_ns) + model.scheduler.backlog_ns == given_ns
        assert all(0 <= busy <= now for busy in model.busy_ns)
        assert [sum(states) for states in model.time_in_state_ns] == [now] * 3
        assert model.wall_ns == rails.on_ns == now
        assert sum(map(sum, rails.core_ns)) == sum(model.busy_ns) == energies.cpu_ns
        for k, cluster in enumerate(SPEC.clusters):
            busy = [model.busy_ns[cpu] for cpu in cluster.cpus]
            assert sum(rails.core_ns[k]) == sum(busy)
            assert max(busy) <= rails.cluster_ns[k] <= min(now, sum(busy))
            assert all(ran <= len(busy) * stayed for ran, stayed in zip(rails.core_ns[k], model.time_in_state_ns[k], strict=True))
        assert max(rails.cluster_ns) <= rails.active_ns <= min(now, sum(rails.cluster_ns))
        assert energies.energy_uj + rails.energies_uj()["VSYS_CPU_BASE"] == pytest.approx(energy_uj(model), rel=1e-9)


def test_a_busy_thread_ends_on_a_big_core_at_full_speed() -> None:
    model = KernelModel(SPEC)
    for k in range(100):
        model.step(k * DT, (k + 1) * DT, {KernelTask(1, 1): DT})
    before_uj = energy_uj(model)
    model.step(100 * DT, 101 * DT, {KernelTask(1, 1): DT})
    big = SPEC.clusters[2]
    assert model.cur_freq_khz == [300_000, 400_000, 2_802_000]
    expected = 10 * (big.core_mw[-1] + big.cluster_mw + SPEC.active_mw + SPEC.base_mw)
    assert energy_uj(model) - before_uj == pytest.approx(expected)
    assert max(model.busy_ns[6:]) > 0.9 * sum(model.busy_ns)


def test_a_tick_of_the_host_s_schedstat_is_smoothed_by_the_backlog(one_speed: PhoneSpec) -> None:
    # A running thread's time moves every 4 ms only: 8 and 12 ms in steps of 10.
    model = KernelModel(one_speed)
    for k in range(10):
        model.step(k * DT, (k + 1) * DT, {KernelTask(1, 1): 12 * MS if k % 2 == 0 else 8 * MS})
    assert model.busy_ns == [10 * DT, 0, 0, 0]
    assert model.scheduler.backlog_ns == 0


def test_a_late_step_is_run_at_the_usual_pace() -> None:
    late, steady = KernelModel(SPEC), KernelModel(SPEC)
    late.step(0, 50 * DT, {KernelTask(1, 1): 50 * DT})
    for k in range(50):
        steady.step(k * DT, (k + 1) * DT, {KernelTask(1, 1): DT})
    assert sum(late.busy_ns) == sum(steady.busy_ns) == 50 * DT
    assert energy_uj(late) == pytest.approx(energy_uj(steady), rel=0.05)


def test_a_step_without_length_keeps_what_it_is_given(one_speed: PhoneSpec) -> None:
    model = KernelModel(one_speed)
    model.step(DT, DT, {KernelTask(1, 1): MS})
    assert (model.scheduler.backlog_ns, model.wall_ns) == (MS, 0)
    model.step(DT, 2 * DT, {})
    assert sum(model.busy_ns) == MS


def test_one_seed_is_one_course() -> None:
    def course(seed: int) -> dict[str, float]:
        model = KernelModel(SPEC, seed=seed)
        for k in range(50):
            model.step(k * DT, (k + 1) * DT, {KernelTask(1, tid): 3 * MS for tid in range(1, 4)})
        return model.rails.energies_uj()

    assert course(1) == course(1)
    assert course(1) != course(2)

"""Processes that are bound to CPUs (`taskset`)."""

from __future__ import annotations

from navitas.virtual_phone.kernel.kernel_model import KernelModel
from navitas.virtual_phone.kernel.scheduler import KernelTask
from navitas.virtual_phone.kernel.spec import load_spec

MS = 1_000_000
SPEC = load_spec()
BUSY, FREE = KernelTask(1, 1), KernelTask(2, 2)


def _run(cpus: frozenset[int], tasks: int = 1) -> KernelModel:
    model = KernelModel(SPEC)
    model.bind(1, cpus)
    runs = {KernelTask(1, number): 10 * MS for number in range(1, tasks + 1)}
    for step in range(50):
        model.step(step * 10 * MS, (step + 1) * 10 * MS, runs)
    return model


def test_a_bound_process_runs_only_on_its_cpus() -> None:
    for cpu in SPEC.cpus:
        model = _run(frozenset({cpu}))
        assert [number for number, busy in enumerate(model.busy_ns) if busy] == [cpu]
        assert model.busy_ns[cpu] == 500 * MS


def test_a_busy_cpu_raises_the_frequency_of_its_cluster() -> None:
    model = _run(frozenset({0}))
    assert model.cur_freq_khz[0] == SPEC.clusters[0].freq_khz[-1]
    assert model.cur_freq_khz[2] == SPEC.clusters[2].freq_khz[0]


def test_two_threads_share_two_cpus() -> None:
    model = _run(frozenset({2, 5}), tasks=2)
    assert model.busy_ns[2] == model.busy_ns[5] == 500 * MS


def test_more_threads_than_cpus_wait() -> None:
    model = _run(frozenset({3}), tasks=2)
    assert model.busy_ns[3] == 500 * MS and model.scheduler.backlog_ns == 500 * MS


def test_other_processes_are_placed_as_before() -> None:
    model = KernelModel(SPEC)
    model.bind(1, frozenset({0}))
    for step in range(50):
        model.step(step * 10 * MS, (step + 1) * 10 * MS, {BUSY: 10 * MS, FREE: 10 * MS})
    assert model.busy_ns[0] >= 500 * MS
    assert sum(model.busy_ns[6:]) > 300 * MS

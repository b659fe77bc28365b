"""Placement on cores and the choice of frequencies."""

from __future__ import annotations

from navitas.virtual_phone.kernel.kernel_model import DOWN_LIMIT_NS, Governor
from navitas.virtual_phone.kernel.scheduler import KernelTask, Scheduler, TaskPlacement
from navitas.virtual_phone.kernel.spec import ClusterSpec, PhoneSpec

MS = 1_000_000
DT = 10 * MS
A, B, C = KernelTask(1, 1), KernelTask(1, 2), KernelTask(1, 3)


def run(scheduler: Scheduler, runs: dict[KernelTask, int], steps: int = 1) -> list[TaskPlacement]:
    placed: list[TaskPlacement] = []
    for _ in range(steps):
        scheduler.give(runs, {})
        placed = scheduler.place(DT)
    return placed


def test_a_light_task_stays_small_and_a_heavy_one_grows_to_the_big_core(small_phone: PhoneSpec) -> None:
    scheduler = Scheduler(small_phone)
    assert run(scheduler, {A: DT // 20}, 50) == [TaskPlacement(A, 0, DT // 20)]
    assert run(scheduler, {B: DT}) == [TaskPlacement(B, 0, DT)]
    assert run(scheduler, {B: DT}, 20) == [TaskPlacement(B, 2, DT)]


def test_a_task_stays_where_it_is(small_phone: PhoneSpec) -> None:
    scheduler = Scheduler(small_phone)
    run(scheduler, {A: DT // 20, B: DT // 10})
    cores = {placement.task: placement.core for placement in run(scheduler, {A: DT // 10, B: DT // 20})}
    for share in (30, 12, 25, 10):
        assert {p.task: p.core for p in run(scheduler, {A: DT // share, B: DT // 15})} == cores


def test_busy_tasks_share_out_over_cores_and_overflow_to_other_clusters(small_phone: PhoneSpec) -> None:
    placed = run(Scheduler(small_phone), {A: DT, B: DT, C: DT})
    assert {placement.core for placement in placed} == {0, 1, 2}
    scheduler = Scheduler(small_phone)
    placed = run(scheduler, {A: DT, B: DT, C: DT}, 20)
    assert {placement.core for placement in placed} == {0, 1, 2}
    assert scheduler.backlog_ns == 0


def test_what_does_not_fit_is_carried_over(small_phone: PhoneSpec) -> None:
    scheduler = Scheduler(small_phone)
    assert run(scheduler, {A: DT + 2 * MS}) == [TaskPlacement(A, 0, DT)]
    assert scheduler.backlog_ns == 2 * MS
    assert [placement.run_ns for placement in scheduler.place(DT)] == [2 * MS]
    tasks = {KernelTask(1, tid): DT for tid in range(1, 6)}
    scheduler.give(tasks, {})
    assert sum(placement.run_ns for placement in scheduler.place(DT)) == 3 * DT
    assert sum(placement.run_ns for placement in scheduler.place(DT)) == 2 * DT
    assert scheduler.backlog_ns == 0


def test_waiting_for_the_host_counts_as_wanting_to_run(small_phone: PhoneSpec) -> None:
    scheduler = Scheduler(small_phone)
    for _ in range(30):
        scheduler.give({A: DT // 4}, {A: DT * 3 // 4, B: DT})
        placed = scheduler.place(DT)
    assert placed == [TaskPlacement(A, 2, DT // 4)]
    assert sum(scheduler.core_utils()) > 1000
    run(scheduler, {}, 60)
    assert sum(scheduler.core_utils()) == 0


def test_idle_tasks_are_forgotten(small_phone: PhoneSpec) -> None:
    scheduler = Scheduler(small_phone)
    run(scheduler, {A: DT}, 10)
    run(scheduler, {}, 60)
    assert scheduler.core_utils() == [0.0, 0.0, 0.0]


def test_the_governor_rises_at_once_and_falls_late() -> None:
    governor = Governor(ClusterSpec((0,), (500, 1000), (1.0, 2.0), 0.0, 1024.0))
    governor.update(DOWN_LIMIT_NS, [1024.0])
    assert governor.index == 1
    governor.update(DOWN_LIMIT_NS + DT, [0.0])
    assert governor.index == 1
    governor.update(2 * DOWN_LIMIT_NS, [0.0])
    assert governor.index == 0

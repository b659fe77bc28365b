"""The host's runs on the phone's cores: where the model has each thread, never two at once, nothing lost."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from navitas.virtual_phone.kernel import load_spec
from navitas.virtual_phone.kernel.host_runs import HostRun
from navitas.virtual_phone.kernel.host_slices import Placements, place_runs
from navitas.virtual_phone.kernel.scheduler import KernelTask, Segment
from navitas.virtual_phone.kernel.trace_log import Leaves, SchedSlice, TracedThread

SPEC = load_spec()
APP = 100
THREADS = {tid: TracedThread(tid, APP, "") for tid in range(APP, APP + 12)}
SLEEPS, STAYS = Leaves.SLEEPING, Leaves.RUNNABLE


def placements(*found: tuple[int, int, int, int]) -> Placements:
    """Each as start, end, core and tid."""
    placed = Placements()
    for start_ns, end_ns, core, tid in found:
        placed.note(start_ns, [Segment(0, end_ns - start_ns, core, KernelTask(APP, tid))])
    return placed


def test_a_run_lies_where_the_model_has_the_thread_and_moves_with_it() -> None:
    placed = placements((0, 100, 2, APP), (300, 400, 5, APP))
    assert place_runs(SPEC, [HostRun(50, 350, APP, SLEEPS)], THREADS, placed) == [
        SchedSlice(2, 50, 200, APP, STAYS),
        SchedSlice(5, 200, 350, APP, SLEEPS),
    ]


def test_threads_that_the_model_never_saw_run_where_it_has_such_ones_of_their_process() -> None:
    assert place_runs(SPEC, [HostRun(0, 9, APP, SLEEPS)], THREADS, placements((0, 5, 3, APP + 1), (0, 5, 6, -2)))[0].cpu == 6
    assert place_runs(SPEC, [HostRun(0, 9, APP, SLEEPS)], THREADS, placements((0, 5, 3, APP + 1)))[0].cpu == 3
    assert place_runs(SPEC, [HostRun(0, 9, APP, SLEEPS)], THREADS, Placements())[0].cpu == SPEC.cpus[0]


def test_two_at_once_take_two_cores_of_one_cluster_then_any_then_wait() -> None:
    placed = placements((0, 100, 4, APP))
    placed = place_runs(SPEC, [HostRun(0, 100, APP + k, SLEEPS) for k in range(9)], THREADS, placed)
    assert [one.cpu for one in placed[:2]] == [4, 5] and SPEC.clusters[1].cpus == (4, 5)
    assert {one.cpu for one in placed[:8]} == set(SPEC.cpus)
    assert placed[8].start_ns == 100 and placed[8].end_ns == 200


@given(data=st.data())
def test_nothing_overlaps_and_each_thread_keeps_its_time(data: st.DataObject) -> None:
    times = st.integers(0, 2_000)
    placed = Placements()
    for t0_ns in sorted(data.draw(st.lists(times, max_size=20))):
        core, tid = data.draw(st.integers(0, 7)), data.draw(st.integers(APP - 1, APP + 11))
        placed.note(t0_ns, [Segment(1, 10, core, KernelTask(APP, tid if tid >= APP else -1))])
    runs = []
    for tid in THREADS:
        ends = sorted(data.draw(st.lists(times, max_size=8, unique=True)))
        runs += [HostRun(start_ns, end_ns, tid, SLEEPS) for start_ns, end_ns in list(pairwise(ends))[::2]]
    slices = place_runs(SPEC, runs, THREADS, placed)
    for cpu in SPEC.cpus:
        of_cpu = [one for one in slices if one.cpu == cpu]
        assert all(one.end_ns <= after.start_ns for one, after in pairwise(of_cpu))
    for tid in THREADS:
        own = sorted(one[1:3] for one in slices if one.thread == tid)
        assert all(one[1] <= after[0] for one, after in pairwise(own))
        assert sum(end_ns - start_ns for start_ns, end_ns in own) == sum(r.end_ns - r.start_ns for r in runs if r.thread == tid)

"""Who ran on the host, from its events: exact CPU time, names and processes, also where the kernel gives a tid twice."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from navitas.virtual_phone.kernel.host_runs import HostRun, HostRuns, WatchBegan
from navitas.virtual_phone.kernel.ring_pages import Born, MissedHostEvents, Ran, Switched
from navitas.virtual_phone.kernel.trace_log import Leaves, TracedThread

APP, OTHER = 100, 900


def out(t_ns: int, tid: int, name: bytes, leaves: Leaves = Leaves.SLEEPING) -> Switched:
    return Switched(t_ns, tid, name, leaves, 0, b"swapper/0")


def test_accounts_between_two_switches_are_one_run() -> None:
    host = HostRuns(0)
    events = [
        WatchBegan(0, APP, (APP,)),
        Ran(4_000_000, APP, 3_990_000),
        Ran(8_001_000, APP, 4_000_000),
        out(8_002_000, APP, b"main"),
    ]
    assert host.read(events) == [HostRun(10_000, 8_000_000, APP, Leaves.SLEEPING)]
    assert host.threads == {APP: TracedThread(APP, APP, "main")}


def test_what_was_taken_away_lies_between_runs() -> None:
    host = HostRuns(0)
    runs = host.read([WatchBegan(0, APP, (APP,)), Ran(4_000_000, APP, 4_000_000), Ran(8_000_000, APP, 1_000_000)])
    assert runs == [HostRun(0, 4_000_000, APP, Leaves.RUNNABLE), HostRun(7_000_000, 8_000_000, APP, Leaves.RUNNABLE)]


def test_time_before_the_trace_is_left_out() -> None:
    events = [WatchBegan(1_000, APP, (APP,)), Ran(1_500, APP, 4_000)]
    assert HostRuns(1_000).read(events) == [HostRun(1_000, 1_500, APP, Leaves.RUNNABLE)]


def test_threads_of_a_thread_belong_to_its_process_and_others_stay_out() -> None:
    host = HostRuns(0)
    runs = host.read(
        [
            WatchBegan(0, APP, (APP,)),
            Born(10, APP + 1, APP, True, b"main"),
            Born(11, APP + 2, APP + 1, True, b"main"),
            Born(12, OTHER, APP, False, b"main"),
            Ran(200_000, APP + 2, 100),
            out(200_001, APP + 2, b"worker", Leaves.DEAD),
            Ran(300_000, OTHER, 100),
            Ran(300_001, OTHER + 1, 100),
        ]
    )
    assert runs == [HostRun(199_900, 200_000, APP + 2, Leaves.DEAD)]
    assert host.threads[APP + 2] == TracedThread(APP + 2, APP, "worker")
    assert [birth[1:] for birth in host.births] == [(APP + 1, APP), (APP + 2, APP + 1)]
    assert {thread.pid for thread in host.threads.values()} == {APP}


def test_a_tid_that_is_given_again_is_another_thread() -> None:
    host = HostRuns(0)
    again = APP + 50
    runs = host.read(
        [
            WatchBegan(0, APP, (APP, again)),
            WatchBegan(0, OTHER, (OTHER,)),
            Ran(1_000, again, 10),
            out(1_001, again, b"first", Leaves.DEAD),
            Born(2_000, again, OTHER, True, b"second"),
            Ran(3_000, again, 10),
            Born(4_000, again, 7, True, b"nobody"),
            Ran(5_000, again, 10),
        ]
    )
    assert [host.threads[run.thread] for run in runs] == [TracedThread(again, APP, "first"), TracedThread(again, OTHER, "second")]


def test_a_loss_is_reported() -> None:
    host = HostRuns(0)
    assert host.read([MissedHostEvents(70), WatchBegan(0, APP, (APP,)), MissedHostEvents(30)]) == [] and host.lost_ns == [30, 70]


@given(st.lists(st.tuples(st.integers(1, 10**7), st.integers(0, 10**6), st.booleans()), max_size=60))
def test_no_time_is_lost_and_no_run_overlaps_the_next(pieces: list[tuple[int, int, bool]]) -> None:
    t_ns, events = 0, [WatchBegan(0, APP, (APP,))]
    for run_ns, gap_ns, leaves in pieces:
        t_ns += run_ns + gap_ns
        events.append(Ran(t_ns, APP, run_ns))  # type: ignore[arg-type]
        if leaves:
            events.append(out(t_ns, APP, b"main"))  # type: ignore[arg-type]
    runs = HostRuns(0).read(events)
    assert sum(run.end_ns - run.start_ns for run in runs) == sum(run_ns for run_ns, _, _ in pieces)
    assert all(one.end_ns <= after.start_ns for one, after in pairwise(runs))

"""Traces of the host's scheduler: how its tracer is set and left, what becomes of its pages, the model where it is refused."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from support.fake_tracefs import FakeTracefs, newtask, page, ran, switch

from navitas.virtual_phone.kernel.host_slices import HostSlices
from navitas.virtual_phone.kernel.modelled_slices import ModelledSlices
from navitas.virtual_phone.kernel.scheduler import KernelTask, Segment
from navitas.virtual_phone.kernel.spec import load_spec
from navitas.virtual_phone.kernel.trace_log import Birth, CoreSwitch, Leaves, LostEvents, SchedSlice, TracedThread, TraceLog

SPEC = load_spec()
PID = os.getpid()
CHILD = 4_000_000
_MS = 1_000_000


@pytest.fixture
def now_ns() -> int:
    return time.monotonic_ns() + 1_000_000_000


def test_an_instance_is_private_serves_the_next_trace_and_is_removed(tmp_path: Path) -> None:
    tracefs = FakeTracefs(tmp_path)
    slices = HostSlices(SPEC, tracefs.instance(), [PID])
    (folder,) = (tmp_path / "instances").iterdir()
    assert folder.name.startswith(f"navitas-{PID}-")
    files = {name: (folder / name).read_text() for name in ("trace_clock", "tracing_on", "options/event-fork", "set_event_pid")}
    assert files == {"trace_clock": "mono", "tracing_on": "1", "options/event-fork": "1", "set_event_pid": files["set_event_pid"]}
    assert set(map(int, files["set_event_pid"].split())) >= {2, threading.get_native_id()}
    assert all(path.read_text() == "1" for path in folder.rglob("enable"))
    slices.stop(0)
    assert (folder / "tracing_on").read_text() == "0"
    again = HostSlices(SPEC, tracefs.instance(), [])
    slices.stop(0)
    assert list((tmp_path / "instances").iterdir()) == [folder]
    assert [(folder / name).read_text() for name in ("tracing_on", "set_event_pid")] == ["1", "2 "]
    other = tracefs.instance()
    assert len(list((tmp_path / "instances").iterdir())) == 2
    again.stop(0)
    other.release()
    tracefs.close()
    assert not list((tmp_path / "instances").iterdir())


def test_an_instance_that_does_not_start_is_closed_and_replaced(tmp_path: Path) -> None:
    tracefs = FakeTracefs(tmp_path)
    tracefs.instance().release()
    (folder,) = (tmp_path / "instances").iterdir()
    (folder / "tracing_on").unlink()
    with pytest.raises(OSError, match="tracing_on"):
        tracefs.instance()
    open_files = [file.readlink() for file in Path("/proc/self/fd").iterdir() if file.is_symlink()]
    assert not any(file.is_relative_to(folder) for file in open_files)
    tracefs.instance().release()
    tracefs.close()
    assert not list((tmp_path / "instances").iterdir())


def test_what_killed_phones_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    living = FakeTracefs(tmp_path)
    instance = living.instance()
    strays = [f"navitas-{PID}-1-0", "navitas-4194999-77-3"]
    others = ["navitas", "navitas-x-1-1", "somebody"]
    for name in (*strays, *others):
        (tmp_path / "instances" / name).mkdir()
    FakeTracefs(tmp_path)
    left = {path.name for path in (tmp_path / "instances").iterdir()}
    assert left >= set(others) and not left & set(strays) and len(left) == len(others) + 1
    instance.close()


def pages(now_ns: int) -> dict[int, bytes]:
    """Our first thread starts another, which runs and ends; something of the second core is lost."""
    first = [newtask(now_ns, PID, CHILD, "python"), switch(now_ns + 50, (PID, "main"), 1, (CHILD, "python"))]
    second = [
        ran(now_ns + 5_000, CHILD, 4_000),
        ran(now_ns + 5_001, CHILD + 1, 4_000),
        switch(now_ns + 5_010, (CHILD, "worker"), 0x10, (0, "swapper/1")),
    ]
    return {0: page(first, begin_ns=now_ns), 1: page(second, begin_ns=now_ns + 1, missed=True)}


def test_pages_become_slices_of_the_models_processes(tmp_path: Path, now_ns: int) -> None:
    slices = HostSlices(SPEC, FakeTracefs(tmp_path, pages(now_ns)).instance(), [PID])
    slices.step(now_ns, [Segment(0, 10_000, 6, KernelTask(PID, 0))])
    log = TraceLog(SPEC, now_ns, [300_000, 400_000, 500_000], slices)
    log.end(now_ns + 10_000)
    log.settle()
    assert log.recorded.threads == {CHILD: TracedThread(CHILD, PID, "worker")} and log.recorded.dropped == 0
    events = [event for event in log.events() if isinstance(event, CoreSwitch | LostEvents | Birth)]
    assert {event for event in events if isinstance(event, LostEvents)} == {LostEvents(cpu, now_ns + 1) for cpu in SPEC.cpus}
    assert [event for event in events if isinstance(event, CoreSwitch)] == [
        CoreSwitch(6, now_ns + 1_000, 0, CHILD, Leaves.RUNNABLE),
        CoreSwitch(6, now_ns + 5_000, CHILD, 0, Leaves.DEAD),
    ]
    slices.stop(0)


def test_the_oldest_pages_give_way_and_that_is_reported(tmp_path: Path, now_ns: int) -> None:
    many = b"".join(page([ran(now_ns + _MS * k, PID, 500)], begin_ns=now_ns) for k in range(1, 10))
    instance = FakeTracefs(tmp_path, {0: many}).instance()
    slices = HostSlices(SPEC, instance, [PID], max_bytes=len(many) // 3)
    slices.stop(0)
    recorded = slices.recorded()
    ends = [now_ns + _MS * k for k in (7, 8, 9)]
    assert recorded.dropped > 0 and recorded.lost_ns == [ends[0]]
    assert recorded.slices[-1].end_ns == ends[-1] and sum(s.end_ns - s.start_ns for s in recorded.slices) == 1_500


def test_a_thread_that_began_in_a_page_that_gave_way_still_has_slices(tmp_path: Path, now_ns: int) -> None:
    first = page([newtask(now_ns, PID, CHILD, "python")], begin_ns=now_ns)
    later = b"".join(page([ran(now_ns + _MS * k, CHILD, 500)], begin_ns=now_ns) for k in range(1, 4))
    slices = HostSlices(SPEC, FakeTracefs(tmp_path, {0: first + later}).instance(), [PID], max_bytes=len(later))
    slices.stop(0)
    recorded = slices.recorded()
    assert recorded.threads == {CHILD: TracedThread(CHILD, PID, "python")} and recorded.dropped > 0 and not recorded.births
    assert sum(s.end_ns - s.start_ns for s in recorded.slices) == 1_500


def test_the_models_slices_are_bounded() -> None:
    slices = ModelledSlices(SPEC, limit=2)
    for k in range(3):
        slices.step(100 * k, [Segment(0, 10, 4, KernelTask(4_194_000, -k)), Segment(5, 5, 4, KernelTask(4_194_000, 7))])
    slices.stop(300)
    recorded = slices.recorded()
    assert (
        list(recorded.slices) == [SchedSlice(4, 100, 110, 4_194_302), SchedSlice(4, 200, 210, 4_194_301)]
        and recorded.dropped == 1
    )
    assert recorded.lost_ns == [100]

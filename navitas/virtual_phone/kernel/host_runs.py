"""Convert events of the host's scheduler into runs of the watched processes' threads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from navitas.virtual_phone.kernel.ring_pages import Born, HostEvent, MissedHostEvents, Ran, Switched
from navitas.virtual_phone.kernel.trace_log import Leaves, TracedThread

_JITTER_NS = 50_000  # between the clock of run times and the clock of events
_LIFE_SHIFT = 32  # a key is a tid plus, in higher bits, the number of earlier threads with this tid


class HostRun(NamedTuple):
    """A thread ran without interruption on some core of the host."""

    start_ns: int
    end_ns: int
    thread: int
    leaves: Leaves


class WatchBegan(NamedTuple):
    """A process is watched from `t_ns` on, with these threads."""

    t_ns: int
    pid: int
    tids: tuple[int, ...]


class HostRuns:
    """Runs, threads by key, births (time, key, parent's key), and the times before which events are missing.

    Runs have the CPU time that the kernel accounted, because the time between two switches includes time taken by a hypervisor.
    So the sum of a thread's runs equals its schedstat.
    """

    def __init__(self, start_ns: int) -> None:
        self.threads: dict[int, TracedThread] = {}
        self.births: list[tuple[int, int, int]] = []
        self.lost_ns: list[int] = []
        self._start_ns = start_ns
        self._runs: list[HostRun] = []
        self._open: dict[int, HostRun] = {}
        self._until: dict[int, int] = {}
        self._watched: set[int] = set()
        self._keys: dict[int, int] = {}
        self._lives: dict[int, int] = {}

    def read(self, events: Iterable[HostEvent | WatchBegan]) -> list[HostRun]:
        """Return the runs of all events, which may come in any order. Runs of one thread are in order."""
        for event in sorted(events, key=lambda event: event.t_ns):
            if isinstance(event, Ran):
                self._ran(event)
            elif isinstance(event, Switched):
                self._switched(event)
            elif isinstance(event, Born):
                self._born(event)
            elif isinstance(event, MissedHostEvents):
                self.lost_ns.append(event.t_ns)
            else:
                self._watch_began(event)
        for key in list(self._open):
            self._close(key, Leaves.RUNNABLE)
        return self._runs

    def _ran(self, event: Ran) -> None:
        key = self._keys.get(event.tid)
        if key is None:
            return
        run = self._open.get(key)
        if run is not None and abs(run.end_ns + event.run_ns - event.t_ns) <= _JITTER_NS:
            self._open[key] = run._replace(end_ns=run.end_ns + event.run_ns)
            return
        self._close(key, Leaves.RUNNABLE)
        # Exclude the time before the trace began; two runs never overlap.
        from_ns = max(event.t_ns - event.run_ns, self._start_ns)
        run_ns = event.t_ns - from_ns
        from_ns = max(from_ns, self._until.get(key, from_ns))
        if run_ns > 0:
            self._open[key] = HostRun(from_ns, from_ns + run_ns, key, Leaves.RUNNABLE)

    def _switched(self, event: Switched) -> None:
        leaving, coming = self._keys.get(event.prev_tid), self._keys.get(event.next_tid)
        if leaving is not None:
            self._name(leaving, event.prev_name)
            self._close(leaving, event.leaves)
        if coming is not None:
            self._name(coming, event.next_name)

    def _close(self, key: int, leaves: Leaves) -> None:
        run = self._open.pop(key, None)
        if run is not None:
            self._runs.append(run._replace(leaves=leaves))
            self._until[key] = run.end_ns

    def _watch_began(self, event: WatchBegan) -> None:
        self._watched.add(event.pid)
        for tid in event.tids:
            key = self._keys.get(tid)
            if key is None or self.threads[key].pid != event.pid:
                self._new(tid, event.pid, "")

    def _born(self, event: Born) -> None:
        parent = self._keys.get(event.parent)
        pid = event.tid
        if event.is_thread:
            pid = self.threads[parent].pid if parent is not None else -1
        self._keys.pop(event.tid, None)
        if pid in self._watched:
            key = self._new(event.tid, pid, _text(event.name))
            if event.is_thread and parent is not None:
                self.births.append((event.t_ns, key, parent))

    def _new(self, tid: int, pid: int, name: str) -> int:
        life = self._lives.get(tid, 0)
        self._lives[tid] = life + 1
        key = self._keys[tid] = tid + (life << _LIFE_SHIFT)
        self.threads[key] = TracedThread(tid, pid, name)
        return key

    def _name(self, key: int, name: bytes) -> None:
        thread = self.threads[key]
        if (text := _text(name)) != thread.name:
            self.threads[key] = thread._replace(name=text)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")

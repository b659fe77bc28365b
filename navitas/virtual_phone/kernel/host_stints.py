"""Stints from the host's own scheduler: its tracer tells who really ran when, the model on which of the phone's cores."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from navitas.virtual_phone.kernel.host_runs import HostRuns, Met
from navitas.virtual_phone.kernel.ring_pages import HostEvent, MissedHostEvents
from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.task import Segment
from navitas.virtual_phone.kernel.trace_log import Birth, Noted, Stint
from navitas.virtual_phone.kernel.tracefs import Instance
from navitas.virtual_phone.kernel.virtual_cores import Placements, lay

_PROC = Path("/proc")
_DRAIN_NS = 250_000_000
MOST_BYTES = 64 << 20
"""Of pages that are kept: about 400,000 stints."""
_STINT_BYTES = 160  # two switches and an account
_LOOKS = 2  # at a process's threads: from the first on they are followed, the second finds those started meanwhile


class HostStints:
    """What the host ran of watched processes. The oldest pages give way to new ones once they have `most_bytes`.

    Raises OSError at its making where the host does not let us.
    """

    def __init__(self, spec: PhoneSpec, instance: Instance, pids: Iterable[int], most_bytes: int = MOST_BYTES) -> None:
        self._spec = spec
        self._instance = instance
        self._most_bytes = most_bytes
        self._start_ns = self._drained_ns = time.monotonic_ns()
        self._placements = Placements()
        self._pages: deque[tuple[int, bytes]] = deque()
        self._bytes = 0
        self._dropped: Counter[int] = Counter()
        self._met: list[Met] = []
        for pid in pids:
            self.watch(pid)

    def step(self, t0_ns: int, segments: Sequence[Segment]) -> None:
        """Note a step of the model, and look into the buffers now and then."""
        self._placements.note(t0_ns, segments)
        if t0_ns - self._drained_ns >= _DRAIN_NS:
            self._drained_ns = t0_ns
            self._drain()

    def watch(self, pid: int) -> None:
        """Record a process's threads. Those that they start meanwhile are recorded by themselves."""
        since_ns = time.monotonic_ns()
        known: set[int] = set()
        for _ in range(_LOOKS):
            new = _threads(pid) - known
            if not new:
                break
            self._instance.watch(sorted(new))
            known |= new
        self._met.append(Met(since_ns, pid, tuple(sorted(known))))

    def stop(self, t_ns: int) -> None:
        """Record nothing more, and leave nothing on the host (idempotent)."""
        self._instance.stop()
        self._drain()
        self._instance.remove()

    def noted(self) -> Noted:
        """What was recorded, on the phone's cores."""
        host = HostRuns(self._start_ns)
        runs = host.read([*self._met, *self._events()])
        stints = lay(self._spec, runs, host.threads, self._placements)
        ran = {run.thread for run in runs}
        threads = {key: thread for key, thread in host.threads.items() if key in ran}
        births = _births(stints, [birth for birth in host.births if ran.issuperset(birth[1:])])
        dropped = sum(self._dropped.values()) // _STINT_BYTES
        return Noted(stints, threads, births, sorted(host.lost_ns), dropped)

    def _drain(self) -> None:
        for cpu, page in self._instance.drain():
            self._pages.append((cpu, page))
            self._bytes += len(page)
            while self._bytes > self._most_bytes:
                old_cpu, old = self._pages.popleft()
                self._bytes -= len(old)
                self._dropped[old_cpu] += len(old)

    def _events(self) -> Iterator[HostEvent]:
        begun = set()
        while self._pages:
            cpu, page = self._pages.popleft()
            for event in self._instance.reader.events(page):
                if cpu in self._dropped and cpu not in begun:
                    yield MissedHostEvents(event.t_ns)
                begun.add(cpu)
                yield event


def _births(stints: Sequence[Stint], born: Sequence[tuple[int, int, int]]) -> list[Birth]:
    """Births on the cores where the parents were."""
    wanted = {parent for _, _, parent in born}
    of_parent: dict[int, list[Stint]] = {}
    for stint in stints:
        if stint.thread in wanted:
            of_parent.setdefault(stint.thread, []).append(stint)
    births = []
    for t_ns, key, parent in born:
        at = bisect_right(of_parent[parent], t_ns, key=lambda stint: stint.start_ns) - 1
        births.append(Birth(of_parent[parent][max(at, 0)].cpu, t_ns, key, parent))
    return births


def _threads(pid: int) -> set[int]:
    with suppress(OSError):
        return {int(folder.name) for folder in (_PROC / str(pid) / "task").iterdir()}
    return set()

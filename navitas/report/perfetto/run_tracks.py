"""The tracks of one run: its process, its owners of energy as threads, and its clock."""

from __future__ import annotations

import numpy as np

from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.clock_triples import NO_TRIPLES
from navitas.recording.parse.rail_readings import RailReadings
from navitas.recording.parse.tables import TID_LIMIT
from navitas.report.perfetto.call_stacks import CallStacks
from navitas.report.perfetto.trace_packets import Task, TracePackets


class RunTracks:
    """Describes the tracks of run `row` of the ledger as they are needed.

    An owner that is not a thread, and a group of threads, are threads with ids that no thread has. So is a process whose id is
    unknown.
    """

    def __init__(self, profile: Profile, row: int, packets: TracePackets, stacks: CallStacks) -> None:
        ledger, self._packets, self._stacks = profile.ledger, packets, stacks
        self.entry, self.owners = ledger.runs[row], np.flatnonzero(ledger.owners.run == row)
        self._tids = ledger.owners.tid
        recorded = profile.recorded
        self.tables = None if recorded is None else recorded.runs.get(self.entry.id)
        pid = 0 if recorded is None else recorded.pids.get(self.entry.id, 0)
        self._pid = pid if 0 < pid < TID_LIMIT else TID_LIMIT + row
        self.process = packets.process(self._pid, self.entry.package or profile.project)
        self._clocks = NO_TRIPLES if self.tables is None else self.tables.clocks
        self._tracks: dict[int, int] = {}

    @property
    def rails(self) -> RailReadings | None:
        return None if self.tables is None else self.tables.devices.rails

    def task(self, owner: int) -> Task:
        """Return the thread that an owner is in the trace, and describe it before its first use."""
        self.track(owner)
        return self._task(owner)

    def track(self, owner: int) -> int:
        if owner not in self._tracks:
            self._tracks[owner] = self._packets.thread(self._task(owner), self._stacks.owner(owner))
        return self._tracks[owner]

    def boottime_ns(self, t_ns: I64) -> I64:
        """Convert times of CLOCK_MONOTONIC. Without readings of both clocks, they stay as they are."""
        converted: I64 = np.maximum(self._clocks.to_boottime(t_ns), 0)
        return converted

    def write_clocks(self) -> None:
        """Write the first reading of all clocks, if there is one."""
        complete = np.flatnonzero(self._clocks.boottime_ns > 0)[:1]
        for row in complete.tolist():
            clocks = self._clocks
            self._packets.clocks(*(int(column[row]) for column in (clocks.boottime_ns, clocks.monotonic_ns, clocks.realtime_ns)))

    def _task(self, owner: int) -> Task:
        tid = int(self._tids[owner])
        return Task(self._pid, tid if 0 < tid < TID_LIMIT else 2 * TID_LIMIT + owner)

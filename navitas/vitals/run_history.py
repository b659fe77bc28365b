"""The histories of batterystats that a recording has, one for each run, on the phone's wall clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.batterystats.line_counts import LineCounts
from navitas.batterystats.tables import StateIntervals
from navitas.parse.state_history import uid_of, without_head
from navitas.parse.states_near_run import HistoryClock
from navitas.parse.tables import RunTables
from navitas.recording.store import Recording
from navitas.vitals.device_use import DeviceUse
from navitas.vitals.dump_use import DumpReading
from navitas.vitals.history_use import history_use

_MS_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class RunHistory:
    """The states during a run. Times are nanoseconds since 1970, if `is_wall`; else they are of the history's own clock.

    `states` are in the order of their begin, and may begin before the run. `uid` is the app's, −1 if unknown. `package` is that
    of the run.
    """

    run_id: int
    package: str
    uid: int
    states: StateIntervals
    tags: Sequence[str]
    span_ns: tuple[int, int]
    is_wall: bool
    lines: LineCounts
    dropped: int

    def use(self) -> DeviceUse:
        """Return the use in the run."""
        packages = {self.uid: (self.package,)} if self.uid >= 0 and self.package else {}
        return history_use(self.states, self.tags, self.span_ns, packages)


def run_histories(recording: Recording, runs: Iterable[RunTables]) -> Iterator[RunHistory]:
    """Yield the history of each run that has one. Raises `RecordingError` if a file cannot be read."""
    packages = {run.id: run.package for run in recording.manifest.runs}
    for run in runs:
        for path in recording.files("batterystats", run.run_id)[:1]:
            head: dict[str, list[str]] = {}
            dump = DumpReading()
            for block in without_head(path, head):
                dump.read(block)
            end_ns = dump.reader.end_ms * _MS_NS
            dump.end()
            states, span_ns, is_wall = _on_wall_clock(dump, run, end_ns)
            dropped = dump.history.dropped
            yield RunHistory(
                run.run_id, packages.get(run.run_id, ""), uid_of(head), states, dump.reader.tags, span_ns, is_wall,
                dump.reader.lines, dropped,
            )  # fmt: skip


def _on_wall_clock(dump: DumpReading, run: RunTables, end_ns: int) -> tuple[StateIntervals, tuple[int, int], bool]:
    """Return the states, and the span of the run. A state that is open at the last line lasts until the run's end."""
    states, clock = dump.history.states(), HistoryClock()
    clock.extend(dump.reader.anchors)
    if not clock or run.realtime_offset_ns is None:
        return states, (0, end_ns), False
    span_ns = run.start_ns + run.realtime_offset_ns, run.end_ns + run.realtime_offset_ns
    start_ns = clock.wall_ms(states.start_ns) * _MS_NS
    last_ns = np.where(states.end_ns >= end_ns, span_ns[1], clock.wall_ms(states.end_ns) * _MS_NS)
    return replace(states, start_ns=start_ns, end_ns=np.maximum(start_ns, last_ns)), span_ns, True

"""The histories of batterystats that a recording has, one for each run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.batterystats.line_counts import LineCounts
from navitas.batterystats.tables import Integers, StateIntervals
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
    """The states during a run, on the history's own clock, which counts while the device sleeps.

    `states` are in the order of their begin, and may begin before the run. `span_ns` is the run if `is_joined`; else it is not
    known when the run was, and `span_ns` is the whole history. `uid` is the app's, −1 if unknown. `package` is that of the run.
    """

    run_id: int
    package: str
    uid: int
    states: StateIntervals
    tags: Sequence[str]
    span_ns: tuple[int, int]
    is_joined: bool
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
            states, span_ns = dump.history.states(), _span(dump, run)
            if span_ns is not None:  # A state that is open at the last line lasts until the run's end.
                states = replace(states, end_ns=np.where(states.end_ns >= end_ns, max(span_ns[1], end_ns), states.end_ns))
            yield RunHistory(
                run.run_id, packages.get(run.run_id, ""), uid_of(head), states, dump.reader.tags, span_ns or (0, end_ns),
                span_ns is not None, dump.reader.lines, dump.history.dropped,
            )  # fmt: skip


def _span(dump: DumpReading, run: RunTables) -> tuple[int, int] | None:
    """The run's begin and end on the history's own clock, None if its wall clock is unknown.

    The history is written soon after the run, so its end decides: settings of the wall clock during the run do not matter.
    """
    clock = HistoryClock()
    clock.extend(dump.reader.anchors)
    if not clock or not len(run.clocks.monotonic_ns):
        return None
    wall_ns = run.end_ns + int(run.clocks.realtime_ns[-1] - run.clocks.monotonic_ns[-1])
    end_ns = clock.own_ns(wall_ns // _MS_NS)
    return end_ns - int(elapsed_ns(run, np.array([run.end_ns]))[0]), end_ns


def elapsed_ns(run: RunTables, t_ns: Integers) -> Integers:
    """The time from the run's begin to each monotonic time, with the time that the device slept."""
    both = np.append(run.start_ns, t_ns).astype(np.int64)
    boottime = run.clocks.to_boottime(both)
    return np.asarray(boottime[1:] - boottime[0], np.int64)

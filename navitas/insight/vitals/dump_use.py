"""Reads a dump, a bug report or a recording's histories: the use of each uid, by statistics, or else by the history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from navitas.android.batterystats.dump_file import BugreportCutter, DumpFile, DumpPart
from navitas.android.batterystats.line_counts import LineCounts
from navitas.android.batterystats.reader import BatteryStatsReader
from navitas.android.batterystats.tables import Integers, StateIntervals
from navitas.base.errors import RecordingError
from navitas.base.line_blocks import LineBlock
from navitas.insight.vitals.device_use import DeviceUse, idle_packages, packages_by_uid
from navitas.insight.vitals.dump_warnings import (
    DUMP_COMMAND,
    VitalsWarning,
    cut_off,
    damaged_lines,
    missing_statistics,
    repeated_statistics,
)
from navitas.insight.vitals.history_use import HistoryCollector, history_use
from navitas.insight.vitals.statistics_use import statistics_use
from navitas.recording.parse.state_history import uid_of, without_head
from navitas.recording.parse.states_near_run import HistoryClock
from navitas.recording.parse.tables import RunTables
from navitas.recording.store import Recording

_MS_NS = 1_000_000
_PREFERRED = (DumpPart.PLAIN, DumpPart.CHECKIN, DumpPart.TEXT)
"""Checkin is exact; text is rounded."""


@dataclass(slots=True)
class DumpReading:
    """One dump while it is read."""

    reader: BatteryStatsReader = field(default_factory=BatteryStatsReader)
    history: HistoryCollector = field(default_factory=HistoryCollector)

    def read(self, block: LineBlock) -> None:
        """Read the next lines."""
        for states, battery in self.reader.read(block):
            self.history.add(states)
            self.history.add_battery(battery)

    def end(self) -> None:
        """Add the states that are open at the end."""
        self.history.add(self.reader.end())
        self.history.end_ns = self.reader.end_ms * _MS_NS

    @property
    def has_statistics(self) -> bool:
        """Whether there are statistics since the last charge."""
        return self.reader.statistics.is_begun

    @property
    def has_anything(self) -> bool:
        """Whether anything of batterystats was found."""
        return self.has_statistics or self.history.has_states or bool(self.reader.anchors or self.reader.end_ms)

    def use(self) -> DeviceUse:
        """Return the use by the statistics, or else by the history."""
        statistics = self.reader.statistics
        if self.has_statistics:
            return statistics_use(statistics)
        states = self.history.states()
        packages = packages_by_uid(statistics.packages, set(states.uid.tolist()))
        found = history_use(states, self.reader.tags, (0, self.reader.end_ms * _MS_NS), packages)
        return replace(found, idle=idle_packages(statistics.packages, (one.uid for one in found.uids)))


def read_dump_use(path: Path) -> tuple[DeviceUse, tuple[VitalsWarning, ...]]:
    """Read a file: a dump, or a bug report as text or zip file. Damaged content becomes warnings.

    Raises `RecordingError` if the file cannot be read, or has nothing of batterystats.
    """
    file, cutter = DumpFile(path), BugreportCutter()
    dumps: dict[DumpPart, DumpReading] = {}
    for block in file.blocks():
        for part, piece in cutter.cut(block):
            dumps.setdefault(part, DumpReading()).read(piece)
    for dump in dumps.values():
        dump.end()
    best = _best(dumps)
    if best is None:
        raise _nothing(file, cutter)
    dump = dumps[best]
    use = dump.use()
    is_text = best is DumpPart.TEXT or not dump.reader.checkin_version
    reader, statistics = dump.reader, dump.reader.statistics
    warnings = [
        *cut_off(file.damage, cutter.open_part, best),
        *missing_statistics(
            is_begun=dump.has_statistics, has_users=bool(use.uids), has_time=bool(use.on_battery_ms), is_text=is_text
        ),
        *damaged_lines(reader.lines, uses_history=not dump.has_statistics, dropped=dump.history.dropped + statistics.dropped),
        *repeated_statistics(statistics.repeated, statistics.replaced),
    ]
    return use, tuple(dict.fromkeys(warnings))


def _best(dumps: dict[DumpPart, DumpReading]) -> DumpPart | None:
    found = [part for part in _PREFERRED if part in dumps and dumps[part].has_anything]
    with_users = [part for part in found if dumps[part].reader.statistics.has_users]
    return next(iter([*with_users, *(part for part in found if dumps[part].has_statistics), *found]), None)


def _nothing(file: DumpFile, cutter: BugreportCutter) -> RecordingError:
    damage = f"; {file.damage}" if file.damage else ""
    if not cutter.is_bugreport:
        again = "Copy the file again, or write" if damage else "Write"
        return RecordingError(f"{file.path}: contains nothing of batterystats{damage}", f"{again} a dump: {DUMP_COMMAND}")
    why = damage or ("" if cutter.is_done else "; it does not have its last line, so it may be cut off")
    return RecordingError(
        f"{file.path}: the bug report contains nothing of batterystats{why}",
        f"Take another bug report, or a dump: {DUMP_COMMAND}",
    )


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

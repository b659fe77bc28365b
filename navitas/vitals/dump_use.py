"""Reads a dump or a bug report: the use of each uid, by its statistics, or else by its history."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from navitas.batterystats.dump_file import BugreportCutter, DumpFile, DumpPart
from navitas.batterystats.reader import BatteryStatsReader
from navitas.errors import RecordingError
from navitas.line_blocks import LineBlock
from navitas.vitals.device_use import DeviceUse
from navitas.vitals.dump_warnings import (
    DUMP_COMMAND,
    VitalsWarning,
    cut_off,
    damaged_lines,
    merged_warnings,
    missing_statistics,
    repeated_statistics,
)
from navitas.vitals.history_use import HistoryCollector, history_use
from navitas.vitals.packages import idle_packages, packages_by_uid
from navitas.vitals.statistics_use import statistics_use

_NS = 1_000_000
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
        self.history.end_ns = self.reader.end_ms * _NS

    @property
    def has_statistics(self) -> bool:
        """Whether there are statistics since the last charge."""
        return self.reader.statistics.is_begun

    @property
    def has_anything(self) -> bool:
        """Whether anything of batterystats was found."""
        return self.has_statistics or self.history.has_states or bool(self.reader.anchors)

    def use(self) -> DeviceUse:
        """Return the use by the statistics, or else by the history."""
        statistics = self.reader.statistics
        if self.has_statistics:
            return statistics_use(statistics)
        states = self.history.states()
        packages = packages_by_uid(statistics.packages, set(states.uid.tolist()))
        found = history_use(states, self.reader.tags, (0, self.reader.end_ms * _NS), packages)
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
    return use, merged_warnings(warnings)


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

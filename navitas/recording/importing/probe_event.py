"""One event of a probe of Navitas-Framework: a method's entry or exit, with the time that each CPU spent at each frequency."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from navitas.base.cpu_limit import MAX_CPUS
from navitas.base.untrusted_text import clean_name

TICK_NS = 10_000_000
"""The unit of `time_in_state` (kernel: Documentation/cpu-freq/cpufreq-stats.rst)."""
MAX_EVENTS = 250_000
"""An import with more events is refused. A log buffer of 16 MiB holds 7,000 of eight CPUs."""
END_NS = 1 << 62
"""No time is at or after this one (the year 2116)."""
_MAX_ID = 1 << 31
_MAX_KHZ = 100_000_000
_MAX_TICKS = 1 << 39
_LONGEST_NUMBER = 10**20
_MAX_COLUMNS = 1 << 14
_MAX_LAYOUTS = 1000
"""A log has one, and some more if CPUs are switched off."""

Layout = tuple[tuple[int, tuple[int, ...]], ...]
"""The columns of a reading: each CPU with its frequencies (kHz), in the order of the log. Equal layouts are one object."""
Core = tuple[int, tuple[int, ...]]
"""A CPU and its frequencies, ascending."""
Section = tuple[int, Sequence[int], Sequence[int]]
"""A CPU with its frequencies and ticks."""
_EMPTY: Layout = ()


@dataclass(slots=True)
class ProbeEvent:
    """An entry or exit. `place` is its line or position in the file.

    `realtime_ns` is None if the log has no times, and `tid` 0 if it has no thread ids. `ticks` has a value for each column of the
    layout; both are empty if the reading is missing or damaged.
    """

    place: int
    is_entry: bool
    method: str
    pid: int
    tid: int
    realtime_ns: int | None
    layout: Layout
    ticks: array[int]
    brightness: int = 0
    _totals: dict[int, int] | None = field(default=None, compare=False, repr=False)

    def totals(self) -> Mapping[int, int]:
        """Return the sum of each CPU's ticks."""
        if self._totals is None:
            found, at = {}, 0
            for cpu, frequencies in self.layout:
                found[cpu] = sum(self.ticks[at : at + len(frequencies)])
                at += len(frequencies)
            self._totals = found
        return self._totals

    def count_ticks(self, columns: Sequence[int], ticks: Sequence[int]) -> None:
        """Replace the ticks of these columns."""
        for column, counted in zip(columns, ticks, strict=True):
            self.ticks[column] = counted
        self._totals = None

    def drop_reading(self) -> None:
        """Forget the ticks, which do not fit."""
        self.layout, self.ticks, self._totals = _EMPTY, array("q"), None


def columns_by_core(layout: Layout) -> Iterator[tuple[Core, list[int]]]:
    """Yield each CPU with its columns, by ascending frequency."""
    start = 0
    for cpu, frequencies in layout:
        by_khz = sorted(zip(frequencies, count(start)))
        yield (cpu, tuple(khz for khz, _ in by_khz)), [column for _, column in by_khz]
        start += len(frequencies)


class EventMaker:
    """Makes events of checked values, and counts them."""

    def __init__(self) -> None:
        self._layouts: dict[Layout, Layout] = {}
        self.count = 0
        self.first_defect: tuple[int, str] | None = None
        """The place of the first event without a usable reading, and why."""

    def event(
        self,
        place: int,
        *,
        is_entry: bool,
        method: str,
        ids: tuple[int, int],
        realtime_ns: int | None,
        sections: Sequence[Section] | None,
        brightness: int = 0,
    ) -> ProbeEvent | None:
        """Return an event, or None if it has no name, or an id or the time is impossible.

        `ids` are those of the process and the thread. Without usable `sections`, the event has no reading.
        """
        if not method or not all(0 <= number < _MAX_ID for number in ids):
            return None
        if realtime_ns is not None and not 0 <= realtime_ns < END_NS:
            return None
        self.count += 1
        layout, ticks = self._checked(sections or ())
        if not layout and self.first_defect is None:
            self.first_defect = place, _defect(sections or ())
        return ProbeEvent(place, is_entry, sys.intern(clean_name(method)), *ids, realtime_ns, layout, ticks, brightness)

    def _checked(self, listed: Sequence[Section]) -> tuple[Layout, array[int]]:
        """The layout and ticks; both empty if there is no reading or some value is impossible."""
        layout = tuple((cpu, tuple(frequencies)) for cpu, frequencies, _ in listed)
        known = self._layouts.get(layout)
        if known is None:
            is_usable = len(self._layouts) < _MAX_LAYOUTS and _is_possible(layout)
            known = layout if is_usable else _EMPTY
            if is_usable:
                self._layouts[layout] = layout
        ticks = [value for _, _, values in listed for value in values]
        columns = sum(len(frequencies) for _, frequencies in known)
        if not columns or columns != len(ticks) or min(ticks) < 0 or max(ticks) >= _MAX_TICKS:
            return _EMPTY, array("q")
        return known, array("q", ticks)


def _defect(listed: Sequence[Section]) -> str:
    """Why sections are no usable reading."""
    for cpu, frequencies, ticks in listed:
        if not 0 <= cpu < MAX_CPUS:
            return f"CPU {_number(cpu)} is not below {MAX_CPUS}"
        for khz in frequencies:
            if not 0 < khz <= _MAX_KHZ:
                return f"the frequency {_number(khz)} kHz is impossible"
        for value in ticks:
            if not 0 <= value < _MAX_TICKS:
                return f"{_number(value)} ticks are impossible"
    return "a CPU or frequency is listed twice, or too many" if listed else "it is missing, cut off, or has another form"


def _number(value: int) -> str:
    return str(value) if abs(value) < _LONGEST_NUMBER else f"{float(value):.0e}" if abs(value) < 10**300 else "over 10^300"


def _is_possible(layout: Layout) -> bool:
    """Whether each CPU is listed once and has different frequencies."""
    return (
        len({cpu for cpu, _ in layout}) == len(layout)
        and sum(len(frequencies) for _, frequencies in layout) <= _MAX_COLUMNS
        and all(0 <= cpu < MAX_CPUS and khz and len(set(khz)) == len(khz) for cpu, khz in layout)
        and all(min(khz) > 0 and max(khz) <= _MAX_KHZ for _, khz in layout)
    )

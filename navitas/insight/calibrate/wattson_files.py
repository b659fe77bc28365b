"""Read the CSV files of a folder of Wattson's power curves, and name what is wrong with their figures.

Names of files and columns are Perfetto's (google/perfetto, src/trace_processor/plugins/wattson/data).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.base.units import counted
from navitas.base.untrusted_text import printable_line, printable_list
from navitas.insight.calibrate.points_csv import MAX_BYTES, csv_rows, read_csv
from navitas.power.defects import MOST_W

_MOST_DIGITS = 11
_MOST_FIGURE = MOST_W * 1e3
_HIGHEST_KHZ = 10_000_000
"""Nothing runs at 10 GHz, or below 10 MHz except at 0: larger numbers are Hz."""
_MOST_NAMED = 5
_MOST_ROWS = 5_000
"""The largest file of Perfetto has 1,566."""
_FREQUENCIES = ("freq_khz", "dep_freq")
_COLUMNS = {
    "cpu_1d.csv": (("policy", "freq_khz"), ("static", "active")),
    "cpu_2d.csv": (("policy", "freq_khz", "dep_freq", "dep_policy"), ("static", "active", "interconnect")),
    "l3.csv": (("freq_khz", "dep_freq", "dep_policy"), ("l3_hit", "l3_miss")),
    "gpu.csv": (("freq_khz",), ("active", "idle1", "idle2")),
}
"""Each file's columns of whole numbers, which are the key of a row, and those of figures: mW, or of L3 nJ per access."""
CPU_FILES = ("cpu_1d.csv", "cpu_2d.csv")
FILES = tuple(_COLUMNS)
Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CurveDefect:
    """A figure that is negative, falls as the frequency rises, or is missing. `message` begins with the file and the line."""

    file: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class CurveTable:
    """The rows of a file by their key: the line, and the figures. Frequencies are in kHz, and negative figures are 0.

    `negative` are the negative figures, and `notes` name the columns whose frequencies are in Hz.
    """

    where: str
    lines: Mapping[Key, int]
    figures: Mapping[Key, tuple[float, ...]]
    negative: tuple[CurveDefect, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CurveFolder:
    """The files of a folder. `notes` say what was converted or not read; `unread` are the files that were not."""

    device: str
    tables: Mapping[str, CurveTable]
    defects: tuple[CurveDefect, ...]
    notes: tuple[str, ...]
    unread: tuple[str, ...]


def read_folder(folder: Path) -> CurveFolder:
    """Read all files that Navitas can read, and find their defects.

    Raises `UsageError` if it has no file of a CPU, or with the file and line of the first row that cannot be read.
    """
    devices: dict[str, str] = {}
    paths = [folder / file for file in FILES if (folder / file).exists()]
    tables = {path.name: parse_curves(path.name, read_csv(path, MAX_BYTES), str(path), devices) for path in paths}
    if not any(table.figures for file, table in tables.items() if file in CPU_FILES):
        raise UsageError(f"{folder}: has no curves of a CPU", f"Give a folder with {', '.join(CPU_FILES)}, or both.")
    unread = tuple(sorted(path.name for path in folder.glob("*.csv") if path.name not in FILES))
    notes = [text for table in tables.values() for text in table.notes]
    if unread:
        notes.append(f"{folder}: not read: {printable_list(unread, _MOST_NAMED)}")
    negative = [defect for table in tables.values() for defect in table.negative]
    defects = (*negative, *_falling(tables), *_missing(tables))
    return CurveFolder(next(iter(devices)), tables, defects, tuple(notes), unread)


def parse_curves(file: str, text: str, where: str, devices: dict[str, str]) -> CurveTable:
    """Read the text of one of `FILES`. `devices` has earlier files by their device, and gets this one."""
    keys, values = _COLUMNS[file]
    titles = ("device", *keys, *values)
    remedy = f"The columns are {', '.join(titles)}."
    rows = csv_rows(text, where, remedy)
    _, header = next(rows)
    if missing := [title for title in titles if title not in header]:
        raise UsageError(f"{where}: line 1: no column {missing[0]}", remedy)
    columns = [header.index(title) for title in titles]
    read: list[tuple[int, Key, tuple[float, ...]]] = []
    negative: list[CurveDefect] = []
    notes: list[str] = []
    for number, row in rows:
        line = f"{where}: line {number}"
        if len(row) != len(header):
            raise UsageError(f"{line}: {len(row)} fields, but the header has {len(header)}", "Correct the line.")
        device, *cells = (row[column] for column in columns)
        if devices.setdefault(device, where) and len(devices) > 1:
            earlier, later = list(devices)[:2]
            shown = f"{printable_line(later, 40)}, but {devices[earlier]} are of {printable_line(earlier, 40)}"
            raise UsageError(f"{line}: rows of {shown}", "Give the curves of one device.")
        key = tuple(_whole(keys, cells, line))
        figures = [_figure(title, cell, line) for title, cell in zip(values, cells[len(keys) :], strict=True)]
        for title, cell, figure in zip(values, cells[len(keys) :], figures, strict=True):
            if figure < 0:
                negative.append(CurveDefect(file, "negative", _not_a_figure(title, cell, line)))
        if len(read) == _MOST_ROWS:
            raise UsageError(f"{line}: more than {_MOST_ROWS:,} rows", "Give the curves of one device.")
        read.append((number, key, tuple(max(figure, 0.0) for figure in figures)))
    lines: dict[Key, int] = {}
    in_khz = _in_khz(keys, [(number, key) for number, key, _ in read], where, notes)
    for key, (number, _, _) in zip(in_khz, read, strict=True):
        if lines.setdefault(key, number) != number:
            raise UsageError(f"{where}: line {number}: a second row of the same frequency", "Remove one of them.")
    figures_of = {key: figures for key, (_, _, figures) in zip(in_khz, read, strict=True)}
    return CurveTable(where, lines, figures_of, tuple(negative), tuple(notes))


def _whole(titles: Sequence[str], texts: Sequence[str], line: str) -> Iterator[int]:
    for title, text in zip(titles, texts, strict=False):
        if not (text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS):
            raise UsageError(f"{line}: {title} is {printable_line(text, 40)!r}, not a whole number", "Correct the line.")
        yield int(text)


def _figure(title: str, text: str, line: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= _MOST_FIGURE:
        raise UsageError(_not_a_figure(title, text, line), "Correct the line.")
    return value


def _not_a_figure(title: str, text: str, line: str) -> str:
    return f"{line}: {title} is {printable_line(text, 40)!r}, not a number from 0 on"


def _in_khz(titles: Sequence[str], rows: Sequence[tuple[int, Key]], where: str, notes: list[str]) -> list[Key]:
    """The keys with all frequencies in kHz. Columns in Hz are recognized by their size, a second frequency for each policy."""
    of_unit: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)

    def unit_of(title: str, key: Key) -> tuple[str, int]:
        return title, key[titles.index("dep_policy")] if title == "dep_freq" else -1

    for number, key in rows:
        for title, value in zip(titles, key, strict=True):
            if title in _FREQUENCIES and value:
                of_unit[unit_of(title, key)].append((value, number))
    in_hz = set()
    for (title, policy), values in of_unit.items():
        (lowest, line), (highest, _) = min(values), max(values)
        if highest <= _HIGHEST_KHZ:
            continue
        named = title if policy < 0 else f"{title} of dep_policy {policy}"
        if lowest <= _HIGHEST_KHZ:
            problem = f"{named} is {lowest}, but up to {highest} elsewhere: in kHz and in Hz"
            raise UsageError(f"{where}: line {line}: {problem}", "Use one unit in a column.")
        in_hz.add((title, policy))
        notes.append(f"{where}: {named} is in Hz by its size (up to {highest:,}), and counts as kHz after a division by 1,000")
    return [
        tuple(
            round(value / 1000) if title in _FREQUENCIES and unit_of(title, key) in in_hz else value
            for title, value in zip(titles, key, strict=True)
        )
        for _, key in rows
    ]


def row_name(key: Key) -> str:
    """Return the name of a row of a CPU's file: its policy and frequency, and the second frequency."""
    policy, khz, *second = key
    return f"policy {policy} at {khz} kHz" + (f" with {second_name((second[0], second[1]))}" if second else "")


def second_name(second: tuple[int, int]) -> str:
    """Return the name of a second frequency and the policy that has it: 255 is the unit with the L3 cache (DSU)."""
    return f"dep_freq {second[0]} kHz of dep_policy {second[1]}"


def _falling(tables: Mapping[str, CurveTable]) -> Iterator[CurveDefect]:
    """Powers of one running CPU that are below that of the next lower frequency, at the same second frequency."""
    for file in CPU_FILES:
        if (table := tables.get(file)) is None:
            continue
        power_mw = {key: sum(figures) for key, figures in table.figures.items()}
        for low, high in pairwise(sorted(power_mw, key=lambda key: (key[0], key[2:], key[1]))):
            if (low[0], low[2:]) == (high[0], high[2:]) and power_mw[high] < power_mw[low]:
                text = f"{row_name(high)}: {power_mw[high]:g} mW, less than {power_mw[low]:g} mW at {low[1]} kHz"
                yield CurveDefect(file, "falling", f"{table.where}: line {table.lines[high]}: {text} (line {table.lines[low]})")


def _missing(tables: Mapping[str, CurveTable]) -> Iterator[CurveDefect]:
    """Second frequencies that a frequency of a policy lacks, though its others have them; and CPU 0's rows that the L3 lacks."""
    if (table := tables.get("cpu_2d.csv")) is None:
        return
    seconds: dict[int, set[Key]] = defaultdict(set)
    own: dict[Key, dict[Key, int]] = defaultdict(dict)
    for (policy, khz, *second), line in table.lines.items():
        seconds[policy].add(tuple(second))
        own[policy, khz][tuple(second)] = line
    for (policy, khz), lines in own.items():
        if lacks := seconds[policy] - lines.keys():
            names = [second_name((second[0], second[1])) for second in nsmallest(_MOST_NAMED, lacks)]
            names += ["…"] if len(lacks) > _MOST_NAMED else []
            text = f"policy {policy} at {khz} kHz lacks {counted(len(lacks), 'row')}: {', '.join(names)}"
            yield CurveDefect("cpu_2d.csv", "missing", f"{table.where}: after line {max(lines.values())}: {text}")
    if (cache := tables.get("l3.csv")) is not None:
        for key, line in table.lines.items():
            if key[0] == 0 and key[1:] not in cache.lines:
                yield CurveDefect("l3.csv", "missing", f"{cache.where}: no row of {row_name(key)} ({table.where}: line {line})")

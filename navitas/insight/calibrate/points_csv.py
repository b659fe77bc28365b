"""Read measured operating points from CSV: Navitas's own columns, or freqbench's; and power curves of Perfetto's Wattson.

Wattson has files of a CPU by frequency, and by a second frequency.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.base.regular_files import UTF16_MARKS, read_regular
from navitas.base.untrusted_text import printable_line
from navitas.insight.calibrate.operating_points import LEAST_MW, OperatingPoint, PointSource
from navitas.power.defects import MOST_W

MAX_BYTES = 1 << 22
_MOST_KHZ = 100_000_000
_MOST_CPU = 1023
_MOST_POINTS = 20_000
_REMEDY = "Give a CSV file with the columns cpu (or policy), freq_khz and power_mw; optional: cores, dep_freq_khz."
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?", re.ASCII | re.IGNORECASE)
_SCALES = {"khz": 1.0, "mhz": 1e3, "mw": 1.0, "w": 1e3}
_WHOLE = ("cpu", "cores")
_ONLY_FREQBENCH = "coremarks"
_FREQBENCHS_FIRST = 1
"""Freqbench names a policy by its first CPU, but policy 0 by CPU 1, since CPU 0 is its own."""
_NAMES = (
    ("cpu", re.compile(r"cpu|policy")),
    ("cores", re.compile(r"cores")),
    ("dep_freq", re.compile(r"dep_freq(uency)?([ _]*\(?(?P<unit>khz|mhz)\)?)?")),
    ("freq", re.compile(r"freq(uency)?([ _]*\(?(?P<unit>khz|mhz)\)?)?")),
    ("power", re.compile(r"(active|power)([ _]*\(?(?P<unit>mw|w)\)?)?")),
)
_MOST_DIGITS = 11
_MOST_MW = MOST_W * 1e3
_FILES = {
    "cpu_1d.csv": (("policy", "freq_khz"), ("static", "active")),
    "cpu_2d.csv": (("policy", "freq_khz", "dep_freq", "dep_policy"), ("static", "active", "interconnect")),
}
"""Each file's columns of whole numbers, which are the key of a row, and those of mW that one running CPU uses together."""
FILES = tuple(_FILES)
Key = tuple[int, ...]


def read_csv(path: Path, max_bytes: int) -> str:
    """Return a file's text. Raises `UsageError` if it cannot be read, is empty, or is UTF-16 as spreadsheets export it."""
    try:
        data = read_regular(path, max_bytes)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", "Check the path.") from error
    if not data.strip():
        raise UsageError(f"{path}: is empty", "Check the path, or export the file again.")
    if data.startswith(UTF16_MARKS) or b"\0" in data:
        raise UsageError(f"{path}: is not UTF-8 text, but UTF-16 or binary", "Save it as CSV in UTF-8.")
    return data.decode("utf-8-sig", "replace")


def read_points(path: Path) -> PointSource:
    """Read a CSV file with a header. Units are those of the header (kHz, MHz, mW, W), or kHz and mW.

    Raises `UsageError` with the file and line of the first defect.
    """
    return parse_points(read_csv(path, MAX_BYTES), str(path), path.name)


def parse_points(text: str, where: str, name: str) -> PointSource:
    """Read points from the text of a CSV file; `where` begins messages, `name` is that of the source."""
    rows = _rows(text, where, _REMEDY)
    header = [title.lower() for title in next(rows)[1]]
    columns = _columns(header, where)
    found = list(islice(_points(rows, columns, where), _MOST_POINTS + 1))
    if len(found) > _MOST_POINTS:
        raise UsageError(f"{where}: has more than {_MOST_POINTS:,} points", "Give a mean for each frequency and number of cores.")
    points = tuple(_at_lowest_second(found))
    if is_freqbench := any(title.startswith(_ONLY_FREQBENCH) for title in header):
        points = tuple(replace(point, cpu=0) if point.cpu == _FREQBENCHS_FIRST else point for point in points)
    return PointSource(name, points, is_freqbench or header[columns["cpu"][0]] == "policy")


def _rows(text: str, where: str, remedy: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the cells of the header, then of each row that is not blank. Raises `UsageError` if it is not CSV."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        yield 1, [cell.strip() for cell in next(rows, [])]
        for cells in rows:
            if any(map(str.strip, cells)):
                yield rows.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise UsageError(f"{where}: line {rows.line_num}: {error}", remedy) from None


def _columns(header: list[str], where: str) -> dict[str, tuple[int, float]]:
    """The place and scale of each known column."""
    found: dict[str, tuple[int, float]] = {}
    for place, title in enumerate(header):
        for name, pattern in _NAMES:
            if (match := pattern.fullmatch(title[:100])) is not None:
                found.setdefault(name, (place, _SCALES[match.groupdict().get("unit") or ("mw" if name == "power" else "khz")]))
                break
    missing = [name for name in ("cpu", "freq", "power") if name not in found]
    if missing:
        raise UsageError(f"{where}: line 1: no column for {missing[0]}", _REMEDY)
    return found


def _points(
    rows: Iterator[tuple[int, list[str]]], columns: Mapping[str, tuple[int, float]], where: str
) -> Iterator[tuple[OperatingPoint, float]]:
    """Each point, and the second frequency (kHz) that its power depends on: 0 without one."""
    for line, row in rows:
        texts = {name: row[place] if place < len(row) else "" for name, (place, _) in columns.items()}

        def value(name: str, low: float, high: float, line: int = line, texts: Mapping[str, str] = texts) -> float:
            number = float(texts[name]) * columns[name][1] if _NUMBER.fullmatch(texts[name]) else math.nan
            is_wrong = name in _WHOLE and not number.is_integer()
            if is_wrong or not low <= number <= high:
                shown, kind = printable_line(texts[name], 40), "a whole number" if name in _WHOLE else "a number"
                problem = f"{name} is {shown!r}, not {kind} from {low:g} to {high:g}"
                raise UsageError(f"{where}: line {line}: {problem}", "Correct the line.")
            return number

        point = OperatingPoint(
            round(value("cpu", 0, _MOST_CPU)),
            round(value("freq", 1, _MOST_KHZ)),
            value("power", LEAST_MW, _MOST_MW),
            round(value("cores", 1, _MOST_CPU)) if "cores" in columns else 1,
            line,
        )
        yield point, value("dep_freq", 0, _MOST_KHZ) if texts.get("dep_freq") else 0.0


def _at_lowest_second(points: Sequence[tuple[OperatingPoint, float]]) -> Iterator[OperatingPoint]:
    """The points with the lowest second frequency of their operating point: as if nothing else ran."""
    lowest: dict[tuple[int, int, int], float] = {}
    for point, second in points:
        key = point.cpu, point.freq_khz, point.cores
        lowest[key] = min(second, lowest.get(key, second))
    return (point for point, second in points if second == lowest[point.cpu, point.freq_khz, point.cores])


def read_curves(folder: Path, name: str) -> PointSource:
    """Return the power of one running CPU, with all other CPUs in deep idle, at each frequency of each policy.

    Rows that depend on a second frequency, that of another policy, count at the lowest one: as if nothing else ran.
    Raises `UsageError` with the file and line of the first defect.
    """
    mw: dict[Key, float] = {}
    devices: dict[str, str] = {}
    paths = [folder / file for file in FILES if (folder / file).exists()]
    for path in paths:
        rows = parse_curves(path.name, read_csv(path, MAX_BYTES), str(path), devices)
        lowest: dict[Key, Key] = {}
        for key in sorted(rows):
            lowest.setdefault(key[:2], key)
        mw |= {point: rows[key] for point, key in lowest.items()}
    if not mw:
        raise UsageError(f"{folder}: has no curves of a CPU", f"Give a folder with {', '.join(FILES)}, or both.")
    points = (OperatingPoint(policy, khz, power_mw) for (policy, khz), power_mw in mw.items() if power_mw >= LEAST_MW)
    return PointSource(name, tuple(points), names_policies=True)


def parse_curves(file: str, text: str, where: str, devices: dict[str, str]) -> Mapping[Key, float]:
    """Read the text of one of `FILES`: mW by key. `devices` has earlier files by their device, and gets this one."""
    keys, values = _FILES[file]
    titles = ("device", *keys, *values)
    remedy, found = f"The columns are {', '.join(titles)}.", dict[Key, float]()
    rows = _rows(text, where, remedy)
    _, header = next(rows)
    if missing := [title for title in titles if title not in header]:
        raise UsageError(f"{where}: line 1: no column {missing[0]}", remedy)
    places = [header.index(title) for title in titles]
    for number, row in rows:
        line = f"{where}: line {number}"
        if len(row) != len(header):
            raise UsageError(f"{line}: {len(row)} fields, but the header has {len(header)}", "Correct the line.")
        device, *numbers = (row[place] for place in places)
        if devices.setdefault(device, where) and len(devices) > 1:
            one, two = list(devices)[:2]
            shown = f"{printable_line(two, 40)}, but {devices[one]} are of {printable_line(one, 40)}"
            raise UsageError(f"{line}: rows of {shown}", "Give the curves of one device.")
        key = tuple(_whole(keys, numbers, line))
        if key in found:
            raise UsageError(f"{line}: a second row of the same frequency", "Remove one of them.")
        found[key] = sum(_power(title, text, line) for title, text in zip(values, numbers[len(keys) :], strict=True))
    return found


def _whole(titles: tuple[str, ...], texts: list[str], line: str) -> Iterator[int]:
    for title, text in zip(titles, texts, strict=False):
        if not (text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS):
            raise UsageError(f"{line}: {title} is {printable_line(text, 40)!r}, not a whole number", "Correct the line.")
        yield int(text)


def _power(title: str, text: str, line: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _MOST_MW:
        raise UsageError(f"{line}: {title} is {printable_line(text, 40)!r}, not a number from 0 on", "Correct the line.")
    return value

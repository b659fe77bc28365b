"""Read measured operating points from CSV: Navitas's own columns, or freqbench's."""

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
_MOST_MW = MOST_W * 1e3


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
    rows = csv_rows(text, where, _REMEDY)
    header = [title.lower() for title in next(rows)[1]]
    columns = _columns(header, where)
    found = list(islice(_points(rows, columns, where), _MOST_POINTS + 1))
    if len(found) > _MOST_POINTS:
        raise UsageError(f"{where}: has more than {_MOST_POINTS:,} points", "Give a mean for each frequency and number of cores.")
    points = tuple(_at_lowest_second(found))
    if is_freqbench := any(title.startswith(_ONLY_FREQBENCH) for title in header):
        points = tuple(replace(point, cpu=0) if point.cpu == _FREQBENCHS_FIRST else point for point in points)
    return PointSource(name, points, is_freqbench or header[columns["cpu"][0]] == "policy")


def csv_rows(text: str, where: str, remedy: str) -> Iterator[tuple[int, list[str]]]:
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

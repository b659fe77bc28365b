"""Power curves of Perfetto's Wattson as measured points: CSV files of a CPU by frequency, and by a second frequency."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from navitas.calibrate.csv_text import read_csv
from navitas.calibrate.operating_points import LEAST_MW, OperatingPoint, PointSource
from navitas.errors import UsageError
from navitas.power.defects import MOST_W
from navitas.untrusted_text import printable_line

MAX_BYTES = 1 << 22
_MOST_DIGITS = 11
_MOST_MW = MOST_W * 1e3
_FILES = {
    "cpu_1d.csv": (("policy", "freq_khz"), ("static", "active")),
    "cpu_2d.csv": (("policy", "freq_khz", "dep_freq", "dep_policy"), ("static", "active", "interconnect")),
}
"""Each file's columns of whole numbers, which are the key of a row, and those of mW that one running CPU uses together."""
FILES = tuple(_FILES)
Key = tuple[int, ...]


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
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    keys, values = _FILES[file]
    titles = ("device", *keys, *values)
    found: dict[Key, float] = {}
    try:
        header = [title.strip() for title in next(reader, [])]
        if missing := [title for title in titles if title not in header]:
            raise UsageError(f"{where}: line 1: no column {missing[0]}", f"The columns are {', '.join(titles)}.")
        places = [header.index(title) for title in titles]
        for row in reader:
            if not any(map(str.strip, row)):
                continue
            line = f"{where}: line {reader.line_num}"
            if len(row) != len(header):
                raise UsageError(f"{line}: {len(row)} fields, but the header has {len(header)}", "Correct the line.")
            device, *numbers = (row[place].strip() for place in places)
            if devices.setdefault(device, where) and len(devices) > 1:
                one, two = list(devices)[:2]
                shown = f"{printable_line(two, 40)}, but {devices[one]} are of {printable_line(one, 40)}"
                raise UsageError(f"{line}: rows of {shown}", "Give the curves of one device.")
            key = tuple(_whole(keys, numbers, line))
            if key in found:
                raise UsageError(f"{line}: a second row of the same frequency", "Remove one of them.")
            found[key] = sum(_power(title, text, line) for title, text in zip(values, numbers[len(keys) :], strict=True))
    except csv.Error as error:
        raise UsageError(f"{where}: line {reader.line_num}: {error}", f"The columns are {', '.join(titles)}.") from None
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

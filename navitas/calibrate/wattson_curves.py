"""Power curves of Perfetto's Wattson: CSV files of a CPU by frequency and idle state, of the L3 and of the GPU."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from navitas.calibrate.csv_text import read_csv
from navitas.calibrate.operating_points import Dependency
from navitas.errors import UsageError
from navitas.new_files import write_new
from navitas.power.defects import MOST_W
from navitas.untrusted_text import printable_line

DSU = 255
"""The `dep_policy` of rows that depend on the frequency of the shared unit with the L3."""
MAX_BYTES = 1 << 22
_MOST_FREQUENCY = 100_000_000_000
_MOST_MW = MOST_W * 1e3


@dataclass(frozen=True, slots=True)
class CurveRow:
    """mW of one CPU: running (`active`), in shallow and in deep idle (`idle0`, `idle1`), and once for its policy (`static`).

    `interconnect` is paid once for the system; curves without a second frequency have none.
    """

    static: float
    active: float
    idle0: float
    idle1: float
    interconnect: float = 0.0


@dataclass(frozen=True, slots=True)
class L3Row:
    """Nanojoules of each hit and miss of the L3."""

    l3_hit: float
    l3_miss: float


@dataclass(frozen=True, slots=True)
class GpuRow:
    """mW of the GPU: active, in shallow idle (`idle1`) and off (`idle2`)."""

    active: float
    idle1: float
    idle2: float


Coupled = tuple[int, int, Dependency]
"""Policy, frequency in kHz, and the second frequency."""


@dataclass(frozen=True, slots=True)
class WattsonCurves:
    """All curves of a device. `cpu_1d` is by policy and frequency (kHz), `l3` as the 2-D row of CPU 0, `gpu` by frequency."""

    device: str
    cpu_1d: Mapping[tuple[int, int], CurveRow] = field(default_factory=dict)
    cpu_2d: Mapping[Coupled, CurveRow] = field(default_factory=dict)
    l3: Mapping[tuple[int, Dependency], L3Row] = field(default_factory=dict)
    gpu: Mapping[int, GpuRow] = field(default_factory=dict)

    @property
    def policies(self) -> tuple[int, ...]:
        """All policies with a curve, and those that a curve depends on, ascending."""
        others = {key[2].policy for key in self.cpu_2d} - {DSU}
        return tuple(sorted({key[0] for key in self.cpu_1d} | {key[0] for key in self.cpu_2d} | others))


_KEYS = {
    "cpu_1d": ("policy", "freq_khz"),
    "cpu_2d": ("policy", "freq_khz", "dep_policy", "dep_freq"),
    "l3": ("freq_khz", "dep_policy", "dep_freq"),
    "gpu": ("freq_khz",),
}
_ROWS: dict[str, tuple[type[Any], tuple[str, ...]]] = {
    "cpu_1d": (CurveRow, ("static", "active", "idle0", "idle1")),
    "cpu_2d": (CurveRow, ("static", "active", "idle0", "idle1", "interconnect")),
    "l3": (L3Row, tuple(each.name for each in fields(L3Row))),
    "gpu": (GpuRow, tuple(each.name for each in fields(GpuRow))),
}
FILES = tuple(f"{name}.csv" for name in _KEYS)
Row = TypeVar("Row")


def read_curves(folder: Path) -> WattsonCurves:
    """Read the files of a folder that exist. Raises `UsageError` with the file and line of the first defect."""
    tables: dict[str, dict[Any, Any]] = {}
    devices: dict[str, str] = {}
    for name in _KEYS:
        path = folder / f"{name}.csv"
        if not path.exists():
            continue
        tables[name] = parse_curves(name, read_csv(path, MAX_BYTES), str(path), devices)
    if not tables.get("cpu_1d") and not tables.get("cpu_2d"):
        raise UsageError(f"{folder}: has no curves of a CPU", "Give a folder with cpu_1d.csv, cpu_2d.csv, or both.")
    return WattsonCurves(next(iter(devices)), **tables)


def parse_curves(name: str, text: str, where: str, devices: dict[str, str]) -> dict[Any, Any]:
    """Read one file: its rows by key. `devices` has the device of earlier files with their names, and gets this one."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    kind, values = _ROWS[name]
    titles = ("device", *_KEYS[name], *values)
    found: dict[Any, Any] = {}
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
            key = _key(numbers[: len(_KEYS[name])], line, name)
            if key in found:
                raise UsageError(f"{line}: a second row of the same frequency", "Remove one of them.")
            found[key] = kind(*(_number(text, title, line) for title, text in zip(values, numbers[-len(values) :], strict=True)))
    except csv.Error as error:
        raise UsageError(f"{where}: line {reader.line_num}: {error}", f"The columns are {', '.join(titles)}.") from None
    return found


def _key(texts: Sequence[str], line: str, name: str) -> Any:
    numbers = []
    for title, text in zip(_KEYS[name], texts, strict=True):
        if not (text.isdecimal() and text.isascii() and len(text) <= 11 and int(text) <= _MOST_FREQUENCY):
            raise UsageError(f"{line}: {title} is {printable_line(text, 40)!r}, not a whole number", "Correct the line.")
        numbers.append(int(text))
    match name:
        case "gpu":
            return numbers[0]
        case "cpu_1d":
            return tuple(numbers)
        case _:
            return (*numbers[:-2], Dependency(*numbers[-2:]))


def _number(text: str, title: str, line: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _MOST_MW:
        raise UsageError(f"{line}: {title} is {printable_line(text, 40)!r}, not a number from 0 on", "Correct the line.")
    return value


def curve_files(curves: WattsonCurves) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each file with rows."""
    for name, keys in _KEYS.items():
        table: Mapping[Any, Any] = getattr(curves, name)
        if not table:
            continue
        values = _ROWS[name][1]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["device", *keys, *values])
        for key, row in sorted(table.items()):
            flat = [key] if isinstance(key, int) else [*key[:-1], *(key[-1] if isinstance(key[-1], tuple) else [key[-1]])]
            writer.writerow([curves.device, *flat, *(_text(getattr(row, each)) for each in values)])
        yield f"{name}.csv", out.getvalue()


def write_curves(folder: Path, curves: WattsonCurves) -> None:
    """Write the files into a folder that exists. Raises `OSError`."""
    for name, text in curve_files(curves):
        write_new(folder / name, text)


def _text(value: float) -> str:
    """The shortest text that is read back as this number."""
    return repr(int(value)) if value == int(value) else repr(float(value))

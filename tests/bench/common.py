"""Shared by all benchmarks: a table of figures with their limits, timing, and peak memory."""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

_MEASURE = """\
import os, sys, time
begin = time.perf_counter()
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # for `support`
_STAGE = re.compile(r"^(\S.*?)(?: of .*| \(.*)?: (\d+\.\d\d) s$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: lower is better. `at_most` is its limit, or None. `note` names what it is compared with."""

    name: str
    measured: float
    unit: str = ""
    at_most: float | None = None
    note: str = ""

    @property
    def missed(self) -> bool:
        return self.at_most is not None and not self.measured <= self.at_most


@dataclass(slots=True)
class Figures:
    """The figures of one benchmark, printed as a table *figure · limit · measured · compared with*."""

    title: str
    rows: list[Figure] = field(default_factory=list)

    def add(self, name: str, measured: float, unit: str = "", *, at_most: float | None = None, note: str = "") -> None:
        """Add a figure. `note` names the reference in the same run and the ratio to it (`compared_with`)."""
        self.rows.append(Figure(name, measured, unit, at_most, note))

    def close(self, check: bool) -> int:
        """Print the table; return 1 if `check` is set and a figure exceeds its limit, otherwise 0."""
        table = Table(title=self.title, title_justify="left")
        for column in ("figure", "limit", "measured", "compared with"):
            table.add_column(column, justify="left" if column in {"figure", "compared with"} else "right")
        for row in self.rows:
            limit = "" if row.at_most is None else f"≤ {shown(row.at_most, row.unit)}"
            table.add_row(row.name, limit, f"[{'red' if row.missed else 'default'}]{shown(row.measured, row.unit)}[/]", row.note)
        Console(width=130).print(table)
        missed = [row.name for row in self.rows if row.missed]
        if missed:
            print(f"{self.title}: missed: {'; '.join(missed)}")
        return int(check and bool(missed))


def shown(value: float, unit: str) -> str:
    """`5.52 s`, `1,234,567`; three significant digits below a thousand."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{text} {unit}".strip()


def compared_with(measured: float, floor: float, name: str, unit: str = "s") -> str:
    """`3.4 × numpy's cumsum (1.2 s)`."""
    return f"{measured / floor:.2f} × {name} ({shown(floor, unit)})"


def arguments(description: str, argv: Sequence[str], parts: Sequence[str] = ()) -> argparse.Namespace:
    """The options of all benchmarks: `--check`, and `--quick` for a smaller, less exact run; and names of `parts` to run."""
    parser = argparse.ArgumentParser(description=description)
    if parts:
        parser.add_argument("parts", nargs="*", choices=[[], *parts], metavar="PART", help=f"{', '.join(parts)}; all by default")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a figure exceeds its limit")
    parser.add_argument("--quick", action="store_true", help="smaller inputs and fewer rounds")
    return parser.parse_args(argv)


def median_s(work: Callable[[], object], rounds: int) -> float:
    """The median time of several runs, in seconds."""
    return statistics.median(_timed(work) for _ in range(rounds))


class Measured(NamedTuple):
    """The cost of a process: wall and CPU seconds, and peak resident memory."""

    wall_s: float
    cpu_s: float
    peak_mib: float


def run_measured(command: Sequence[str | Path], *, ends_with: int = 0) -> Measured:
    """Run a command to its end. Raises RuntimeError if it ends with another exit code."""
    # A process inherits the peak of its parent, so a small process starts it.
    started = [sys.executable, "-S", "-E", "-c", _MEASURE, *map(str, command)]
    done = subprocess.run(started, stdout=subprocess.PIPE, text=True, check=False)
    wall_s, cpu_s, peak_kib, code = done.stdout.split()
    if int(code) != ends_with:
        raise RuntimeError(f"{command} ended with {code}")
    return Measured(float(wall_s), float(cpu_s), int(peak_kib) / 1024)


def printed_s(program: str, *words: str | Path, python: str | Path = sys.executable) -> float:
    """The seconds that a program of Python prints: the better of two runs."""
    command = [python, "-c", program, *words]
    runs = (subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout for _ in range(2))
    return min(map(float, runs))


def stages_s(printed: str) -> dict[str, float]:
    """The seconds of each stage that a command with `--verbose` has printed; those of runs and versions together."""
    taken: dict[str, float] = {}
    for stage, seconds in _STAGE.findall(printed):
        taken[stage] = taken.get(stage, 0.0) + float(seconds)
    return taken


def _timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin

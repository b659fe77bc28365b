"""CPU time of commands whose input is far larger than usual, as a multiple of the least work with the same files.

The limits are for full size: with `--quick`, the program's start takes most of the time.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import Figures, arguments, run_measured, shown
from support.art_writer import art_trace
from support.ftrace_writer import Form, comments

from navitas.base.errors import ExitCode

_NAVITAS = [sys.executable, "-c", "from navitas.cli.main import main; main()"]
_BLOCK = 1 << 20
_NNLS = """\
import sys, numpy as np
from scipy.optimize import nnls
table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
nnls(table[:, :-1], table[:, -1])
"""
_JSON = """\
import json, sys
for path in sys.argv[1:]:
    with open(path, "rb") as stream:
        json.loads(stream.read())
"""
_LINES = """\
import sys, zipfile
path = sys.argv[1]
with zipfile.ZipFile(path).open("bugreport-made.txt") if path.endswith(".zip") else open(path, "rb", buffering=0) as stream:
    while block := stream.read(1 << 20):
        block.count(b"\\n")
"""
_FIELDS = """\
import sys
for path in sys.argv[1:]:
    with open(path, encoding="latin-1") as stream:
        for line in stream:
            line.split("\\t")
"""


class Floor(NamedTuple):
    """A program that does the least work with the files of a command."""

    name: str
    code: str
    files: Sequence[Path]


def main(argv: list[str]) -> int:
    """Write an input for each command, and run it."""
    options = arguments(__doc__ or "", argv)
    part = 10 if options.quick else 1
    figures = Figures("Commands with large inputs (CPU time, with the program's start)")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)

        def add(name: str, at_most: float, words: Sequence[str | Path], floor: Floor, *, ends_with: int = ExitCode.OK) -> None:
            taken = run_measured([*_NAVITAS, *words], ends_with=ends_with)
            floor_s = run_measured([sys.executable, "-c", floor.code, *floor.files]).cpu_s
            note = f"{shown(taken.cpu_s, 's')}; {floor.name}: {shown(floor_s, 's')}; {taken.peak_mib:,.0f} MiB"
            figures.add(name, taken.cpu_s / floor_s, "×", at_most=None if options.quick else at_most, note=note)

        table = _table(folder / "cases.csv", 400, 300 // part)
        words: list[str | Path] = ["operations", "fit", "--table", table, "--target", "energy_j", "-o", folder / "model.json"]
        add(f"operations fit, {300 // part} columns × 400 rows", 12, words, Floor("scipy's nnls", _NNLS, [table]))
        sides = [_reports(folder / side, 100_000 // part, seed) for seed, side in enumerate(("before", "after"))]
        floor = Floor("json.loads", _JSON, [path for side in sides for path in sorted(side.iterdir())])
        add(f"compare, {100_000 // part:,} methods", 12, ["compare", *sides, "--min-share", "0"], floor)
        for path in _line_feeds(folder, 1000 // part):
            name, floor = f"vitals, {1000 // part:,} MiB of line feeds ({path.suffix})", Floor("counting lines", _LINES, [path])
            add(name, 10, ["vitals", path], floor, ends_with=ExitCode.TROUBLE)
        trace, methods = _traces(folder, 1_000_000 // part)
        words = ["import", trace, "--methods", methods, "-o", folder / "rec", "--power-profile", "google-pixel-6"]
        add(f"import, {1_000_000 // part:,} methods", 60, words, Floor("splitting lines", _FIELDS, [trace, methods]))
    return figures.close(options.check)


def _table(path: Path, rows: int, columns: int) -> Path:
    """Counts of operations of which each case has a third, and energy with 5 % of noise."""
    random = np.random.default_rng(0)
    mean = random.uniform(1, 1000, columns) * random.exponential(1, (rows, columns))
    counts = random.poisson(mean * (random.random((rows, columns)) < 0.3))
    energy = (counts @ random.uniform(1e-8, 1e-6, columns) + 1e-3) * np.exp(0.05 * random.standard_normal(rows))
    header = ",".join([*(f"op{place}" for place in range(columns)), "energy_j"])
    np.savetxt(path, np.column_stack([counts, energy]), delimiter=",", header=header, comments="", fmt="%.9g")
    return path


def _reports(folder: Path, methods: int, seed: int) -> Path:
    """Two sessions with two runs of a test each."""
    random = np.random.default_rng(seed)
    folder.mkdir()
    for session in range(2):
        document = {
            "schema_version": 2,
            "created_utc": f"2026-01-01T00:0{seed}:0{session}Z",
            "device": {"kind": "phone", "model": "Made"},
            "power_profile": {"sha256": "0"},
            "evidence": {"components": {"cpu": {"level": "sched"}}},
            "tests": [_test(repeat, random.lognormal(-7, 1, methods) * random.lognormal(0, 0.05)) for repeat in range(2)],
        }
        (folder / f"{session}.json").write_text(json.dumps(document))
    return folder


def _test(repeat: int, methods_j: np.ndarray) -> dict[str, object]:
    whole_j = float(methods_j.sum())
    methods = [
        {"module": ":", "class": f"a.b.C{number // 10}", "name": f"m{number}", "descriptor": "(I)V", "exclusive_j": energy_j}
        for number, energy_j in enumerate(methods_j.tolist())
    ]
    threads = [{"name": "main", "role": "app", "energy_j": whole_j, "methods": methods}]
    energies = {name: {"cpu": whole_j} for name in ("components", "app_components", "base_components")}
    names = {"module": ":", "class": "a.SortTest", "method": "sorts"}
    return {**names, "repeat": repeat, "status": "passed", "energy_j": whole_j, "threads": threads, **energies}


def _line_feeds(folder: Path, blocks: int) -> Iterator[Path]:
    plain, packed = folder / "empty.txt", folder / "empty.zip"
    archive = zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED)
    with plain.open("wb") as out, archive, archive.open("bugreport-made.txt", "w") as member:
        for _ in range(blocks):
            out.write(b"\n" * _BLOCK)
            member.write(b"\n" * _BLOCK)
    yield plain
    yield packed


def _traces(folder: Path, methods: int) -> tuple[Path, Path]:
    """A thread that calls some of the methods in each of its scheduling slices."""
    form, rows, events = Form(tgid=True), list[str](), []
    random = np.random.default_rng(3)
    at, used = 5_000_000, 0
    for number in range(0, methods, max(methods // 1000, 1)):
        ran, pause = random.integers(500, 9000).item(), random.integers(300, 12_000).item()
        rows.append(form.switch(0, at * 1000, ("swapper", 0, "R"), ("org.example.app", 100)))
        rows.append(form.switch(0, (at + ran) * 1000, ("org.example.app", 100, "S"), ("swapper", 0), tgid=100))
        events += [(1, 4 * (number + 1), end, used + end * ran, at - 5_000_000 + end * ran) for end in (0, 1)]
        at, used = at + ran + pause, used + ran
    kernel, calls = folder / "kernel.txt", folder / "app.trace"
    kernel.write_text(comments("mono") + "".join(form.frequency(cpu, 5_000_000_000, 300_000) for cpu in range(8)) + "".join(rows))
    lines = [f"{4 * (i + 1):#x}\ta.b.C{i // 10}\tm{i}\t(I)V\tC{i // 10}.java\t{i % 1000}" for i in range(methods)]
    calls.write_bytes(art_trace(events, {1: "main"}, methods=lines, start_us=5_000_000))
    return kernel, calls


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

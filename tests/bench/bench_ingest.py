"""Ingestion of files with samples of 30 apps each into a fleet, compared with DuckDB's read, sort and write of the same files."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.json as pj
import pyarrow.parquet as pq
from common import Figures, Measured, arguments, compared_with, run_measured

_APPS, _INSTALLED = 30, 3000
_KINDS = ("jsonl", "csv", "parquet")
_DUCKDB = """
import duckdb, sys
duckdb.execute("SET threads = 2")
duckdb.execute(f"COPY (FROM '{sys.argv[1]}' ORDER BY client, time) TO '{sys.argv[2]}' (FORMAT parquet, COMPRESSION lz4)")
"""
_LONGEST_US = {"jsonl": 10.0}
_NAVITAS = [sys.executable, "-c", "from navitas.cli.main import main; main()", "fleet", "ingest"]


def main(argv: list[str]) -> int:
    """Write files, and ingest them."""
    options = arguments(__doc__ or "", argv)
    rows = 20_000 if options.quick else 500_000
    figures = Figures("Ingesting samples (with the program's start)")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = {kind: folder / f"samples.{kind}" for kind in _KINDS}
        with files["jsonl"].open("w") as lines, files["csv"].open("w") as cells:
            cells.write("client,time,level,state,screen,apps\n")
            for client, time_s, level, apps in _samples(rows):
                row = {"client": client, "time": time_s, "level": level, "state": "discharging", "screen": True, "apps": apps}
                lines.write(json.dumps(row) + "\n")
                cells.write(f"{client},{time_s},{level},discharging,true,{' '.join(apps)}\n")
        pq.write_table(pj.read_json(files["jsonl"]), files["parquet"])
        for kind, file in files.items():
            taken = run_measured([*_NAVITAS, folder / kind, file])
            bare = run_measured([sys.executable, "-c", _DUCKDB, file, folder / "sorted.parquet"])
            name = f"{rows:,} rows of {kind} ({file.stat().st_size / 2**20:,.0f} MiB)"
            _add(figures, name, taken, bare, rows, None if options.quick else _LONGEST_US.get(kind))
        again = run_measured([*_NAVITAS, folder / "jsonl", files["csv"]])
        figures.add(f"the same {rows:,} rows from the other file", again.cpu_s, "s", note="all are duplicates")
        many = folder / "many"
        many.mkdir()
        with files["jsonl"].open() as lines:
            for number in range(rows // 250):
                (many / f"{number:05}.jsonl").write_text("".join(next(lines) for _ in range(100)))
        each = run_measured([*_NAVITAS, folder / "small", many])
        small = rows // 250 * 100
        figures.add(f"{rows // 250:,} files of 100 rows", each.cpu_s, "s", note=f"{small / each.cpu_s:,.0f} rows a CPU-second")
    return figures.close(options.check)


def _add(  # noqa: PLR0917
    figures: Figures, name: str, taken: Measured, bare: Measured, rows: int, longest_us: float | None
) -> None:
    note = f"{rows / taken.cpu_s:,.0f} rows a CPU-second; {compared_with(taken.cpu_s, bare.cpu_s, 'DuckDB')}"
    figures.add(name, taken.cpu_s, "CPU-s", note=note)
    figures.add("times DuckDB's read, sort and write", taken.cpu_s / bare.cpu_s, "×")
    per_second = f"{rows / taken.wall_s:,.0f} rows a second on {os.cpu_count()} cores"
    figures.add("its time for a row", 1e6 * taken.wall_s / rows, "µs", at_most=longest_us, note=per_second)
    figures.add("its peak memory", taken.peak_mib, "MiB", at_most=1024)


def _samples(rows: int) -> Iterator[tuple[str, int, int, list[str]]]:
    """Clients with 500 samples each, whose apps are drawn by popularity."""
    draw = random.Random(1)
    names = [f"com.example.app{number}@{number % 7}.{number % 3}" for number in range(_INSTALLED)]
    weights = [1 / (number + 1) for number in range(_INSTALLED)]
    for number in range(rows):
        client, sample = divmod(number, 500)
        yield f"phone-{client}", 1_700_000_000 + sample * 600, 100 - sample % 100, draw.choices(names, weights, k=_APPS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

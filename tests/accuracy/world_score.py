"""Compares the fleet's findings with simulated worlds, by regime (docs/dev/fleet-world.md).

`python tests/accuracy/world_score.py [--seeds N] [--phones N] [--regime NAME] [--keep FILE] [--write]`; exits with 1 if a
target is missed. `make fleet-accuracy` runs it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import navitas.fleet  # noqa: F401  # isort: skip  # Before numpy, since it limits the threads of numpy's algebra.
import pyarrow as pa
import pyarrow.parquet as pq
from world.regimes import REGIMES
from world.rows import SAMPLES
from world.simulation import World, simulate
from world_counts import WorldCounts
from world_findings import counts_of
from world_table import HEAD, PLANTED_HEAD, missed_targets, planted_rows, row

from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.ingest.ingest_files import ingest
from navitas.fleet.stages import bring_up_to_date
from navitas.fleet.store import Store

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

DOC = Path(__file__).resolve().parents[2] / "docs" / "dev" / "fleet-world.md"
_FROM, _TO = "<!-- tests/accuracy/world_score.py writes from here -->", "<!-- to here -->"
Counts = TypeVar("Counts", bound="DataclassInstance")
# Development used other seeds.
_SEED, _SEEDS = 7401, 5


def main(argv: Sequence[str]) -> int:
    """Simulate worlds, ingest their samples, and compare findings with the truth."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="\n".join(["regimes:", *(f"  {name}" for name in REGIMES)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seeds", type=int, default=_SEEDS, metavar="N", help="worlds of each regime (%(default)s)")
    parser.add_argument("--first", type=int, default=_SEED, metavar="N", help="the first seed (%(default)s)")
    parser.add_argument("--phones", type=int, default=240, metavar="N", help="phones in a world (240)")
    parser.add_argument(
        "--regime", action="append", choices=list(REGIMES), metavar="NAME", help="only this regime; repeatable (all; names below)"
    )
    parser.add_argument("--keep", type=Path, metavar="FILE", help="reuse the results in this file, and add new ones")
    parser.add_argument("--write", action="store_true", help="write the tables to docs/dev/fleet-world.md")
    options = parser.parse_args(argv)
    total = {regime: WorldCounts() for regime in options.regime or REGIMES}
    for seed in range(options.first, options.first + options.seeds):
        for regime in total:
            world = simulate(replace(REGIMES[regime], phones=options.phones), seed)
            key = f"{regime}, seed {seed}, {options.phones} phones"
            total[regime] += kept(options.keep, key, WorldCounts, partial(_one, world, seed))
    lines = [
        f"Worlds of {options.phones} phones:",
        "",
        *HEAD,
        *(row(regime, found) for regime, found in total.items()),
        "",
        *PLANTED_HEAD,
        *planted_rows(total),
    ]
    missed = [f"{regime}: {name}" for regime, found in total.items() for name in missed_targets(regime, found)]
    print("\n".join([*lines, *(f"missed: {one}" for one in missed or ["nothing"])]))
    if options.write:
        write_section(DOC, _FROM, _TO, lines)
    return int(bool(missed))


def write_section(page: Path, begin: str, end: str, lines: Sequence[str]) -> None:
    """Replace what lies between two markers of a page."""
    before, rest = page.read_text("utf-8").split(begin)
    _, after = rest.split(end)
    page.write_text(f"{before}{begin}\n" + "\n".join(lines) + f"\n{end}{after}", "utf-8")


def kept(file: Path | None, key: str, kind: type[Counts], count: Callable[[], Counts]) -> Counts:
    """Return the counts of one fleet: read from the file, or computed and appended to it."""
    known = dict(map(json.loads, file.read_text("utf-8").splitlines())) if file and file.exists() else {}
    if key in known:
        return kind(
            **{one.name: known[key][one.name] for one in fields(kind) if one.name in known[key]}
        )  # Older ones have others.
    found = count()
    print(f"{key}: {found}", file=sys.stderr, flush=True)
    if file:
        with file.open("a") as out:
            print(json.dumps([key, {one.name: getattr(found, one.name) for one in fields(found)}]), file=out)
    return found


def write_samples(file: Path, samples: Iterable[pa.Table]) -> None:
    """Write tables of samples to one file."""
    with pq.ParquetWriter(file, SAMPLES) as writer:
        for table in samples:
            writer.write_table(table)


def _one(world: World, seed: int) -> WorldCounts:
    with tempfile.TemporaryDirectory(prefix="navitas-world-") as folder:
        store, file = Store.create(Path(folder) / "store", buckets=8, salt=f"world-{seed}"), Path(folder) / "samples.parquet"
        write_samples(file, world.samples())
        (outcome,) = ingest(store.path, [file])
        assert outcome.error is None and not outcome.refused, (outcome.error, outcome.refused)
        engine = DuckDbEngine(store.work / "spill")
        try:
            return counts_of(bring_up_to_date(store, engine), world)
        finally:
            engine.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

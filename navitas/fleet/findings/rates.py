"""Pairs of samples with their rates and apps, row by row, for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from navitas.base.errors import UsageError
from navitas.base.new_files import replacing
from navitas.base.untrusted_text import FORMULA_BEGIN
from navitas.fleet.files import FleetError, one_line
from navitas.fleet.findings.results import PERCENT_H
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.regression.memberships import AppLists
from navitas.fleet.regression.pairs import PAIR_COLUMNS, ClientSamples, Pairs, ordered, packages_in, pairs_of, samples_in
from navitas.fleet.schema import pseudonym
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import I64
from navitas.fleet.store import first_and_last_s
from navitas.fleet.units import samples_of

RATES = pa.schema(
    [
        ("client", pa.string()),
        *((name, pa.int64()) for name in ("from_s", "to_s")),
        *((name, pa.float64()) for name in ("drop_percent", "rate_percent_h", "rate_low_percent_h", "rate_high_percent_h")),
        ("screen", pa.int8()),
        *((name, pa.list_(pa.string())) for name in ("apps_both", "apps_one")),
    ]
)
"""A row for each pair. Begin and end are Unix times. The rate has bounds by the level's step, null if unknown.

`screen` is the number of ends with the screen on. Apps (`app@version`) ran at both ends or at one end.
"""
PERCENTILES = (5, 25, 50, 75, 95)
_STEPS = "SELECT client, COALESCE(MIN(NULLIF(step_ppm, 0)), 0) AS step_ppm FROM clients GROUP BY client"
_SET_ASIDE = "SELECT client FROM clients GROUP BY client HAVING SUM(set_aside) > 0"
ENDINGS = (".csv", ".parquet")


@dataclass(frozen=True, slots=True)
class Summary:
    """Pairs that count, pairs refused by reason, and clients' drains in % of a battery per hour. The fields are keys of JSON.

    `from_s` and `to_s` are the Unix times of the first and the last sample, None without samples.

    `clients_drain_percentiles_percent_h` has the percentiles of clients' mean drains, by percent. Without pairs, it is empty, and
    the drain is None. `set_aside` are clients of whom no pair counts in some month, because their samples contradict themselves.
    """

    clients: int
    samples: int
    from_s: int | None
    to_s: int | None
    pairs: int
    hours: float
    drain_percent_h: float | None
    clients_drain_percentiles_percent_h: dict[str, float]
    refused: dict[str, int]
    set_aside: list[str]


def summary_of(fleet: Fleet) -> Summary:
    """A summary of all pairs."""
    scores = score_clients(fleet)
    pairs, seconds, drop = fleet.totals()
    known = scores.rate[np.isfinite(scores.rate)] * PERCENT_H
    percentiles = np.percentile(known, PERCENTILES).tolist() if len(known) else []
    from_s, to_s = first_and_last_s(fleet.store, fleet.store.period) or (None, None)
    return Summary(
        clients=len(scores.client),
        samples=int(scores.samples.sum()),
        from_s=from_s,
        to_s=to_s,
        pairs=pairs,
        hours=seconds / 3600,
        drain_percent_h=drop / seconds * PERCENT_H if seconds else None,
        clients_drain_percentiles_percent_h=dict(zip(map(str, PERCENTILES), percentiles, strict=False)),
        refused=fleet.refused(),
        set_aside=sorted(map(pseudonym, fleet.query_clients(_SET_ASIDE)["client"].to_pylist())),
    )


class LevelSteps(NamedTuple):
    """Clients, ascending, and the smallest change of each one's level in any month; 0 where it never changed."""

    client: I64
    step_ppm: I64

    @classmethod
    def of(cls, fleet: Fleet) -> LevelSteps:
        """The steps of all clients."""
        found = fleet.query_clients(_STEPS).sort_by("client")
        return cls(found["client"].to_numpy(), found["step_ppm"].to_numpy().astype(np.int64))


def unit_pairs(samples: pa.Table, begins_s: int, steps: LevelSteps) -> tuple[ClientSamples, Pairs, I64, I64]:
    """A unit's ordered samples, their pairs, and those that count: the sample that ends each one, and its client's step."""
    read = samples_in(samples)
    pairs = pairs_of(read)
    row = np.flatnonzero(pairs.counts & (read.time_s >= begins_s))
    return read, pairs, row, steps.step_ppm[np.searchsorted(steps.client, read.client[row])]


def rates(fleet: Fleet) -> Iterator[pa.Table]:
    """Yield the pairs that count, unit by unit. Raises `FleetError` if samples cannot be read."""
    names, steps = _package_names(fleet), LevelSteps.of(fleet)
    for done, (job, samples) in enumerate(samples_of(fleet.jobs, [*PAIR_COLUMNS, "apps"]), 1):
        yield _of_unit(ordered(samples), job.begins_s, names, steps)
        fleet.progress(done, len(fleet.jobs))


def _of_unit(samples: pa.Table, begins_s: int, names: pa.Array, steps: LevelSteps) -> pa.Table:
    read, pairs, row, step_ppm = unit_pairs(samples, begins_s, steps)
    drop, hours = pairs.drop_ppm[row] / 1e4, pairs.seconds[row] / 3600
    step = np.where(step_ppm > 0, step_ppm / 1e4, np.nan)  # No bounds where the level never changed.
    both, one = _apps(row, packages_in(samples["apps"]), names)
    texts = {number: pseudonym(number) for number in np.unique(read.client[row]).tolist()}
    columns = [
        [texts[number] for number in read.client[row].tolist()],
        read.time_s[row] - pairs.seconds[row],
        read.time_s[row],
        drop,
        drop / hours,
        np.maximum(drop - step, 0) / hours,
        (drop + step) / hours,
        pairs.screen[row],
        both,
        one,
    ]
    return pa.table([pa.array(column, from_pandas=True) for column in columns], names=RATES.names).cast(RATES)


def _apps(row: I64, apps: AppLists, names: pa.Array) -> tuple[pa.Array, pa.Array]:
    """The apps at both ends of the pairs that end at samples `row`, and those at one end."""
    number = np.concatenate([np.repeat(np.arange(len(row)), apps.offset[end + 1] - apps.offset[end]) for end in (row - 1, row)])
    package = np.concatenate([apps.app[_spans(apps.offset[end], apps.offset[end + 1])] for end in (row - 1, row)])
    keys, count = np.unique((number << 32) | package, return_counts=True)
    return _lists(keys[count == 2], len(row), names), _lists(keys[count == 1], len(row), names)


def _lists(keys: I64, rows: int, names: pa.Array) -> pa.Array:
    offset = np.searchsorted(keys >> 32, np.arange(rows + 1)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offset), names.take(pa.array(keys & 0xFFFFFFFF)))


def _spans(begin: I64, end: I64) -> I64:
    """The integers of all spans, concatenated."""
    length = end - begin
    return np.repeat(begin - np.append(0, np.cumsum(length)[:-1])[: len(begin)], length) + np.arange(length.sum())


def _package_names(fleet: Fleet) -> pa.Array:
    """`app@version` for each package number."""
    rows = fleet.packages.sort_by("id").to_pylist()
    texts = [""] * (max((row["id"] for row in rows), default=-1) + 1)
    for row in rows:
        texts[row["id"]] = f"{row['app']}@{row['version']}" if row["version"] else row["app"]
    return pa.array(texts, pa.string())


def check_export(file: Path) -> None:
    """Raise `UsageError` if the file name ends in neither .csv nor .parquet, or names a folder."""
    if file.suffix not in ENDINGS or file.is_dir():
        raise UsageError(f"{file}: not a CSV or Parquet file name", "End it in .csv or .parquet.")


def export(file: Path, schema: pa.Schema, tables: Iterable[pa.Table]) -> int:
    """Write tables of one schema, and return the number of rows. The file is complete or absent. Raises FleetError.

    In CSV, lists are joined with spaces, and texts are guarded against formulas.
    """
    flat = pa.schema([pa.field(one.name, pa.string() if pa.types.is_list(one.type) else one.type) for one in schema])
    rows = 0
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        is_csv = file.suffix == ".csv"
        with (
            replacing(file) as made,
            pa_csv.CSVWriter(made, flat) if is_csv else pq.ParquetWriter(made, schema) as writer,
        ):
            for table in tables:
                writer.write_table(_joined(table, flat) if is_csv else table)
                rows += table.num_rows
    except (OSError, pa.ArrowException) as error:
        raise FleetError(f"{file}: cannot be written: {one_line(error)}", "Free some space, or name another file.") from error
    return rows


def _joined(table: pa.Table, flat: pa.Schema) -> pa.Table:
    columns = [pc.binary_join(table[one.name], " ") if pa.types.is_list(one.type) else table[one.name] for one in table.schema]
    columns = [guarded_column(one) if pa.types.is_string(one.type) else one for one in columns]
    return pa.table(columns, schema=flat)


def guarded_column(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column with each text guarded. Nulls are unchanged."""
    return pc.replace_substring_regex(texts, rf"\A({FORMULA_BEGIN})", r"'\1")


def plain_column(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The original texts of a guarded column."""
    return pc.replace_substring_regex(texts, rf"\A'({FORMULA_BEGIN})", r"\1")

"""Pairs of samples with their rates and apps, row by row, for other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.memberships import AppLists
from navitas.fleet.pairs import pairs_of
from navitas.fleet.results import PERCENT_H
from navitas.fleet.sample_columns import PAIR_COLUMNS, ordered, packages_in, samples_in
from navitas.fleet.sample_times import first_and_last_s
from navitas.fleet.schema import I64, pseudonym
from navitas.fleet.scores import score_clients
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64
from navitas.fleet.units import UnitJob, samples_of

RATES = pa.schema(
    [
        pa.field("client", pa.string()),
        pa.field("from_s", pa.int64()),
        pa.field("to_s", pa.int64()),
        pa.field("drop_percent", pa.float64()),
        pa.field("rate_percent_h", pa.float64()),
        pa.field("rate_low_percent_h", pa.float64()),
        pa.field("rate_high_percent_h", pa.float64()),
        pa.field("screen", pa.int8()),
        pa.field("apps_both", pa.list_(pa.string())),
        pa.field("apps_one", pa.list_(pa.string())),
    ]
)
"""A row for each pair. Begin and end are Unix times. The rate has bounds by the level's step, null if unknown.

`screen` is the number of ends with the screen on. Apps (`app@version`) ran at both ends or at one end.
"""
PERCENTILES = (5, 25, 50, 75, 95)
_STEPS = "SELECT client, MIN(NULLIF(step_ppm, 0)) AS step_ppm FROM clients GROUP BY client"


@dataclass(frozen=True, slots=True)
class Summary:
    """Pairs that count, pairs refused by reason, and clients' drains in % of a battery per hour.

    `from_s` and `to_s` are the Unix times of the first and the last sample, None without samples.

    `percentiles_percent_h` has the percentiles of clients' mean drains, by percent. Without pairs, it is empty, and the drain is
    None.
    """

    clients: int
    samples: int
    from_s: int | None
    to_s: int | None
    pairs: int
    refused: dict[str, int]
    hours: float
    drain_percent_h: float | None
    percentiles_percent_h: dict[int, float]


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
        refused=fleet.refused(),
        hours=seconds / 3600,
        drain_percent_h=drop / seconds * PERCENT_H if seconds else None,
        percentiles_percent_h=dict(zip(PERCENTILES, percentiles, strict=False)),
    )


def rates(fleet: Fleet, progress: Callable[[int, int], None] = lambda done, total: None) -> Iterator[pa.Table]:
    """Yield the pairs that count, unit by unit. Raises `FleetError` if samples cannot be read."""
    found = pa.concat_tables(fleet.query_clients(_STEPS)).sort_by("client")
    clients, steps = found["client"].to_numpy(), found["step_ppm"].to_numpy(zero_copy_only=False).astype(np.float64)
    names = _package_names(fleet)
    for done, (job, samples) in enumerate(samples_of(fleet.jobs, [*PAIR_COLUMNS, "apps"]), 1):
        yield _of_unit(job, ordered(samples), names, clients, steps)
        progress(done, len(fleet.jobs))


def _of_unit(job: UnitJob, samples: pa.Table, names: pa.Array, clients: I64, steps: F64) -> pa.Table:
    read, apps = samples_in(samples), packages_in(samples["apps"])
    pairs = pairs_of(read)
    row = np.flatnonzero(pairs.counts & (read.time_s >= job.begins_s))
    drop, hours = pairs.drop_ppm[row] / 1e4, pairs.seconds[row] / 3600
    step = steps[np.searchsorted(clients, read.client[row])] / 1e4  # NaN, so no bounds, where the level never changed.
    both, one = _apps(row, apps, names)
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

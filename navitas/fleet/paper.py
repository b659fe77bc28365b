"""Hogs and bugs as the paper finds them (paper 5, sections 2.2 to 2.4; docs/fleet.md, "The paper's method").

All pairs are taken as independent, and an app as running where it is seen at either end; the means of pairs with and without it
differ where they are further apart than 1.96 standard errors of both together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.apriori import COLUMNS, UNIT_PPM_S, Apriori, AprioriTask, Steps, rates_of
from navitas.fleet.engine.base import statement
from navitas.fleet.kernel import Amounts, AppLists, first_samples, sums_by_package
from navitas.fleet.pairs import pairs_of
from navitas.fleet.schema import I64
from navitas.fleet.stages import Fleet, forget_others
from navitas.fleet.statistics import F64, Bool, downwards, life_gain_s
from navitas.fleet.store import fingerprint, is_of, read_table, write_table
from navitas.fleet.units import BucketTask, Job, samples_of
from navitas.fleet.usage import apps_in, ordered, samples_in

H = 1.96
"""Standard errors on either side: 95 %."""
_VERSION = "1"
_FOLDER, _APRIORI, _PACKAGES = "paper", "apriori.parquet", "packages.parquet"
_NAMES = ("pairs", "rate", "square")
_SUMS = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("app", pa.int32()),
        *(pa.field(name, pa.int64()) for name in _NAMES),
    ]
)
"""By client and app: pairs with the app, Σ rate in 0.001 ppm/s and Σ rate² in its square; where app is null, of all pairs."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Subjects' mean rates beside those they are compared with, in ppm of the battery a second; they differ by `d` ± `e`.

    `client` is empty for hogs.
    """

    client: I64
    app: I64
    pairs: I64
    rate: F64
    others: F64
    d: F64
    e: F64

    @property
    def least(self) -> F64:
        """d′ of the paper: more than nothing where the two differ."""
        return self.d - self.e

    @property
    def is_found(self) -> Bool:
        """Whether subjects drain more."""
        return np.asarray(self.least > 0)

    @property
    def gain_s(self) -> F64:
        """Seconds of battery life that are gained by becoming as the others, as (low, middle, high) rows."""
        return np.stack([life_gain_s(self.rate, self.d + shift) for shift in (-self.e, 0.0, self.e)])


@dataclass(frozen=True, slots=True)
class RatesTask(BucketTask):
    """Rates of a bucket's units summed up by client and app; `jobs` are those to be done, `clients` tells steps."""

    clients: tuple[Path, ...]
    folder: Path
    inputs: str

    def run(self) -> None:
        """Write the sums."""
        steps, apriori = Steps.read(self.clients), Apriori.read(self.folder / _APRIORI)
        number = read_table(self.folder / _PACKAGES)["app_id"].to_numpy()
        for job, samples in samples_of(self.jobs, [*COLUMNS, "apps"]):
            write_table(
                self.folder / f"{job.unit.folder}.parquet", _sums(job, ordered(samples), steps, apriori, number), self.inputs
            )


def _sums(job: Job, table: pa.Table, steps: Steps, apriori: Apriori, number: NDArray[np.int32]) -> pa.Table:
    samples = samples_in(table)
    client, pairs, step = samples.client, pairs_of(samples), steps.of(samples.client)
    counts = pairs.counts & (samples.time_s >= job.begins_s) & (step > 0)
    rate = rates_of(pairs, step, apriori) * counts
    amounts = Amounts(np.stack([counts.astype(np.int64), rate, rate * rate]), np.zeros(len(client), np.intp), 1)
    lists = apps_in(table)
    made = [_SUMS.empty_table()]
    for part in sums_by_package(client, AppLists(lists.offset, number[lists.package]), amounts):
        sums = part.both + part.one
        told = np.flatnonzero(sums[0])
        made.append(_table(client[part.client[told]], pa.array(part.package[told], pa.int32()), sums[:, told]))
    first = first_samples(client)
    if len(first):
        made.append(_table(client[first], pa.nulls(len(first), pa.int32()), amounts.by_client(first)))
    return pa.concat_tables(made)


def brought_up_to_date(fleet: Fleet, told: Callable[[int, int], None] = lambda done, of: None) -> None:
    """Make the exact rates' distribution, then all units' sums, where samples have changed: any change changes all sums."""
    folder = fleet.store.work / _FOLDER
    inputs = f"{_VERSION} {fingerprint(*(part for job in fleet.jobs for part in job.parts))} {fleet.packages.num_rows}"
    exact, sums = [], []
    for bucket in fleet.buckets:
        jobs = fleet.of_bucket(bucket)
        exact.append(AprioriTask(jobs, folder / f"apriori-{bucket:03d}.parquet", inputs))
        if left := tuple(job for job in jobs if not is_of(fleet.unit_file(_FOLDER, job), inputs)):
            sums.append(RatesTask(left, tuple(job.clients for job in jobs), folder, inputs))
    vague = [task for task in exact if not is_of(task.file, inputs)]
    count = 0

    def done(_: AprioriTask | RatesTask) -> None:
        nonlocal count
        count += 1
        told(count, len(vague) + len(sums))

    if vague or sums:
        with fleet.alone():
            forget_others(fleet)
            fleet.engine.run(vague, done)
            Apriori.read(*(task.file for task in exact)).write(folder / _APRIORI, inputs)
            write_table(folder / _PACKAGES, fleet.packages, inputs)
            fleet.engine.run(sums, done)


def find_hogs(fleet: Fleet) -> Compared:
    """All apps: pairs with an app at either end beside all others, of whatever client (algorithm 3.1)."""
    app, own, whole = _summed(fleet)
    return _compared(np.zeros(0, np.int64), app, own, whole[:, None] - own)


def find_bugs(fleet: Fleet, hogs: Compared) -> Compared:
    """Apps that are no hogs, on clients on which they drain more than on all others (algorithm 3.1), the greatest d′ first."""
    app, sums, _ = _summed(fleet)
    kept = np.isin(app, hogs.app[~hogs.is_found])
    columns = {f"all_{name}": values[kept] for name, values in zip(_NAMES, sums, strict=True)}
    whole = pa.table({"app": pa.array(app[kept], pa.int32()), **columns})
    found = pa.concat_tables(fleet.by_clients(statement("paper_bugs", h=H), _FOLDER, whole=whole))
    own, everywhere = (np.stack([found[f"{of}{name}"].to_numpy() for name in _NAMES]) for of in ("", "all_"))
    made = _compared(found["client"].to_numpy(), found["app"].to_numpy().astype(np.int64), own, everywhere - own)
    order = np.lexsort((made.app, made.client))
    order = order[made.is_found[order]]
    order = order[downwards(made.least[order])]
    return Compared(*(getattr(made, field.name)[order] for field in fields(made)))


def _summed(fleet: Fleet) -> tuple[I64, F64, F64]:
    """Apps, their sums as rows (`_NAMES`), and the sums of all pairs."""
    parts = pa.concat_tables(fleet.by_clients(statement("paper_hogs"), _FOLDER))
    table = parts.group_by("app").aggregate([(name, "sum") for name in _NAMES]).sort_by("app")
    sums = np.stack([table[f"{name}_sum"].to_numpy().astype(np.float64) for name in _NAMES])
    of_app = table["app"].is_valid().to_numpy()
    return table["app"].drop_null().to_numpy().astype(np.int64), sums[:, of_app], sums[:, ~of_app].sum(axis=1)


def _compared(client: I64, app: I64, own: F64, others: F64) -> Compared:
    """From rows pairs, Σ rate and Σ rate²; with fewer than two pairs on either side nothing is known (NaN)."""
    (mean, error), (other, other_error) = _moments(own), _moments(others)
    return Compared(client, app, own[0].astype(np.int64), mean, other, mean - other, H * (error + other_error))


def _moments(sums: F64) -> tuple[F64, F64]:
    """Means and their standard errors, s / √n with Bessel's correction, in ppm/s."""
    count, rate, square = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = rate / count
        variance = np.maximum(square - count * mean**2, 0.0) / np.where(count > 1, count - 1, np.nan)
        return UNIT_PPM_S * mean, UNIT_PPM_S * np.sqrt(variance / count)


def _table(client: I64, app: pa.Array, sums: I64) -> pa.Table:
    return pa.table([client, app, *sums], schema=_SUMS)

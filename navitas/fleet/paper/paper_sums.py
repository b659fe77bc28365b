"""Stage *paper*: sums of the paper's rates of pairs, by client and app (paper 5, sections 2.2 and 2.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.files import fingerprint, is_made_from, write_table
from navitas.fleet.memberships import AppLists, check_known, first_samples
from navitas.fleet.pairs import pairs_of
from navitas.fleet.paper.apriori import COLUMNS, Apriori, AprioriTask, Steps, rates_of
from navitas.fleet.paper.kernel import PairAmounts, sums_by_package
from navitas.fleet.sample_columns import ordered, packages_in, samples_in
from navitas.fleet.schema import I64
from navitas.fleet.stages import Fleet, remove_stale_files
from navitas.fleet.units import BucketTask, UnitJob, samples_of

FOLDER = "paper"
"""Folder of the stage's results, and their table name in statements."""
NAMES = ("pairs", "rate", "square")
_VERSION = "2"
_APRIORI = "apriori.parquet"
_SUMS = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("app", pa.int32()),
        *(pa.field(name, pa.int64()) for name in NAMES),
    ]
)
"""By client and app: pairs with the app, Σ rate in 0.001 ppm/s and Σ rate² in its square. A null app stands for all pairs."""


@dataclass(frozen=True, slots=True)
class RatesTask(BucketTask):
    """Sums the rates of a bucket's units by client and app. `clients` are the tables with the clients' steps."""

    clients: tuple[Path, ...]
    folder: Path
    inputs: str
    app_of: NDArray[np.int32]

    def run(self) -> None:
        """Write the sums."""
        steps, apriori = Steps.read(self.clients), Apriori.read(self.folder / _APRIORI)
        for job, samples in samples_of(self.jobs, [*COLUMNS, "apps"]):
            write_table(
                self.folder / f"{job.unit.folder}.parquet", _sums(job, ordered(samples), steps, apriori, self.app_of), self.inputs
            )


def _sums(job: UnitJob, table: pa.Table, steps: Steps, apriori: Apriori, app_of: NDArray[np.int32]) -> pa.Table:
    samples = samples_in(table)
    client, pairs, step = samples.client, pairs_of(samples), steps.for_clients(samples.client)
    counts = pairs.counts & (samples.time_s >= job.begins_s) & (step > 0)
    rate = rates_of(pairs, step, apriori) * counts
    amounts = PairAmounts(np.stack([counts.astype(np.int64), rate, rate * rate]), np.zeros(len(client), np.intp), 1)
    lists = packages_in(table["apps"])
    check_known(lists.app, len(app_of))
    made = [_SUMS.empty_table()]
    for part in sums_by_package(client, AppLists(lists.offset, app_of[lists.app]), amounts):
        sums = part.both + part.one
        counted = np.flatnonzero(sums[0])
        made.append(_table(client[part.client[counted]], pa.array(part.package[counted], pa.int32()), sums[:, counted]))
    first = first_samples(client)
    if len(first):
        made.append(_table(client[first], pa.nulls(len(first), pa.int32()), amounts.by_client(first)))
    return pa.concat_tables(made)


def bring_up_to_date(fleet: Fleet, progress: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Compute the distribution of exact rates, then the sums of all units. Any change of samples changes all of them."""
    if not any(_stale_tasks(fleet)):
        return
    with fleet.locked():
        exact, sums = _stale_tasks(fleet)  # Another process may have computed some of it.
        count = 0

        def done(_: AprioriTask | RatesTask) -> None:
            nonlocal count
            count += 1
            progress(count, len(exact) + len(sums))

        remove_stale_files(fleet)
        fleet.engine.run(exact, done)
        folder, inputs = fleet.store.work / FOLDER, _inputs(fleet)
        Apriori.read(*(_exact_file(fleet, bucket) for bucket in fleet.buckets)).write(folder / _APRIORI, inputs)
        fleet.engine.run(sums, done)


def _stale_tasks(fleet: Fleet) -> tuple[list[AprioriTask], list[RatesTask]]:
    """The tasks to run: exact rates of buckets, and sums of units."""
    folder, inputs, app_of = fleet.store.work / FOLDER, _inputs(fleet), fleet.app_of
    exact, sums = [], []
    for bucket in fleet.buckets:
        jobs, file = fleet.bucket_jobs(bucket), _exact_file(fleet, bucket)
        if not is_made_from(file, inputs):
            exact.append(AprioriTask(jobs, file, inputs))
        if left := tuple(job for job in jobs if not is_made_from(fleet.unit_file(FOLDER, job), inputs)):
            sums.append(RatesTask(left, tuple(job.clients for job in jobs), folder, inputs, app_of))
    return exact, sums


def _inputs(fleet: Fleet) -> str:
    return f"{_VERSION} {fingerprint(*(part for job in fleet.jobs for part in job.parts))}"


def _exact_file(fleet: Fleet, bucket: int) -> Path:
    return fleet.store.work / FOLDER / f"apriori-{bucket:03d}.parquet"


def _table(client: I64, app: pa.Array, sums: I64) -> pa.Table:
    return pa.table([client, app, *sums], schema=_SUMS)

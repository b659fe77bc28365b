"""Stage *cells*: pairs with apps that are asked for by client, version, screen and network, of which conditions are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.asked import Asked
from navitas.fleet.files import is_of, read_table, write_table
from navitas.fleet.kernel import PairAmounts, Sums, first_samples, sums_by_package
from navitas.fleet.pairs import pairs_of
from navitas.fleet.schema import I64, NETWORKS
from navitas.fleet.stages import Fleet, forget_others
from navitas.fleet.units import BucketTask, UnitJob, samples_of
from navitas.fleet.usage import SCREENS, apps_in, ordered, samples_in

FOLDER = "cells"
"""Of the stage's results; statements see them by this name."""
CHANGING = len(NETWORKS)
"""A pair's network where its ends differ, or one is not known."""
COLUMNS = ["client", "time_s", "level_ppm", "state", "screen", "network", "uptime_s", "apps"]
_CLASSES = SCREENS * (CHANGING + 1)
_VERSION = "2"
_ASKED = "asked.parquet"
_AMOUNTS = ("seconds", "drop_ppm")
CELLS = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("package", pa.int32()),
        pa.field("screen", pa.int8()),
        pa.field("network", pa.int8()),
        *(pa.field(f"{ends}_{amount}", pa.int64()) for ends in ("both", "one", "changed") for amount in _AMOUNTS),
    ]
)
"""By client, package, screen (0 to 2) and network: as `usage.USAGE`. Where package is null: all pairs, as `both`."""


@dataclass(frozen=True, slots=True)
class CellsTask(BucketTask):
    """Units whose cells are to be made, of what is `asked`; `app_of` has the app of each package."""

    folder: Path
    asked: Asked
    app_of: NDArray[np.int32]

    def is_done(self, job: UnitJob) -> bool:
        """Whether a unit's result is there."""
        return is_of(self._file(job), self._inputs(job))

    def run(self) -> None:
        """Make the cells, one unit after another. FleetError when files cannot be read or written."""
        for job, samples in samples_of(self.jobs, COLUMNS):
            made = cells_of(ordered(samples), job.begins_s, self.asked, self.app_of)
            write_table(self._file(job), made, self._inputs(job))

    def _file(self, job: UnitJob) -> Path:
        return self.folder / f"{job.unit.folder}.parquet"

    def _inputs(self, job: UnitJob) -> str:
        return f"{_VERSION} {self.asked.digest()} {job.inputs}"


def brought_up_to_date(fleet: Fleet, asked: Asked, told: Callable[[int, int], None] = lambda done, of: None) -> None:
    """Make the cells that are asked for where they are not there; `told` hears how many of how many buckets are done.

    What was asked for before stays: as long as nothing else is asked for, new samples cost their units alone. FleetError.
    """
    if not _to_do(fleet, asked)[1]:
        return
    with fleet.alone():
        whole, stale = _to_do(fleet, asked)  # another process may have made some of it, and asked for more
        count = 0

        def done(_: CellsTask) -> None:
            nonlocal count
            count += 1
            told(count, len(stale))

        forget_others(fleet)
        write_table(fleet.store.work / FOLDER / _ASKED, whole.table(), _VERSION)
        fleet.engine.run(stale, done)


def _to_do(fleet: Fleet, asked: Asked) -> tuple[Asked, list[CellsTask]]:
    """All that cells are made of, this among it, and what is to be made."""
    folder, app_of = fleet.store.work / FOLDER, fleet.app_of
    if is_of(folder / _ASKED, _VERSION) and Asked.is_table(before := read_table(folder / _ASKED)):
        asked |= Asked.from_table(before)
    buckets = [(fleet.of_bucket(bucket), asked.of_bucket(bucket, fleet.store.buckets)) for bucket in fleet.buckets]
    tasks = [CellsTask(jobs, folder, own, app_of) for jobs, own in buckets]
    left = [replace(task, jobs=tuple(job for job in task.jobs if not task.is_done(job))) for task in tasks]
    return asked, [task for task in left if task.jobs]


def cells_of(samples: pa.Table, begins_s: int, asked: Asked, app_of: NDArray[np.int32]) -> pa.Table:
    """The cells of a unit's samples, in order of client and time; those before `begins_s` only begin pairs."""
    read = samples_in(samples)
    pairs, client = pairs_of(read), read.client
    own = pairs.counts & (read.time_s >= begins_s)
    # Levels come in steps: in numbers of these, twice as many sums go into a word of the kernel.
    step = max(int(np.gcd.reduce(pairs.drop_ppm)), 1)
    values = np.stack([pairs.seconds, pairs.drop_ppm // step]) * own
    amounts = PairAmounts(values, pairs.screen * np.intp(CHANGING + 1) + _networks(samples), _CLASSES)
    first = first_samples(client)
    tables = [CELLS.empty_table()]
    if len(first):
        total = amounts.by_client(first)
        none = np.zeros_like(total)
        tables.append(_table(client, Sums(first, np.zeros(len(first), np.int64), total, none, none), step, whole=True))
    for part in sums_by_package(client, asked.among(apps_in(samples), client, app_of), amounts, app_of):
        tables.append(_table(client, part, step))
    return pa.concat_tables(tables)


def _table(client: I64, sums: Sums, step_ppm: int, *, whole: bool = False) -> pa.Table:
    """Rows for the classes that have pairs, drops told in steps; `whole` sums have no package."""
    ends = [one.reshape(_CLASSES, len(_AMOUNTS), -1) for one in (sums.both, sums.one, sums.changed)]
    kind, row = np.nonzero(ends[0][:, 0] | ends[1][:, 0])
    package = pa.nulls(len(row), pa.int32()) if whole else pa.array(sums.package[row], pa.int32())
    columns = [client[sums.client[row]], package, kind // (CHANGING + 1), kind % (CHANGING + 1)]
    amounts = [factor * one[kind, amount, row] for one in ends for amount, factor in enumerate((1, step_ppm))]
    return pa.table([*columns, *amounts], CELLS.names).cast(CELLS)


def _networks(samples: pa.Table) -> NDArray[np.int8]:
    """Each pair's network, by number: that of both its ends."""
    number = np.asarray(pc.fill_null(pc.index_in(samples["network"], pa.array(NETWORKS)), CHANGING).to_numpy(), np.int8)
    before = np.append(np.int8(CHANGING), number[:-1])[: len(number)]
    return np.where(number == before, number, np.int8(CHANGING)).astype(np.int8)

"""The pipeline: brings sums of units and contrasts of buckets up to date. Statements read these results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import compress, count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet import layout
from navitas.fleet.engine.base import Engine, OutOfMemory, statement
from navitas.fleet.erased import check_parts
from navitas.fleet.files import FleetError, is_made_from, notes_of, read_table, write_table
from navitas.fleet.period import ALL_TIME
from navitas.fleet.regression.usage import USAGE
from navitas.fleet.schema import PACKAGES
from navitas.fleet.store import Store, day, exclusive_writer, first_and_last_s, has_samples
from navitas.fleet.units import BucketTask, UnitJob, UsageTask, jobs_of

Waiting = Callable[[str], None] | None
"""Called with the process that writes to a store, before this process waits for it."""
Progress = Callable[[int, int], None]
"""Called with the number of finished parts, and of all parts."""
_CONTRAST_VERSION = "1"


def numbered(packages: pa.Table) -> pa.Table:
    """Packages with a column that numbers apps by their first package. Packages added later do not change the numbers."""
    return packages.append_column("app_id", packages["app"].combine_chunks().dictionary_encode().indices)


def check_packages(store: Store, packages: pa.Table) -> None:
    """Raise FleetError unless the list begins with the list that the results in work were computed with."""
    file = store.work / layout.PACKAGES
    if not file.exists():
        return
    try:
        kept = read_table(file)
    except FleetError as error:
        raise FleetError(error.message, f"Delete {store.work}. All results are computed again.") from error
    if not packages.select(PACKAGES.names).slice(0, kept.num_rows).equals(kept):
        raise FleetError(
            f"{store.path / layout.PACKAGES}: not the list that the results in {store.work.name} were computed with",
            f"Restore it. If it is correct, delete {store.work}.",
        )


def no_progress(done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """A store whose stages are up to date. `packages` has a number for each app.

    `narrowed` counts groups of buckets that were split for lack of memory. `waiting` is called before this process waits for
    another one that writes to the store. `progress` is called while samples are read.
    """

    store: Store
    engine: Engine
    jobs: tuple[UnitJob, ...]
    packages: pa.Table
    narrowed: Counter[str] = field(default_factory=Counter)
    waiting: Waiting = None
    progress: Progress = no_progress

    @classmethod
    def open(cls, store: Store, engine: Engine, waiting: Waiting) -> Fleet:
        """Open the store in its current state. Raises `FleetError` if it is empty, or its packages do not match its results."""
        jobs = tuple(jobs_of(store))
        if not jobs or (store.period != ALL_TIME and not has_samples(store, store.period)):
            raise _no_samples(store)
        packages = numbered(store.packages())
        check_packages(store, packages)
        return cls(store, engine, jobs, packages, waiting=waiting)

    @property
    def buckets(self) -> list[int]:
        """All buckets that have samples."""
        return sorted({job.unit.bucket for job in self.jobs})

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the store. Raises `FleetError` if samples changed, or if another process holds it and `waiting` is None."""
        with exclusive_writer(self.store.path, self.waiting):
            if tuple(jobs_of(self.store)) != self.jobs:
                raise FleetError(f"{self.store.path}: samples changed during the computation", "Run the command again.")
            yield

    @property
    def app_of(self) -> NDArray[np.int32]:
        """The app's number for each package number; −1 if there is no such package."""
        number = self.packages["id"].to_numpy()
        apps = np.full(int(number.max(initial=-1)) + 1, -1, np.int32)
        apps[number] = self.packages["app_id"].to_numpy()
        return apps

    def bucket_jobs(self, bucket: int) -> tuple[UnitJob, ...]:
        """The units of a bucket, by month."""
        return tuple(job for job in self.jobs if job.unit.bucket == bucket)

    def query_clients(self, sql: str, extra: str = "", **tables: pa.Table) -> pa.Table:
        """Run a statement on groups of client buckets. It sees `clients`, `evidence`, `contrast` and `packages`.

        It also sees the units' results in the folder `extra` of work. Groups are split if memory is short. Raises
        `FleetError` if one bucket needs too much memory.
        """
        buckets, size = self.buckets, self.engine.buckets_at_once
        groups = (buckets[low : low + size] for low in range(0, len(buckets), size))
        return pa.concat_tables(table for group in groups for table in self._of_group(sql, group, extra, tables))

    def totals(self) -> tuple[int, int, int]:
        """Totals of the pairs that count: their number, seconds, and drop in ppm."""
        found = self.query_clients(statement("totals"))
        pairs, seconds, drop = (pc.sum(found[name]).as_py() or 0 for name in ("pairs", "seconds", "drop_ppm"))
        return pairs, seconds, drop

    def refused(self) -> dict[str, int]:
        """The number of refused pairs, by reason."""
        total: Counter[str] = Counter()
        for notes in self.store.each(lambda job: notes_of(job.file("clients")), self.jobs):
            total.update(notes)
        return dict(total.most_common())

    def contrast_file(self, bucket: int) -> Path:
        """The file of a bucket's contrasts."""
        return self.store.work / "contrast" / f"bucket={bucket:03d}.parquet"

    def stale_jobs(self, bucket: int, table: str, key: str) -> tuple[UnitJob, ...]:
        """The units of a bucket whose results in a table are missing, or were not made with this `StageTask.key`."""
        jobs = self.bucket_jobs(bucket)
        made = self.store.each(lambda job: is_made_from(job.file(table), f"{key} {job.inputs}"), jobs)
        return tuple(job for job, is_made in zip(jobs, made, strict=True) if not is_made)

    @property
    def app_names(self) -> dict[int, str]:
        """Apps' names by number."""
        return dict(zip(self.packages["app_id"].to_pylist(), self.packages["app"].to_pylist(), strict=True))

    def _of_group(self, sql: str, buckets: Sequence[int], extra: str, tables: Mapping[str, pa.Table]) -> Iterator[pa.Table]:
        chosen = [job for job in self.jobs if job.unit.bucket in buckets]
        files = {table: [job.file(table) for job in chosen] for table in ("clients", "evidence", extra) if table}
        files["contrast"] = [*map(self.contrast_file, buckets)]
        try:
            table = self.engine.query(sql, {**files, "packages": self.packages, **tables})
        except OutOfMemory as error:
            if len(buckets) == 1:
                raise FleetError(f"bucket {buckets[0]} needs more memory than allowed: {error}", "Raise --memory.") from error
            self.narrowed[f"{len(buckets)} buckets"] += 1
            half = len(buckets) // 2
            for part in (buckets[:half], buckets[half:]):
                yield from self._of_group(sql, part, extra, tables)
        else:
            yield table


def _no_samples(store: Store) -> FleetError:
    """The error that a store has no samples, or none in its period."""
    found = None if store.period == ALL_TIME else first_and_last_s(store, ALL_TIME)
    if found is None:
        return FleetError(f"{store.path}: no samples", "Ingest some: `navitas fleet ingest`.")
    first, last = map(day, found)
    return FleetError(
        f"{store.path}: no samples in this period: the samples are from {first} to {last}", "Choose other days (UTC)."
    )


def bring_up_to_date(store: Store, engine: Engine, progress: Progress = no_progress, waiting: Waiting = None) -> Fleet:
    """Compute the sums of units and contrasts of buckets that are missing or stale. Calls `progress(done, total)`.

    Raises `FleetError` if the store is empty or lacks samples, or if another process writes to it and `waiting` is None.
    """
    check_parts(store)
    fleet = Fleet.open(store, engine, waiting)
    if any(_stale_tasks(fleet)):
        with exclusive_writer(store.path, waiting):
            fleet = Fleet.open(store, engine, waiting)  # Samples may have arrived while waiting.
            remove_stale_files(fleet)
            write_table(store.work / layout.PACKAGES, fleet.packages.select(PACKAGES.names))  # For `check_packages`.
            usage, contrasts = _stale_tasks(fleet)
            done = _counting(progress, len(usage) + len(contrasts))
            fleet.engine.run(usage, done)
            fleet.engine.run(contrasts, done)
    return fleet


@dataclass(frozen=True, slots=True)
class ContrastTask(BucketTask):
    """Sums the months of a bucket, by client and app. Months have separate coefficients of the controls."""

    file: Path
    inputs: str

    def run(self) -> None:
        """Write the sums. Raises `FleetError` when files cannot be read or written."""
        months = pa.concat_tables(read_table(job.file("usage")) for job in self.jobs)
        sums = added(months, ("client", "app"), USAGE.names[2:])
        write_table(self.file, sums.cast(sums.schema.set(2, pa.field("pairs", pa.int64()))), self.inputs)


def _stale_tasks(fleet: Fleet) -> tuple[list[UsageTask], list[ContrastTask]]:
    """The tasks whose results are missing or out of date."""
    app_of = fleet.app_of
    is_done = dict(zip(fleet.jobs, fleet.store.each(UnitJob.is_done, fleet.jobs), strict=True))
    jobs = {bucket: fleet.bucket_jobs(bucket) for bucket in fleet.buckets}
    stale = [tuple(job for job in own if not is_done[job]) for own in jobs.values()]
    contrasts = [
        ContrastTask(own, fleet.contrast_file(bucket), " ".join([_CONTRAST_VERSION, *(job.inputs for job in own)]))
        for bucket, own in jobs.items()
    ]
    made = fleet.store.each(lambda task: is_made_from(task.file, task.inputs), contrasts)
    return [UsageTask(own, app_of) for own in stale if own], [*compress(contrasts, np.logical_not(made))]


def _counting(progress: Progress, total: int) -> Callable[[object], None]:
    """A function that calls `progress` with the number of its own calls, and the total."""
    calls = count(1)
    return lambda _: progress(next(calls), total)


def added(table: pa.Table, by: Sequence[str], names: Sequence[str]) -> pa.Table:
    """The sums of columns for each value of the columns `by`, in their order."""
    sums = table.group_by([*by]).aggregate([(name, "sum") for name in names])
    sums = sums.select([*by, *(f"{name}_sum" for name in names)]).rename_columns([*by, *names])
    return sums.sort_by([(name, "ascending") for name in by])


def run_stage(fleet: Fleet, tasks: Callable[[], Iterable[BucketTask]]) -> None:
    """Run the tasks that have units.

    `tasks` finds units whose results are missing or out of date. Raises `FleetError`.
    """
    if not any(task.jobs for task in tasks()):
        return
    with fleet.locked():
        stale = [task for task in tasks() if task.jobs]  # Another process may have computed some of it.
        remove_stale_files(fleet)
        fleet.engine.run(stale, _counting(fleet.progress, len(stale)))


def remove_stale_files(fleet: Fleet) -> None:
    """Remove results of units that no longer exist."""
    units = {f"{job.unit.folder}.parquet" for job in fleet.jobs}
    contrasts = {fleet.contrast_file(bucket) for bucket in fleet.buckets}
    work = fleet.store.work
    for file in [*work.rglob("*.parquet")]:
        table, _, unit = file.relative_to(work).as_posix().partition("/")
        gone = file.name.startswith("month=") and unit not in units
        if gone or (table == "contrast" and file not in contrasts):
            file.unlink()

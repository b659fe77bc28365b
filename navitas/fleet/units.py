"""Stage *usage*: finds units whose sums are missing or stale, and computes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.files import fingerprint, is_made_from, read_table, write_table
from navitas.fleet.period import ALL_TIME, Period
from navitas.fleet.regression.pairs import MAX_GAP_S, ordered
from navitas.fleet.regression.usage import COLUMNS, usage_of
from navitas.fleet.store import Store, Unit, read_samples

_VERSION = "16"
_TABLES = ("usage", "evidence", "presence")
"""Tables of `UsageTask` besides `clients`."""


class FleetTask(Protocol):
    """A task that engines run on any machine. It is pickled, reads files, and writes files completely."""

    @property
    def name(self) -> str:
        """The name of the task in errors."""
        ...

    @property
    def size_bytes(self) -> int:
        """The size of the files that the task reads."""
        ...

    def run(self) -> None:
        """Run the task. Raises `FleetError` when files cannot be read or written."""
        ...


@dataclass(frozen=True, slots=True)
class UnitJob:
    """A unit with its samples, and the folder of results. Parts of the month before are needed for pairs that span two months.

    `buckets` is the store's number of them.
    """

    unit: Unit
    parts: tuple[Path, ...]
    before: tuple[Path, ...]
    work: Path
    inputs: str
    buckets: int
    period: Period = ALL_TIME

    @property
    def begins_s(self) -> int:
        """The begin of the unit's month, or of the period within it (Unix time)."""
        begins: int = np.datetime64(self.unit.month, "s").astype(np.int64).item()
        return max(begins, self.period.since_s)

    def is_done(self) -> bool:
        """Whether the results were computed from these inputs. `clients` is written last."""
        return is_made_from(self.file("clients"), self.inputs) and all(self.file(table).exists() for table in _TABLES)

    def file(self, table: str) -> Path:
        """The file of the unit's results in a table."""
        return self.work / table / f"{self.unit.folder}.parquet"


@dataclass(frozen=True, slots=True)
class BucketTask:
    """Base of tasks on units of one bucket, in order of months."""

    jobs: tuple[UnitJob, ...]

    @property
    def name(self) -> str:
        return f"bucket {self.jobs[0].unit.bucket}"

    @property
    def size_bytes(self) -> int:
        """The size of the units' samples."""
        return sum(part.stat().st_size for job in self.jobs for part in job.parts)

    def run(self) -> None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class StageTask(BucketTask):
    """Base of tasks that make a table of each unit in `folder`. `key` identifies what it depends on apart from samples."""

    folder: str
    key: str

    @property
    def columns(self) -> list[str]:
        """The columns of samples that are read."""
        return [name for name in COLUMNS if name not in ("model", "apps")]

    def table(self, samples: pa.Table, presence: pa.Table, begins_s: int) -> pa.Table:
        """The table of a unit. Samples are in order of client and time; those before `begins_s` only begin pairs.

        `presence` has the apps of their lists.
        """
        raise NotImplementedError

    def run(self) -> None:
        for job, samples in samples_of(self.jobs, self.columns):
            made = self.table(ordered(samples), read_table(job.file("presence")), job.begins_s)
            write_table(job.file(self.folder), made, f"{self.key} {job.inputs}")


@dataclass(frozen=True, slots=True)
class UsageTask(BucketTask):
    """Computes the sums of units. `app_of` maps packages to apps."""

    app_of: NDArray[np.int32]

    def run(self) -> None:
        for job, samples in samples_of(self.jobs, COLUMNS):
            made = usage_of(samples, self.app_of, job.begins_s)
            for table in _TABLES:
                write_table(job.file(table), getattr(made, table))
            write_table(job.file("clients"), made.clients, job.inputs, made.refused)


def samples_of(jobs: Sequence[UnitJob], columns: list[str]) -> Iterator[tuple[UnitJob, pa.Table]]:
    """Yield each unit's samples, with those of the month before that may begin its pairs.

    These are the samples of its last hours, and each client's last sample. Files that two units need are read once.
    """
    last: tuple[tuple[Path, ...], pa.Table] = ((), None)
    for job in jobs:
        before = last[1] if job.before == last[0] else _read(job, job.before, columns)
        own = _before(_read(job, job.parts, columns), job.period.until_s)
        last = (job.parts, own)
        if before is None:
            yield job, own
        else:
            yield job, pa.concat_tables([_late(before, job.begins_s), own])


def _before(samples: pa.Table, until_s: int) -> pa.Table:
    """The samples before a time."""
    early = samples["time_s"].to_numpy() < until_s
    return samples if early.all() else samples.filter(pa.array(early))


def _late(before: pa.Table, begins_s: int) -> pa.Table:
    before = ordered(before)
    client = before["client"].to_numpy()
    is_last = np.append(client[1:] != client[:-1], True)[: len(client)]
    return before.filter(pa.array(is_last | (before["time_s"].to_numpy() >= begins_s - MAX_GAP_S)))


def _read(job: UnitJob, parts: Sequence[Path], columns: list[str]) -> pa.Table | None:
    return pa.concat_tables(read_samples(part, columns, job.buckets) for part in parts) if parts else None


def jobs_of(store: Store) -> Iterator[UnitJob]:
    """Yield all units of a store."""
    parts = store.parts()
    for unit, own in parts.items():
        if not store.period.has_month(unit.month):
            continue
        before = parts.get(Unit(unit.bucket, str(np.datetime64(unit.month) - 1)), [])
        inputs = f"{_VERSION} {fingerprint(*own, *before)}"
        yield UnitJob(unit, tuple(own), tuple(before), store.work, inputs, store.buckets, store.period)

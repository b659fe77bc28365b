"""The pipeline: sums of units are brought up to date, then asked, a few buckets of clients at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from navitas.fleet.engine.base import Engine, OutOfMemory
from navitas.fleet.store import FleetError, Store
from navitas.fleet.units import Job, jobs_of

_BUCKETS_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Fleet:
    """A store whose sums are up to date."""

    engine: Engine
    jobs: tuple[Job, ...]
    packages: pa.Table

    def by_clients(self, sql: str, **tables: pa.Table) -> list[pa.Table]:
        """A statement about some clients at a time; fewer where memory does not suffice. It sees `usage`, `clients`, `packages`.

        FleetError when one bucket alone is too much.
        """
        buckets = sorted({job.unit.bucket for job in self.jobs})
        groups = [buckets[low : low + _BUCKETS_AT_ONCE] for low in range(0, len(buckets), _BUCKETS_AT_ONCE)]
        return [table for group in groups for table in self._of_group(sql, group, tables)]

    def refused(self) -> dict[str, int]:
        """How many pairs were refused, by reason."""
        total: Counter[str] = Counter()
        for job in self.jobs:
            total.update(job.refused())
        return dict(total.most_common())

    def _of_group(self, sql: str, buckets: Sequence[int], tables: dict[str, pa.Table]) -> Iterator[pa.Table]:
        chosen = [job for job in self.jobs if job.unit.bucket in buckets]
        files = {"usage": [job.usage for job in chosen], "clients": [job.clients for job in chosen]}
        try:
            yield self.engine.query(sql, {**files, "packages": self.packages, **tables})
        except OutOfMemory as error:
            if len(buckets) == 1:
                raise FleetError(
                    f"bucket {buckets[0]} needs more memory than there may be: {error}", "Allow more: --memory."
                ) from error
            half = len(buckets) // 2
            for part in (buckets[:half], buckets[half:]):
                yield from self._of_group(sql, part, tables)


def brought_up_to_date(store: Store, engine: Engine, told: Callable[[int, int], None] = lambda done, of: None) -> Fleet:
    """Make the sums of all units whose samples have changed; `told` hears how many of how many are done."""
    jobs = jobs_of(store)
    if not jobs:
        raise FleetError(f"{store.path}: holds no samples", "Ingest some: `navitas fleet ingest`.")
    _forget_others(store, jobs)
    stale = [job for job in jobs if not job.is_done()]
    finished: list[Job] = []

    def done(job: Job) -> None:
        finished.append(job)
        told(len(finished), len(stale))

    engine.run(stale, done)
    return Fleet(engine, tuple(jobs), numbered(store.packages()))


def numbered(packages: pa.Table) -> pa.Table:
    """Packages with a number for each app."""
    apps = packages["app"].combine_chunks().dictionary_encode() if packages.num_rows else None
    numbers = pa.array([], pa.int32()) if apps is None else apps.indices.cast(pa.int32())
    return packages.append_column("app_id", numbers)


def _forget_others(store: Store, jobs: Sequence[Job]) -> None:
    """Results of units that are no more (samples were taken away)."""
    known = {file for job in jobs for file in (job.usage, job.clients)}
    for file in store.work.glob("*/bucket=*/*.parquet"):
        if file.parent.parent.name in {"usage", "clients"} and file not in known:
            file.unlink()

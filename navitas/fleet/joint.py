"""Stage *joint*: how the running times of some apps overlap on each client, for a regression on all of them together."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.client_columns import ClientColumns
from navitas.fleet.designs import blocks
from navitas.fleet.files import is_made_from, write_table
from navitas.fleet.pairs import pairs_of
from navitas.fleet.sample_columns import ordered, runs_in, samples_in
from navitas.fleet.schema import I64
from navitas.fleet.stages import Fleet, Progress, no_progress, remove_stale_files
from navitas.fleet.statistics import F64
from navitas.fleet.units import BucketTask, UnitJob, samples_of
from navitas.fleet.usage import COLUMNS
from navitas.fleet.within import shares_of

FOLDER = "joint"
"""Folder of the stage's results."""
JOINT = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("app", pa.int32()),
        pa.field("other", pa.int32()),
        pa.field("h", pa.float64()),
        pa.field("s", pa.float64()),
    ]
)
"""By client and two apps: Σ T x̃ y, with x̃ of `app` and y the running time of `other` as far as it is reliable.

Where both apps are the same, `s` is Σ T x̃ r in ppm; elsewhere, it is 0.
"""
_VERSION = "1"
_READ = [name for name in COLUMNS if name not in ("model", "os")]


@dataclass(frozen=True, slots=True)
class JointApps:
    """The chosen apps by number, ascending, with the reliability of their running times by class of pairs (columns)."""

    app: I64
    by_class: F64

    def digest(self) -> str:
        """A hash that identifies them."""
        parts = (self.app.astype(np.int64), np.round(self.by_class, 12))
        return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=12).hexdigest()


@dataclass(frozen=True, slots=True)
class JointTask(BucketTask):
    """Units whose results are missing or out of date. `app_of` maps packages to apps."""

    folder: Path
    apps: JointApps
    app_of: NDArray[np.int32]

    def run(self) -> None:
        """Write the result of each unit. Raises `FleetError` when files cannot be read or written."""
        for job, samples in samples_of(self.jobs, _READ):
            made = joint_of(ordered(samples), job.begins_s, self.apps, self.app_of)
            write_table(self.folder / f"{job.unit.folder}.parquet", made, inputs_of(job, self.apps))


def inputs_of(job: UnitJob, apps: JointApps) -> str:
    """What a unit's result is computed from."""
    return f"{_VERSION} {apps.digest()} {job.inputs}"


def bring_up_to_date(fleet: Fleet, apps: JointApps, progress: Progress = no_progress) -> None:
    """Compute the results that are missing, and call `progress` with buckets done and in total. Raises `FleetError`."""
    if not _stale_tasks(fleet, apps):
        return
    with fleet.locked():
        stale = _stale_tasks(fleet, apps)  # Another process may have computed some of it.
        count = 0

        def done(_: JointTask) -> None:
            nonlocal count
            count += 1
            progress(count, len(stale))

        remove_stale_files(fleet)
        fleet.engine.run(stale, done)


def _stale_tasks(fleet: Fleet, apps: JointApps) -> list[JointTask]:
    tasks = []
    for bucket in fleet.buckets:
        left = [job for job in fleet.bucket_jobs(bucket) if not is_made_from(fleet.unit_file(FOLDER, job), inputs_of(job, apps))]
        if left:
            tasks.append(JointTask(tuple(left), fleet.store.work / FOLDER, apps, fleet.app_of))
    return tasks


def joint_of(samples: pa.Table, begins_s: int, apps: JointApps, app_of: NDArray[np.int32]) -> pa.Table:
    """The result of a unit's samples, which are in order of client and time. Samples before `begins_s` only begin pairs."""
    parsed = samples_in(samples)
    used = pairs_of(parsed).among(parsed.time_s >= begins_s)
    number_of = np.full(int(app_of.max(initial=-1)) + 1, -1, np.int32)
    number_of[apps.app] = np.arange(len(apps.app))
    runs = runs_in(samples, number_of[app_of])
    rows = ClientColumns(JOINT)
    for block, designs in blocks(samples, parsed, used, runs, len(apps.app)):
        for design in designs:
            own = block.pairs.of_client(design.number)
            _, rest, apart = shares_of(block.pairs, block.left, design.number, design.share)
            h = (block.pairs.seconds[own, None] * rest).T @ (apps.by_class[design.app].T[block.pairs.kind[own]] * apart)
            s = np.diag(block.left.left_ppm[own] @ rest)
            app, size = apps.app[design.app], len(design.app)
            rows.add(design.client, np.repeat(app, size), np.tile(app, size), h.ravel(), s.ravel())
    return rows.table()

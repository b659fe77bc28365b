"""Stage *joint*: how the running times of some apps overlap on each client, for a regression on all of them together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.client_columns import ClientColumns
from navitas.fleet.designs import blocks
from navitas.fleet.files import is_made_from, write_table
from navitas.fleet.joint_request import JointRequest
from navitas.fleet.joint_sums import JOINT, joint_sums
from navitas.fleet.memberships import first_samples
from navitas.fleet.pairs import pairs_of
from navitas.fleet.sample_columns import ordered, runs_in, samples_in
from navitas.fleet.stages import Fleet, Progress, no_progress, run_stage
from navitas.fleet.units import BucketTask, UnitJob, samples_of
from navitas.fleet.usage import COLUMNS

FOLDER = "joint"
"""Folder of the stage's results."""
_VERSION = "6"
_READ = [name for name in COLUMNS if name not in ("model", "os")]


@dataclass(frozen=True, slots=True)
class JointTask(BucketTask):
    """Units whose results are missing or out of date. `app_of` maps packages to apps."""

    folder: Path
    request: JointRequest
    app_of: NDArray[np.int32]

    def run(self) -> None:
        """Write the result of each unit. Raises `FleetError` when files cannot be read or written."""
        for job, samples in samples_of(self.jobs, _READ):
            made = joint_of(ordered(samples), job.begins_s, self.request, self.app_of)
            write_table(self.folder / f"{job.unit.folder}.parquet", made, _inputs(job, self.request))


def _inputs(job: UnitJob, request: JointRequest) -> str:
    return f"{_VERSION} {request.digest()} {job.inputs}"


def bring_up_to_date(fleet: Fleet, request: JointRequest, progress: Progress = no_progress) -> None:
    """Compute the results that are missing, and call `progress` with buckets done and in total. Raises `FleetError`."""
    run_stage(fleet, partial(_stale_tasks, fleet, request), progress)


def _stale_tasks(fleet: Fleet, request: JointRequest) -> list[JointTask]:
    tasks = []
    for bucket in fleet.buckets:
        own = request.for_bucket(bucket, fleet.store.buckets)
        left = [job for job in fleet.bucket_jobs(bucket) if not is_made_from(fleet.unit_file(FOLDER, job), _inputs(job, own))]
        if left:
            tasks.append(JointTask(tuple(left), fleet.store.work / FOLDER, own, fleet.app_of))
    return tasks


def joint_of(samples: pa.Table, begins_s: int, request: JointRequest, app_of: NDArray[np.int32]) -> pa.Table:
    """The result of a unit's samples, which are in order of client and time. Samples before `begins_s` only begin pairs."""
    samples = request.apps.of_clients(samples)
    parsed = samples_in(samples)
    used = pairs_of(parsed).among(parsed.time_s >= begins_s)
    number_of = np.full(int(max(app_of.max(initial=-1), request.app.max(initial=-1))) + 1, -1, np.int32)
    number_of[request.app] = np.arange(len(request.app))
    first = first_samples(parsed.client)
    owner = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(parsed.client))))
    runs = runs_in(samples, number_of[app_of]).of_owners(owner, request.apps.table(parsed.client[first], request.app))
    rows = ClientColumns(JOINT)
    for block, designs in blocks(samples, parsed, used, runs, len(request.app)):
        for design in designs:
            sums = joint_sums(block, design, request.by_class[design.app], parsed.time_s)
            app, size = request.app[design.app], len(design.app)
            own = (np.diag(amount).ravel() for amount in (sums.s, sums.noise, sums.day_noise, sums.gg))
            rows.add(design.client, np.repeat(app, size), np.tile(app, size), sums.h.ravel(), sums.g.ravel(), *own)
    return rows.table()

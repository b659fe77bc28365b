"""Stage *strata*: extra drains of the requested apps by client, version, screen and network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.client_columns import ClientColumns
from navitas.fleet.counted_versions import with_versions
from navitas.fleet.designs import blocks
from navitas.fleet.files import is_made_from, write_table
from navitas.fleet.memberships import first_samples
from navitas.fleet.pair_conditions import PairConditions, screen_and_network
from navitas.fleet.pairs import Bool, pairs_of
from navitas.fleet.sample_columns import RunLists, ordered, runs_in, samples_in
from navitas.fleet.stages import Fleet, Progress, no_progress, run_stage
from navitas.fleet.strata_request import StrataRequest
from navitas.fleet.stratum_sums import stratum_sums
from navitas.fleet.units import BucketTask, UnitJob, samples_of
from navitas.fleet.usage import COLUMNS

SUSPECTS, OTHERS = "strata", "other_strata"
"""Folders of the stage's results: for all hogs and apps with bugs, which are read once for all commands, and for other apps."""
_VERSION = "11"
_READ = [name for name in COLUMNS if name not in ("model", "os")]
STRATA = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("app", pa.int32()),
        pa.field("package", pa.int32()),
        pa.field("screen", pa.int8()),
        pa.field("network", pa.int8()),
        *(pa.field(name, pa.float64()) for name in ("pairs", "seconds", "drop_ppm", "s", "w", "noise")),
    ]
)
"""By client, package, screen (number of ends with the screen on) and network: `stratum_sums.StratumSums`."""


@dataclass(frozen=True, slots=True)
class StrataTask(BucketTask):
    """Units whose strata are missing or out of date. `app_of` maps packages to apps, and `has_version` says which have one."""

    folder: Path
    request: StrataRequest
    app_of: NDArray[np.int32]
    has_version: Bool
    digest: str

    def run(self) -> None:
        """Write the strata of each unit. Raises `FleetError` when files cannot be read or written."""
        for job, samples in samples_of(self.jobs, _READ):
            made = strata_of(ordered(samples), job.begins_s, self.request, self.app_of, self.has_version)
            write_table(self.folder / f"{job.unit.folder}.parquet", made, _inputs(job, self.digest))


def bring_up_to_date(fleet: Fleet, folder: str, request: StrataRequest, progress: Progress = no_progress) -> None:
    """Compute the requested strata in a folder, unless they exist. Calls `progress` with buckets done and in total.

    Raises `FleetError`.
    """
    run_stage(fleet, partial(_stale_tasks, fleet, folder, request), progress)


def _stale_tasks(fleet: Fleet, folder: str, request: StrataRequest) -> list[StrataTask]:
    digest, tasks = request.digest(), []
    has_version = np.zeros(len(fleet.app_of), bool)
    has_version[fleet.packages["id"].to_numpy()] = pc.not_equal(fleet.packages["version"], "").to_numpy()
    for bucket in fleet.buckets:
        left = [job for job in fleet.bucket_jobs(bucket) if not is_made_from(fleet.unit_file(folder, job), _inputs(job, digest))]
        if left:
            own = request.for_bucket(bucket, fleet.store.buckets)
            tasks.append(StrataTask(tuple(left), fleet.store.work / folder, own, fleet.app_of, has_version, digest))
    return tasks


def _inputs(job: UnitJob, digest: str) -> str:
    return f"{_VERSION} {digest} {job.inputs}"


def strata_of(samples: pa.Table, begins_s: int, request: StrataRequest, app_of: NDArray[np.int32], has_version: Bool) -> pa.Table:
    """The strata of a unit's samples, which are in order of client and time. Samples before `begins_s` only begin pairs."""
    samples = request.apps.of_clients(samples)
    parsed = samples_in(samples)
    used = pairs_of(parsed).among(parsed.time_s >= begins_s)
    first = first_samples(parsed.client)
    clients = parsed.client[first]
    wanted = request.wanted(clients)
    packages = request.packages(app_of)
    owner = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(parsed.client))))
    needed = (wanted | (request.effect_ppm_s != 0))[:, np.searchsorted(request.app, app_of[packages])]
    runs = _runs(samples, packages, app_of).of_owners(owner, needed)
    runs = with_versions(runs, parsed.client, app_of[packages], has_version[packages])
    conditions = PairConditions.of(samples, used)
    rows = ClientColumns(STRATA)
    for block, designs in blocks(samples, parsed, used, runs, len(packages), with_trend=True):
        for design in designs:
            package = packages[design.app]
            app = app_of[package]
            is_wanted = wanted[np.searchsorted(clients, design.client), np.searchsorted(request.app, app)]
            if not is_wanted.any():
                continue
            sums = stratum_sums(block, design, app, conditions, request, np.flatnonzero(is_wanted))
            own = package[sums.column]
            screen, network = screen_and_network(sums.condition)
            amounts = (sums.pairs, sums.seconds, sums.drop_ppm, sums.s, sums.w, sums.noise)
            rows.add(design.client, app_of[own], own, screen, network, *amounts)
    return rows.table()


def _runs(samples: pa.Table, packages: NDArray[np.int32], app_of: NDArray[np.int32]) -> RunLists:
    """The lists of samples with only these packages, as places in `packages`."""
    number_of = np.full(len(app_of), -1, np.int32)
    number_of[packages] = np.arange(len(packages))
    return runs_in(samples, number_of, app_of[packages])

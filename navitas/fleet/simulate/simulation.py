"""Simulates a fleet into a store, bucket by bucket. An interrupted simulation continues where it stopped."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from navitas.base.regular_files import read_regular
from navitas.fleet import layout
from navitas.fleet.engine.processes import LEAST_BYTES, TaskProcesses
from navitas.fleet.files import FleetError, read_table, write_table, write_whole
from navitas.fleet.ingest.commit import SourceLedger
from navitas.fleet.schema import bucket_of, client_number
from navitas.fleet.simulate.catalog import Catalog, FleetModel, catalog_of, generator
from navitas.fleet.simulate.clients import Clients, clients_of
from navitas.fleet.simulate.course import battery_of, course_of
from navitas.fleet.simulate.rows import ClientBlock, apps_table, clients_table, effects_table, rows_of, stopped
from navitas.fleet.simulate.running import Running, RunningDrains, effects_of, running_of
from navitas.fleet.stages import Progress, no_progress
from navitas.fleet.statistics import I64, Bool
from navitas.fleet.store import Store, Unit, exclusive_writer

_BLOCK_SAMPLES = 1 << 20
"""Samples of a block if all its clients had as many as the first. Changing it changes the random numbers."""
_PLACE = 1 << 21
"""Seed of the random numbers for the counts of samples."""
_LARGEST_MODEL = 1 << 20


@dataclass(frozen=True, slots=True)
class Members:
    """Clients of a bucket, ascending, and the number of samples of each."""

    bucket: int
    number: I64
    samples: I64


@dataclass(frozen=True, slots=True)
class Stops:
    """Apps that clients stopped using, as pairs of a client and an app number."""

    client: I64
    app: I64

    def slots(self, clients: Clients) -> Bool:
        """The slots of these pairs among a block's clients."""
        chosen = np.zeros(clients.apps.app.shape, bool)
        place = {number: row for row, number in enumerate(clients.number.tolist())}
        for client, app in zip(self.client.tolist(), self.app.tolist(), strict=True):
            if client in place:
                chosen[place[client]] |= clients.apps.app[place[client]] == app
        return chosen


@dataclass(frozen=True, slots=True)
class Plan:
    """A period of a fleet to simulate, and the apps that clients stopped before it (None: no advice).

    The first period has the number 0. Others begin `late_s` seconds later than it.
    """

    model: FleetModel
    seed: int
    catalog: Catalog
    number: int = 0
    late_s: int = 0
    stops: Stops | None = None

    def digest(self) -> str:
        """16 hexadecimal digits that name the plan's parts."""
        stopped = [] if self.stops is None else [self.stops.client.tolist(), self.stops.app.tolist()]
        period = {"number": self.number, "late_s": self.late_s}
        text = json.dumps([self.model.as_dict(), self.seed, period, stopped], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def blocks_of(plan: Plan, members: Members) -> Iterator[tuple[pa.Table, pa.Table, pa.Table]]:
    """Simulate block by block, in order of client: samples, and the truth of clients and of effects."""
    low, block = 0, 0
    while low < len(members.number):
        high, longest = low, 0
        while high < len(members.number):
            longest = max(longest, int(members.samples[high]))
            if high > low and longest * (high + 1 - low) > _BLOCK_SAMPLES:
                break
            high += 1
        some = slice(low, high)
        traits = generator(plan.seed, members.bucket, block, 0)
        clients = clients_of(plan.model, plan.catalog, members.number[some], members.samples[some], traits)
        yield _simulated(plan, clients, (members.bucket, block))
        low, block = high, block + 1


def _simulated(plan: Plan, clients: Clients, place: tuple[int, int]) -> tuple[pa.Table, pa.Table, pa.Table]:
    catalog, dirt = plan.catalog, plan.model.dirt
    random = generator(plan.seed, *place, 1 + plan.number)

    def effects_while(running: Running) -> RunningDrains:
        # The same random numbers, so that stopped apps do not change others.
        return effects_of(catalog, clients.apps, course, running, generator(plan.seed, *place, 3 + plan.number))

    course = course_of(plan.model, clients, random, plan.late_s)
    running = running_of(clients.apps, course, random)
    size = len(clients.number)
    every = effects_while(running)
    unfollowed = course.rate_ppm_s + every.by_client(every.drain_ppm_s, np.ones(len(every.client), bool), size)
    rate, effects = unfollowed, every
    if plan.stops is not None:
        running = stopped(running, plan.stops.slots(clients))
        effects = effects_while(running)
        rate = course.rate_ppm_s + effects.by_client(effects.drain_ppm_s, np.ones(len(effects.client), bool), size)
    battery = battery_of(clients, course, rate, random, dirt)
    block = ClientBlock(clients, course, running, effects, rate, battery, plan.model.counters)
    return rows_of(catalog, block, random, dirt), clients_table(block, unfollowed), effects_table(catalog, block)


def simulate(store: Store, model: FleetModel, seed: int, *, jobs: int = 1, progress: Progress = no_progress) -> None:
    """Write samples, packages and the folder `truth`.

    The same model, seed and store (salt, buckets) give the same files with any number of `jobs` (processes). Raises
    `FleetError` if the store has other samples.
    """
    with exclusive_writer(store.path):
        _claim(store, model, seed)
        if not (store.path / layout.TRUTH / "clients.parquet").exists():
            _first_period(store, model, seed, jobs, progress)


def _first_period(store: Store, model: FleetModel, seed: int, jobs: int, progress: Progress) -> None:
    folder = store.path / layout.TRUTH
    catalog = catalog_of(model, seed)
    store.write_packages(catalog.packages())
    clients, effects = period_into(store, Plan(model, seed, catalog), jobs=jobs, progress=progress)
    write_table(folder / "apps.parquet", apps_table(catalog, clients, effects))
    write_table(folder / "effects.parquet", effects)
    write_table(folder / "bugs.parquet", effects.filter(effects["is_bug"]))
    write_table(folder / "clients.parquet", clients.drop_columns(["rate_unfollowed_ppm_s"]))
    clear_pieces(store)


def _claim(store: Store, model: FleetModel, seed: int) -> None:
    """Check that the store is empty or has this simulation, and record the simulation."""
    file = store.path / layout.TRUTH_MODEL
    wanted = {"seed": seed, "model": model.as_dict()}
    if file.exists():
        if read_model(store) != (model, seed):
            raise FleetError(f"{store.path}: holds another simulation", "Name a new folder, or the same numbers and seed.")
        return
    if store.parts() or len(store.packages()):
        raise FleetError(f"{store.path}: holds samples already", "Name a new folder.")
    write_whole(file, json.dumps(wanted, indent=2).encode() + b"\n")


def read_model(store: Store) -> tuple[FleetModel, int]:
    """Model and seed of a simulated store. Raises FleetError."""
    file = store.path / layout.TRUTH_MODEL
    try:
        values = json.loads(read_regular(file, _LARGEST_MODEL))
        return FleetModel.from_dict(values["model"]), int(values["seed"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FleetError(f"{file}: cannot be read: {error}", "Name a folder made by `navitas fleet simulate`.") from error


def members_of(store: Store, model: FleetModel, seed: int) -> list[Members]:
    """All clients by bucket, with numbers of samples that add up to the model's."""
    number = np.array([client_number(f"simulated-{seed}-{index}", store.key) for index in range(model.clients)], np.int64)
    weight = np.clip(generator(seed, _PLACE).lognormal(0, 0.35, model.clients), 0.5, 2.0)
    ends = np.rint(np.cumsum(weight) / weight.sum() * (model.samples - 2 * model.clients)).astype(np.int64)
    samples = 2 + np.diff(np.append(0, ends))
    order = np.argsort(number)
    bucket = bucket_of(number, store.buckets)[order]
    return [Members(one, number[order][bucket == one], samples[order][bucket == one]) for one in np.unique(bucket).tolist()]


def period_into(store: Store, plan: Plan, *, jobs: int = 1, progress: Progress = no_progress) -> tuple[pa.Table, pa.Table]:
    """Write a period's samples, and enter them in the ledger.

    Returns the truth of its clients, and of hogs and bugs on them, by client.
    """
    digest = plan.digest()
    tasks = [_BucketTask(store, plan, digest, members) for members in members_of(store, plan.model, plan.seed)]
    count = 0

    def done(task: _BucketTask) -> None:
        nonlocal count
        count += int(task.members.samples.sum())
        progress(count, plan.model.samples)

    processes = TaskProcesses(jobs, "Run it again with fewer --jobs; it continues.")
    processes.run(tasks, done)
    processes.close()
    parts = [f"{unit.folder}/{file.name}" for unit, files in store.parts().items() for file in files if digest in file.name]
    SourceLedger(store).enter([{"source": digest, "name": "simulated", "rows": count, "accepted": count, "parts": parts}])
    tables = [pa.concat_tables(read_table(task.pieces[which]) for task in tasks) for which in (0, 1)]
    by = [("client", "ascending")]
    return tables[0].sort_by(by), tables[1].sort_by([*by, ("app_id", "ascending")])


@dataclass(frozen=True, slots=True)
class _BucketTask:
    """Writes a bucket's parts, then its truth, which marks it as done."""

    store: Store
    plan: Plan
    digest: str
    members: Members

    @property
    def name(self) -> str:
        return f"bucket {self.members.bucket}"

    @property
    def size_bytes(self) -> int:
        """So large that processes pay: to simulate samples takes longer than to read them."""
        return LEAST_BYTES

    @property
    def pieces(self) -> tuple[Path, Path]:
        """The files of the truth of clients and effects."""
        folder = self.store.work / "simulate" / self.digest
        return folder / f"clients-{self.members.bucket:03d}.parquet", folder / f"effects-{self.members.bucket:03d}.parquet"

    def run(self) -> None:
        """Simulate the bucket, unless that is done."""
        if not self.pieces[0].exists():
            samples, clients, effects = map(pa.concat_tables, zip(*blocks_of(self.plan, self.members), strict=True))
            month = samples["time_s"].to_numpy().astype("datetime64[s]").astype("datetime64[M]")
            for one in np.unique(month):
                rows = samples.filter(pa.array(month == one))
                self.store.write_part(Unit(self.members.bucket, str(one)), self.digest, rows)
            write_table(self.pieces[1], effects)
            write_table(self.pieces[0], clients)


def clear_pieces(store: Store) -> None:
    """Remove the buckets' truth files, which are merged by now."""
    shutil.rmtree(store.work / "simulate", ignore_errors=True)

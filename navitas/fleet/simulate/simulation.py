"""Simulates a fleet into a store, bucket by bucket. An interrupted simulation continues where it stopped."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa

from navitas.fleet import layout
from navitas.fleet.files import FleetError, read_table, write_table, write_whole
from navitas.fleet.schema import bucket_of, client_number, month_of
from navitas.fleet.simulate.bucket import Members, Plan, SimulatedPeriod, blocks_of
from navitas.fleet.simulate.catalog import catalog_of
from navitas.fleet.simulate.model import FleetModel, generator
from navitas.fleet.simulate.truth import apps_table
from navitas.fleet.statistics import I64
from navitas.fleet.store import Store, Unit, exclusive_writer
from navitas.regular_files import read_regular

_PLACE = 1 << 21
_LARGEST_MODEL = 1 << 20
"""Seed of the random numbers for the counts of samples."""
Progress = Callable[[int, int], None]
"""Called with the number of samples done, and in total."""


def simulate(store: Store, model: FleetModel, seed: int, *, jobs: int = 1, progress: Progress | None = None) -> None:
    """Write samples, packages and the folder `truth`.

    The same model, seed and store (salt, buckets) give the same files with any number of `jobs` (processes). Raises
    `FleetError` if the store has other samples.
    """
    with exclusive_writer(store.path):
        _claim(store, model, seed)
        if not (store.path / layout.TRUTH / "clients.parquet").exists():
            _first_period(store, model, seed, jobs, progress)


def _first_period(store: Store, model: FleetModel, seed: int, jobs: int, progress: Progress | None) -> None:
    folder = store.path / layout.TRUTH
    catalog = catalog_of(model, seed)
    store.write_packages(catalog.packages())
    clients, effects = period_into(store, Plan(model, seed, catalog, SimulatedPeriod(0, 0)), jobs=jobs, progress=progress)
    write_table(folder / "apps.parquet", apps_table(catalog, clients, effects))
    write_table(folder / "effects.parquet", effects)
    write_table(folder / "bugs.parquet", effects.filter(effects["is_bug"]))
    write_table(folder / "clients.parquet", clients.drop_columns(["rate_unfollowed_ppm_s"]))
    clear_pieces(store)


def _claim(store: Store, model: FleetModel, seed: int) -> None:
    """Check that the store is empty or has this simulation, and record the simulation."""
    file = store.path / layout.TRUTH / "model.json"
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
    file = store.path / layout.TRUTH / "model.json"
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


def period_into(store: Store, plan: Plan, *, jobs: int = 1, progress: Progress | None = None) -> tuple[pa.Table, pa.Table]:
    """Write a period's samples. Returns the truth of its clients, and of hogs and bugs on them, by client."""
    digest = plan.digest()
    buckets = members_of(store, plan.model, plan.seed)
    make = partial(_bucket, store, plan, digest)
    done = 0
    for count in _mapped(make, buckets, jobs):
        done += count
        if progress is not None:
            progress(done, plan.model.samples)
    pieces = [_pieces(store, digest, members.bucket) for members in buckets]
    tables = [pa.concat_tables(read_table(piece[which]) for piece in pieces) for which in (0, 1)]
    by = [("client", "ascending")]
    return tables[0].sort_by(by), tables[1].sort_by([*by, ("app_id", "ascending")])


def _mapped(make: Callable[[Members], int], buckets: list[Members], jobs: int) -> Iterator[int]:
    if jobs == 1:
        yield from map(make, buckets)
        return
    # Workers ignore Ctrl-C and finish their bucket.
    with ProcessPoolExecutor(jobs, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        try:
            yield from pool.map(make, buckets)
        except BrokenProcessPool as error:
            raise FleetError(
                "a process of the simulation was killed, maybe for lack of memory",
                "Run it again with fewer --jobs; it continues.",
            ) from error


def _bucket(store: Store, plan: Plan, digest: str, members: Members) -> int:
    """Write a bucket's parts, then its truth, which marks it as done. Returns its number of samples."""
    count = int(members.samples.sum())
    clients, effects = _pieces(store, digest, members.bucket)
    if clients.exists():
        return count
    made = list(blocks_of(plan, members))
    samples = pa.concat_tables([block.samples for block in made])
    for month, rows in by_month(samples):
        store.write_part(Unit(members.bucket, month), digest, rows)
    write_table(effects, pa.concat_tables([block.effects for block in made]))
    write_table(clients, pa.concat_tables([block.clients for block in made]))
    return count


def by_month(samples: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of each month in order. Rows of a client and month are consecutive, so slices suffice."""
    time_s: I64 = samples["time_s"].to_numpy()
    month = (time_s.astype("datetime64[s]").astype("datetime64[M]")).astype(np.int64)
    starts = np.flatnonzero(np.append(True, month[1:] != month[:-1]))
    ends = np.append(starts[1:], len(month))
    for number in np.unique(month).tolist():
        mine = month[starts] == number
        slices = [samples.slice(low, high - low) for low, high in zip(starts[mine].tolist(), ends[mine].tolist(), strict=True)]
        yield str(month_of(time_s[starts[mine][:1]])[0]), pa.concat_tables(slices)


def _pieces(store: Store, digest: str, bucket: int) -> tuple[Path, Path]:
    folder = store.work / "simulate" / digest
    return folder / f"clients-{bucket:03d}.parquet", folder / f"effects-{bucket:03d}.parquet"


def clear_pieces(store: Store) -> None:
    """Remove the buckets' truth files, which are merged by now."""
    shutil.rmtree(store.work / "simulate", ignore_errors=True)

"""What chosen apps drain by condition: version, screen, network, and the client's model and OS. One pass over the samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.engine.base import statement
from navitas.fleet.kernel import AppLists, sums_by_package
from navitas.fleet.pairs import pairs_of
from navitas.fleet.schema import NETWORKS
from navitas.fleet.stages import LEAST_S, Fleet
from navitas.fleet.statistics import F64, I64, Bool
from navitas.fleet.units import Job, samples_of
from navitas.fleet.usage import COLUMNS, SCREENS, apps_in, ordered, samples_in

CHANGING = "changing"
"""A pair's network where its ends differ or one is not known, and its screen where it is on at one."""
_AMOUNTS = ("pairs", "seconds", "drop_ppm")
_CELLS = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("package", pa.int32()),
        pa.field("screen", pa.int8()),
        pa.field("network", pa.int8()),
        *(pa.field(name, pa.int64()) for name in (*_AMOUNTS, *(f"one_{name}" for name in _AMOUNTS))),
    ]
)
_MODELS = "SELECT client, MAX(model) AS model, MAX(os) AS os FROM clients GROUP BY client"
Texts = NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class Cells:
    """An app's sums by client and condition; `features` hold texts by row ("" is not known); `s` / `w` is the extra drain, ppm/s.

    `cluster` numbers the clients from 0; `seconds` and `drop_ppm` are those with the app at both ends of a pair.
    """

    client: I64
    cluster: I64
    s: F64
    w: F64
    seconds: F64
    drop_ppm: F64
    features: dict[str, Texts]


def cells_of(fleet: Fleet, apps: I64, told: Callable[[int, int], None] = lambda done, of: None) -> dict[int, Cells]:
    """The cells of each app. FleetError when samples cannot be read."""
    chosen = fleet.packages.filter(pc.is_in(fleet.packages["app_id"], pa.array(apps, pa.int32())))
    wanted = np.zeros(int(max(fleet.packages["id"].to_pylist(), default=0)) + 1, bool)
    wanted[chosen["id"].to_numpy()] = True
    tables = []
    for done, (job, samples) in enumerate(samples_of(fleet.jobs, [*COLUMNS, "network"]), 1):
        tables.append(_of_unit(job, ordered(samples), wanted))
        told(done, len(fleet.jobs))
    found = fleet.engine.query(
        statement("conditions", least_s=LEAST_S), {"cells": pa.concat_tables(tables), "packages": fleet.packages}
    )
    clients = pa.concat_tables(fleet.by_clients(_MODELS)).sort_by("client")
    version = dict(zip(chosen["id"].to_pylist(), chosen["version"].to_pylist(), strict=True))
    app = found["app"].to_numpy()
    return {number: _cells(found.filter(pa.array(app == number)), clients, version) for number in apps.tolist()}


def _cells(table: pa.Table, clients: pa.Table, version: dict[int, str]) -> Cells:
    client = table["client"].to_numpy()
    place = np.searchsorted(clients["client"].to_numpy(), client)
    _, cluster = np.unique(client, return_inverse=True)
    networks = np.array([*NETWORKS, CHANGING], object)
    features = {
        "version": np.array([version[package] for package in table["package"].to_pylist()], object),
        "os": np.array([text or "" for text in clients["os"].take(place).to_pylist()], object),
        "model": np.array([text or "" for text in clients["model"].take(place).to_pylist()], object),
        "network": networks[table["network"].to_numpy()],
        "screen": np.array(["off", CHANGING, "on"], object)[table["screen"].to_numpy()],
    }
    s, w, seconds, drop = (table[name].to_numpy() for name in ("s", "w", "seconds", "drop_ppm"))
    return Cells(client, cluster, s, w, seconds, drop, features)


def _of_unit(job: Job, samples: pa.Table, wanted: Bool) -> pa.Table:
    read, lists = samples_in(samples), apps_in(samples)
    pairs, client = pairs_of(read), read.client
    kept = wanted[lists.package]
    apps = AppLists(np.append(0, np.cumsum(kept))[lists.offset], lists.package[kept])
    network = _networks(samples)
    own = pairs.counts & (read.time_s >= job.begins_s)
    amounts = np.stack([own, pairs.seconds * own, pairs.drop_ppm * own]).astype(np.int64)
    first = np.flatnonzero(np.append(True, client[1:] != client[:-1])[: len(client)])
    tables = [_CELLS.empty_table()]
    # Network by network: all at once would hold four times as many sums.
    for number in range(len(NETWORKS) + 1):
        chosen = network == number
        values = np.concatenate([amounts * (chosen & (pairs.screen == screen)) for screen in range(SCREENS)])
        total = np.add.reduceat(values, first, axis=1) if len(first) else values[:, :0]
        tables.append(_table(client[first], None, number, total, np.zeros_like(total)))
        for part in sums_by_package(client, apps, values):
            tables.append(_table(client[part.client], part.package, number, part.both, part.one))
    return pa.concat_tables(tables)


def _table(client: I64, package: I64 | None, network: int, both: I64, one: I64) -> pa.Table:
    sums = np.concatenate([ends.reshape(SCREENS, len(_AMOUNTS), -1) for ends in (both, one)], axis=1)
    screen, row = np.nonzero(sums.any(axis=1))
    packages = pa.nulls(len(row), pa.int32()) if package is None else pa.array(package[row], pa.int32())
    columns = [client[row], packages, screen, np.full(len(row), network), *sums[screen, :, row].T]
    return pa.table(columns, names=_CELLS.names).cast(_CELLS)


def _networks(samples: pa.Table) -> NDArray[np.int8]:
    """Each pair's network, by number: that of both its ends."""
    number = np.asarray(pc.fill_null(pc.index_in(samples["network"], pa.array(NETWORKS)), len(NETWORKS)).to_numpy(), np.int8)
    before = np.append(np.int8(len(NETWORKS)), number[:-1])[: len(number)]
    return np.where(number == before, number, np.int8(len(NETWORKS))).astype(np.int8)

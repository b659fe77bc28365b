"""The truth of a simulated fleet, as tables (docs/dev/fleet-simulator.md has their columns)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from navitas.fleet.schema import PACKAGES
from navitas.fleet.simulate.catalog import RESOURCES, Catalog
from navitas.fleet.simulate.model import DEVICES, OSES
from navitas.fleet.simulate.rows import ClientBlock
from navitas.fleet.simulate.running import F32
from navitas.fleet.statistics import F64

GROUPS = ("control", "advised")


def apps_table(catalog: Catalog, clients: pa.Table, effects: pa.Table) -> pa.Table:
    """A row for each package. `mean_ppm_s` is null for apps with bugs, because `effects` lacks most of their clients."""
    packages = catalog.packages()
    app = np.repeat(np.arange(len(catalog.first)), catalog.versions)
    version = np.arange(len(app)) - catalog.first[app]
    since = [catalog.version_name(number) if number else "" for number in catalog.since.tolist()]
    hog = catalog.hog[app]
    return pa.table(
        {
            **{name: packages[name] for name in PACKAGES.names},
            "is_hog": hog,
            "has_bugs": catalog.buggy[app],
            "extra_ppm_s": np.where(version >= catalog.since[app], catalog.extra_ppm_s[app], 0.0),
            "mean_ppm_s": pa.array(_app_means(catalog, clients, effects)[app], mask=catalog.buggy[app]),
            "since_version": np.array(since, object)[app],
            "resource": np.where(hog | catalog.buggy[app], np.array(RESOURCES, object)[catalog.resource[app]], ""),
            "condition": np.array(catalog.condition, object)[app],
        }
    )


def _app_means(catalog: Catalog, clients: pa.Table, effects: pa.Table) -> F64:
    """The mean drains of hogs while they run, over all clients and versions, weighted by time."""
    client = clients["client"].to_numpy()
    rows = np.searchsorted(client, effects["client"].to_numpy())
    ran = effects["run_share"].to_numpy() * clients["seconds"].to_numpy()[rows]
    drained = ran * np.nan_to_num(effects["mean_ppm_s"].to_numpy())
    app, size = effects["app_id"].to_numpy(), len(catalog.first)
    time = np.bincount(app, ran, size)
    return np.divide(np.bincount(app, drained, size), time, out=np.zeros(size), where=time > 0)


def clients_table(block: ClientBlock, unfollowed_ppm_s: F64) -> pa.Table:
    """A row for each client. Rates are means over its discharging time."""
    clients, course = block.clients, block.course
    seconds = course.seconds * block.battery.discharging()
    used = course.screen.copy()
    used[:-1] |= course.screen[1:]
    last = course.time_s[clients.samples - 1, np.arange(len(clients.samples))]
    table = pa.table(
        {
            "client": clients.number,
            "model": np.array([one.name for one in DEVICES], object)[clients.device],
            "os": np.array([one.name for one in OSES], object)[clients.os],
            "step_ppm": clients.step_ppm,
            "group": np.array(GROUPS, object)[clients.advised.astype(int)],
            "samples": clients.samples,
            "first_s": course.time_s[0],
            "last_s": last,
            "seconds": seconds.sum(axis=0),
            "rate_ppm_s": _mean(block.rate_ppm_s, seconds),
            "rate_screen_on_ppm_s": _mean(block.rate_ppm_s, seconds * used),
            "rate_unfollowed_ppm_s": _mean(unfollowed_ppm_s, seconds),
        }
    )
    return table.sort_by("client")


def effects_table(catalog: Catalog, block: ClientBlock) -> pa.Table:
    """A row for each hog or bug on a client, in order of client and app. Without running time, the mean is null."""
    clients, effects = block.clients, block.effects
    seconds = (block.course.seconds * block.battery.discharging())[:, effects.client]
    app = clients.apps.app[effects.client, effects.slot]
    bug = clients.apps.bug[effects.client, effects.slot]
    ran = (effects.run * seconds).sum(axis=0)
    total = seconds.sum(axis=0)
    table = pa.table(
        {
            "client": clients.number[effects.client],
            "app_id": app,
            "app": pa.array([catalog.app_name(number) for number in app.tolist()], pa.string()),
            "is_bug": bug,
            "condition": pa.array(np.where(bug, np.array(catalog.condition, object)[app], ""), pa.string()),
            "extra_ppm_s": clients.apps.extra_ppm_s[effects.client, effects.slot],
            "run_share": np.divide(ran, total, out=np.zeros_like(ran), where=total > 0),
            "mean_ppm_s": _mean(effects.drain_ppm_s, seconds, ran),
        }
    )
    return table.sort_by([("client", "ascending"), ("app_id", "ascending")])


def _mean(rate: F64 | F32, seconds: F64, weight: F64 | None = None) -> pa.Array:
    time = seconds.sum(axis=0) if weight is None else weight
    drained = (rate * seconds).sum(axis=0)
    return pa.array(np.divide(drained, time, out=np.zeros_like(drained), where=time > 0), mask=time <= 0)

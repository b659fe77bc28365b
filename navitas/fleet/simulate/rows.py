"""Rows of a block's samples, as the phones report them, and the truth as tables (columns: docs/dev/fleet-simulator.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.schema import NETWORKS, PACKAGES, PPM, SAMPLES, State
from navitas.fleet.simulate.catalog import DEVICES, OSES, RESOURCES, Catalog
from navitas.fleet.simulate.clients import Clients
from navitas.fleet.simulate.course import MOBILE, NONE, BatteryLevels, Course, reported_level, used_between
from navitas.fleet.simulate.running import F32, Running, RunningDrains, through
from navitas.fleet.statistics import F64, I64, Bool

_FULL_CPU_PPM_S = 40.0
_LOST = 0.01
GROUPS = ("control", "advised")


@dataclass(frozen=True, slots=True)
class ClientBlock:
    """All data of a block of clients."""

    clients: Clients
    course: Course
    running: Running
    effects: RunningDrains
    rate_ppm_s: F64
    battery: BatteryLevels
    counters: bool


def rows_of(catalog: Catalog, block: ClientBlock, random: np.random.Generator, dirt: bool) -> pa.Table:
    """Samples in order of client and time."""
    clients, course = block.clients, block.course
    order = np.argsort(clients.number)
    taken = (np.arange(len(course.time_s)) < clients.samples[order, None]).nonzero()
    flat = (taken[1], order[taken[0]])
    owner = flat[1]
    size = len(owner)
    level, plugged, rate = block.battery.level_ppm[flat], block.battery.plugged[flat], block.rate_ppm_s[flat]
    state = np.where(plugged, np.where(level >= PPM, State.FULL, State.CHARGING), State.DISCHARGING).astype(np.int8)
    voltage = 3450 + 700 * level / PPM - 5 * rate + 80 * plugged + 15 * random.standard_normal(size)
    warmth = 235 + 1.5 * rate + 40 * plugged + 15 * random.standard_normal(size)
    apps, foreground = _apps(catalog, block, order)
    values: dict[str, Any] = {
        "client": clients.number[owner],
        "time_s": _clock(course.time_s[flat], owner, random) if dirt else course.time_s[flat],
        "level_ppm": reported_level(level, clients.step_ppm[owner]),
        "state": state,
        "voltage_mv": np.rint(np.clip(voltage, 3000, 4400)),
        "temperature_dc": np.rint(warmth),
        "screen": course.screen[flat],
        "network": _named(NETWORKS, _network(catalog, block)[flat]),
        "cpu": _cpu(catalog, block, random)[flat],
        "model": _named([one.name for one in DEVICES], clients.device[owner]),
        "os": _named([one.name for one in OSES], clients.os[owner]),
        "uptime_s": course.uptime_s[flat],
        "apps": apps,
        "foreground": foreground,
        "screen_on_ms": _screen_on_ms(course)[flat] if block.counters else pa.nulls(size),
    }
    if dirt:
        for name in ("voltage_mv", "temperature_dc", "screen", "network", "cpu", "uptime_s"):
            values[name] = pc.if_else(pa.array(random.random(size) < _LOST), None, values[name])
        values["state"] = np.where(random.random(size) < _LOST, State.UNKNOWN, state)
    columns = [_column(values.get(field.name, pa.nulls(size)), field.type) for field in SAMPLES]
    table = pa.table(columns, schema=SAMPLES)
    return _in_order(table) if dirt else table


def _screen_on_ms(course: Course) -> I64:
    """The total time with the screen on since the first sample."""
    on = 1000 * course.lit * course.seconds
    return (np.cumsum(on, axis=0) - on).astype(np.int64)


def _column(values: Any, kind: pa.DataType) -> pa.Array:
    return (values if isinstance(values, pa.Array) else pa.array(values)).cast(kind)


def _named(names: Sequence[str], index: NDArray[Any]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(index, pa.int8()), list(names))


def _cpu(catalog: Catalog, block: ClientBlock, random: np.random.Generator) -> F64:
    """CPU use since the last sample: a base, more with the screen on, and the drain of apps through it."""
    effects, screen = block.effects, block.course.screen
    drain = effects.by_client(effects.drain_ppm_s, through(catalog, block.clients.apps, effects, "cpu"), screen.shape[1])
    before = np.vstack([np.zeros_like(drain[:1]), drain[:-1]])
    own = random.gamma(2, 0.02, screen.shape) + 0.12 * screen * random.random(screen.shape)
    return np.asarray(np.minimum(own + before / _FULL_CPU_PPM_S, 1.0))


def _network(catalog: Catalog, block: ClientBlock) -> NDArray[np.int8]:
    """The network that phones report. Apps that drain through the radio use mobile where there is no other connection."""
    effects, network = block.effects, block.course.network
    radio = effects.by_client(effects.on, through(catalog, block.clients.apps, effects, "radio"), network.shape[1]) > 0
    return np.where(radio & (network == NONE), np.int8(MOBILE), network)


def _apps(catalog: Catalog, block: ClientBlock, order: I64) -> tuple[pa.Array, pa.Array]:
    """Lists of packages, and the package in the foreground."""
    apps, running = block.clients.apps, block.running
    first = np.where(apps.app >= 0, catalog.first[apps.app], 0).astype(np.int32)
    lists, counts, front = [], [], []
    for client in order.tolist():
        length = int(block.clients.samples[client])
        time_s = block.course.time_s[:length, client]
        package = np.tile(first[client], (length, 1))
        since = np.searchsorted(time_s, apps.updated[client])
        for slot, update in zip(*(since < length).nonzero(), strict=True):
            package[since[slot, update] :, slot] += 1
        on = running.on[:length, client]
        lists.append(package[on])
        counts.append(np.add.reduce(on, axis=1, dtype=np.int32))
        shown = running.foreground[:length, client]
        front.append(np.where(shown >= 0, package[np.arange(length), shown], -1))
    offsets = np.append(0, np.cumsum(np.concatenate(counts))).astype(np.int32)
    foreground = np.concatenate(front)
    return pa.ListArray.from_arrays(offsets, np.concatenate(lists)), pa.array(foreground, pa.int32(), mask=foreground < 0)


def _clock(time_s: I64, owner: I64, random: np.random.Generator) -> I64:
    """Times by the phones' clocks. One client in ten is off by up to two days for a while."""
    wrong = random.random(int(owner.max()) + 1) < 0.1
    shift = random.integers(-2 * 86_400, 2 * 86_400, len(wrong))
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    ends = np.append(starts[1:], len(owner))
    result = time_s.copy()
    for low, high in zip(starts.tolist(), ends.tolist(), strict=True):
        if wrong[owner[low]]:
            begin, end = np.sort(random.integers(low, high, 2)).tolist()
            result[begin:end] += shift[owner[low]]
    return result


def _in_order(table: pa.Table) -> pa.Table:
    """Rows sorted by client and time, without duplicate times of a client."""
    client, time_s = table["client"].to_numpy(), table["time_s"].to_numpy()
    order = np.lexsort((time_s, client))
    fresh = np.append(True, (np.diff(client[order]) != 0) | (np.diff(time_s[order]) != 0))
    return table.take(pa.array(order[fresh]))


def stopped(block_running: Running, pairs: Bool) -> Running:
    """The running apps without these pairs (clients, slots)."""
    foreground = block_running.foreground
    shown = np.take_along_axis(pairs, np.maximum(foreground.T, 0).astype(np.int64), axis=1).T
    return Running(block_running.on & ~pairs, np.where(shown, np.int16(-1), foreground))


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
            "rate_screen_on_ppm_s": _mean(block.rate_ppm_s, seconds * used_between(course.screen)),
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

"""Samples of a unit → what each client used, and with which packages: sums of pairs, from which all else is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet.kernel import AppLists, Sums, sums_by_package
from navitas.fleet.pairs import Pairs, Samples, pairs_of
from navitas.fleet.schema import I64

COLUMNS = ["client", "time_s", "level_ppm", "state", "screen", "uptime_s", "model", "os", "apps"]
"""Of samples, those that are looked at."""
_AMOUNTS = ("pairs", "seconds", "drop_ppm")
_SCREENS = ("off", "on")
SUM_COLUMNS = tuple(f"{screen}_{amount}" for screen in _SCREENS for amount in _AMOUNTS)
USAGE = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("package", pa.int32()),
        *(pa.field(f"{ends}_{name}", pa.int32()) for ends in ("both", "one") for name in SUM_COLUMNS),
    ]
)
"""By client and package: pairs with the package at both ends and at one of them, by screen: their number, length and drop."""
CLIENTS = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("samples", pa.int64()),
        *(pa.field(name, pa.int64()) for name in SUM_COLUMNS),
        *(pa.field(f"{screen}_square", pa.float64()) for screen in _SCREENS),
        pa.field("step_ppm", pa.int32()),
        pa.field("first_s", pa.int64()),
        pa.field("last_s", pa.int64()),
        pa.field("model", pa.string()),
        pa.field("os", pa.string()),
    ]
)
"""By client: all its pairs by screen; `square` is Σ drop² / seconds, `step_ppm` the smallest change of level (0: none seen)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """A unit's sums, and how many pairs were refused by reason."""

    usage: pa.Table
    clients: pa.Table
    refused: dict[str, int]


def usage_of(samples: pa.Table, begins_s: int = -(1 << 62)) -> Usage:
    """Sum up a unit's pairs; samples (`COLUMNS`) are ordered here if they are not, by client and time.

    Samples before `begins_s` are the unit's before: they only begin pairs.
    """
    samples = _ordered(samples)
    client, time_s = (_int64(samples[name]) for name in ("client", "time_s"))
    pairs = pairs_of(
        Samples(
            client,
            time_s,
            _int64(samples["level_ppm"]),
            _int64(samples["state"]).astype(np.int8),
            np.asarray(pc.fill_null(samples["screen"], False).to_numpy()),
            _int64(pc.fill_null(samples["uptime_s"], -1)),
        )
    )
    own = time_s >= begins_s
    amounts = np.stack([pairs.counts, pairs.seconds, pairs.drop_ppm], axis=1).astype(np.int64) * own[:, None]
    values = np.concatenate([amounts * ~pairs.screen[:, None], amounts * pairs.screen[:, None]], axis=1)
    lists = samples["apps"].combine_chunks()
    apps = AppLists(lists.offsets.to_numpy().astype(np.int64), lists.values.to_numpy())
    sums = [part for part in sums_by_package(client, apps, values)]
    refused = {reason: count for reason, count in pairs.refused.items() if count}
    return Usage(_usage_table(client, sums), _client_table(samples, client, own, pairs, values), refused)


def _ordered(samples: pa.Table) -> pa.Table:
    client, time_s = (_int64(samples[name]) for name in ("client", "time_s"))
    later = (client[1:] > client[:-1]) | ((client[1:] == client[:-1]) & (time_s[1:] >= time_s[:-1]))
    return samples if later.all() else samples.take(np.lexsort((time_s, client)))


def _int64(column: pa.ChunkedArray) -> I64:
    return np.asarray(column.to_numpy(), np.int64)


def _usage_table(client: I64, parts: Sequence[Sums]) -> pa.Table:
    kept = [(part, np.flatnonzero(part.both.any(axis=1) | part.one.any(axis=1))) for part in parts]
    whose = [client[part.client[rows]] for part, rows in kept]
    package = [part.package[rows] for part, rows in kept]
    sums = [np.concatenate([part.both[rows], part.one[rows]], axis=1) for part, rows in kept]
    columns = np.concatenate([np.empty((0, 2 * len(SUM_COLUMNS)), np.int64), *sums]).T
    none = np.empty(0, np.int64)
    return pa.table([np.concatenate([none, *whose]), np.concatenate([none, *package]), *columns], names=USAGE.names).cast(USAGE)


def _client_table(samples: pa.Table, client: I64, own: np.ndarray, pairs: Pairs, values: I64) -> pa.Table:
    first = np.flatnonzero(np.append(True, client[1:] != client[:-1])[: len(client)])
    last = np.append(first[1:], len(client))[: len(first)] - 1
    if not len(first):
        return CLIENTS.empty_table()
    square = np.where(pairs.counts & own, pairs.drop_ppm.astype(np.float64) ** 2 / np.maximum(pairs.seconds, 1), 0.0)
    time_s, level = _int64(samples["time_s"]), _int64(samples["level_ppm"])
    change = np.abs(np.diff(level, prepend=level[0]))
    change[first] = 0
    change[change == 0] = np.iinfo(np.int32).max
    step = np.minimum.reduceat(change, first)
    counted = np.add.reduceat(own, first, dtype=np.int64)
    columns = {
        "client": client[first],
        "samples": counted,
        **dict(zip(SUM_COLUMNS, np.add.reduceat(values, first).T, strict=True)),
        "off_square": np.add.reduceat(np.where(pairs.screen, 0.0, square), first),
        "on_square": np.add.reduceat(np.where(pairs.screen, square, 0.0), first),
        "step_ppm": np.where(step == np.iinfo(np.int32).max, 0, step),
        "first_s": time_s[first],
        "last_s": time_s[last],
        "model": samples["model"].take(last),
        "os": samples["os"].take(last),
    }
    return pa.table([columns[name] for name in CLIENTS.names], names=CLIENTS.names).cast(CLIENTS).filter(pa.array(counted > 0))

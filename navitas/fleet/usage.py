"""Samples of a unit → sums of pairs by client, package and screen. All results are computed from these sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.kernel import AppLists, PairAmounts, Sums, first_samples, sums_by_package
from navitas.fleet.pairs import Bool, ClientSamples, Pairs, pairs_of
from navitas.fleet.schema import I64

COLUMNS = ["client", "time_s", "level_ppm", "state", "screen", "uptime_s", "model", "os", "apps"]
"""Columns of samples that are read."""
SCREENS = 3
"""Number of screen classes: a pair's screen is on at 0, 1 or 2 of its ends."""
_WIDTHS = {"pairs": pa.int32(), "seconds": pa.int32(), "drop_ppm": pa.int64()}
_AMOUNTS = tuple(_WIDTHS)
_ENDS = ("both", "one", "changed")
USAGE = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("package", pa.int32()),
        pa.field("screen", pa.int8()),
        *(pa.field(f"{ends}_{amount}", kind) for ends in _ENDS for amount, kind in _WIDTHS.items()),
    ]
)
"""By client, package and screen: number, length and drop of pairs with the package at both ends, and at one end.

`changed` counts pairs of `one` in which the package replaces another version of its app. The app is then at both ends, and
the pair is among `one` of both packages.
"""
CLIENTS = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("screen", pa.int8()),
        *(pa.field(amount, pa.int64()) for amount in _AMOUNTS),
        pa.field("square", pa.int64()),
        pa.field("samples", pa.int64()),
        pa.field("step_ppm", pa.int32()),
        pa.field("first_s", pa.int64()),
        pa.field("last_s", pa.int64()),
        pa.field("model", pa.string()),
        pa.field("os", pa.string()),
    ]
)
"""By client and screen: sums of all pairs. `square` is Σ drop² / seconds, with each term rounded to an integer.

The other columns are the client's, equal in all its rows. `step_ppm` is the smallest change of its level (0: none seen).
"""


@dataclass(frozen=True, slots=True)
class UnitUsage:
    """A unit's sums, and the number of refused pairs by reason."""

    usage: pa.Table
    clients: pa.Table
    refused: dict[str, int]


def usage_of(samples: pa.Table, begins_s: int = -(1 << 62), app_of: NDArray[np.int32] | None = None) -> UnitUsage:
    """Sum a unit's pairs. Samples (`COLUMNS`) are sorted by client and time if needed.

    Samples before `begins_s` only begin pairs. `app_of` maps packages to apps.
    """
    samples = ordered(samples)
    parsed = samples_in(samples)
    client, own = parsed.client, parsed.time_s >= begins_s
    pairs = pairs_of(parsed)
    values = np.stack([pairs.counts, pairs.seconds, pairs.drop_ppm]).astype(np.int64) * own
    amounts = PairAmounts(values, pairs.screen.astype(np.intp), SCREENS)
    sums = list(sums_by_package(client, apps_in(samples), amounts, app_of))
    return UnitUsage(_usage_table(client, sums), _client_table(samples, client, own, pairs, amounts), pairs.refused(own))


def ordered(samples: pa.Table) -> pa.Table:
    """Samples in order of client and time."""
    client, time_s = (_int64(samples[name]) for name in ("client", "time_s"))
    later = (client[1:] > client[:-1]) | ((client[1:] == client[:-1]) & (time_s[1:] >= time_s[:-1]))
    return samples if later.all() else samples.take(np.lexsort((time_s, client)))


def samples_in(table: pa.Table) -> ClientSamples:
    """The columns that pairs are computed from. The table must be ordered."""
    return ClientSamples(
        _int64(table["client"]),
        _int64(table["time_s"]),
        _int64(table["level_ppm"]),
        _int64(table["state"]).astype(np.int8),
        np.asarray(pc.fill_null(table["screen"], False).to_numpy()),
        _int64(pc.fill_null(table["uptime_s"], -1)),
    )


def apps_in(table: pa.Table) -> AppLists:
    """The apps of an ordered table's samples."""
    lists = table["apps"].combine_chunks()
    return AppLists(lists.offsets.to_numpy().astype(np.int64), lists.values.to_numpy())


def _int64(column: pa.ChunkedArray) -> I64:
    return np.asarray(column.to_numpy(), np.int64)


def _usage_table(client: I64, parts: Sequence[Sums]) -> pa.Table:
    tables = [USAGE.empty_table()]
    for part in parts:
        for screen in range(SCREENS):
            sums = [ends[len(_AMOUNTS) * screen :][: len(_AMOUNTS)] for ends in (part.both, part.one, part.changed)]
            counted = np.flatnonzero(sums[0][0] | sums[1][0])
            amounts = [column for ends in sums for column in ends.take(counted, 1)]
            columns = [client[part.client[counted]], part.package[counted], np.full(len(counted), screen), *amounts]
            tables.append(_table(columns, USAGE))
    return pa.concat_tables(tables)


def _table(columns: Sequence[Any], schema: pa.Schema) -> pa.Table:
    """A table of numeric columns, each cast to its field's type."""
    numbers = [np.asarray(column, field.type.to_pandas_dtype()) for column, field in zip(columns, schema, strict=True)]
    return pa.table(numbers, schema=schema)


def _client_table(samples: pa.Table, client: I64, own: Bool, pairs: Pairs, amounts: PairAmounts) -> pa.Table:
    first = first_samples(client)
    last = np.append(first[1:], len(client))[: len(first)] - 1
    if not len(first):
        return CLIENTS.empty_table()
    square = np.rint(pairs.drop_ppm.astype(np.float64) ** 2 / np.maximum(pairs.seconds, 1)).astype(np.int64)
    square *= pairs.counts & own
    squares = replace(amounts, values=square[None]).by_client(first).T
    time_s = _int64(samples["time_s"])
    sums = amounts.by_client(first).T.reshape(-1, SCREENS, len(_AMOUNTS))
    counted = np.add.reduceat(own, first, dtype=np.int64)
    row, screen = np.nonzero((counted > 0)[:, None] & ((sums[..., 0] > 0) | (np.arange(SCREENS) == 0)))
    columns = {
        "client": client[first][row],
        "screen": screen,
        **dict(zip(_AMOUNTS, sums[row, screen].T, strict=True)),
        "square": squares[row, screen],
        "samples": counted[row],
        "step_ppm": _steps(_int64(samples["level_ppm"]), first)[row],
        "first_s": time_s[first][row],
        "last_s": time_s[last][row],
        "model": samples["model"].take(last[row]),
        "os": samples["os"].take(last[row]),
    }
    return pa.table([columns[name] for name in CLIENTS.names], names=CLIENTS.names).cast(CLIENTS)


def _steps(level: I64, first: I64) -> I64:
    """The smallest change of each client's level; 0 where it never changes."""
    change = np.abs(np.diff(level, prepend=level[0]))
    change[first] = 0
    never = np.iinfo(np.int32).max
    change[change == 0] = never
    step = np.minimum.reduceat(change, first)
    return np.where(step == never, 0, step)

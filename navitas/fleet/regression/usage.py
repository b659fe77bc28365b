"""Samples of a unit → sums of the within-client regression by client and app. All results are computed from these sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.regression import controls
from navitas.fleet.regression.designs import Numbers, blocks
from navitas.fleet.regression.exposure import CLASSES
from navitas.fleet.regression.memberships import first_samples
from navitas.fleet.regression.pairs import (
    COUNTER_COLUMNS,
    PAIR_COLUMNS,
    SET_ASIDE,
    Pairs,
    app_lists,
    int64,
    ordered,
    pairs_of,
    runs_in,
    samples_in,
)
from navitas.fleet.regression.presence import PresenceColumns
from navitas.fleet.regression.within import BY_CLASS, SUMS, PairRows, client_sums, slow_drops
from navitas.fleet.statistics import I64, Bool

SCREENS = 3
"""Number of screen classes: a pair's screen is on at 0, 1 or 2 of its ends."""
_AMOUNTS = ("pairs", "seconds", "drop_ppm", "set_aside")
CLIENTS = pa.schema(
    [
        ("client", pa.int64()),
        ("screen", pa.int8()),
        *((name, pa.int64()) for name in (*_AMOUNTS, "samples", "lit", "bright")),
        ("step_ppm", pa.int32()),
        *((name, pa.int64()) for name in ("first_s", "last_s")),
        *((name, pa.string()) for name in ("model", "os")),
    ]
)
"""By client and screen: sums of all pairs.

`set_aside` is the number of pairs that do not count because samples of the client contradict themselves. The columns after it
are the client's, equal in all its rows: `lit` and `bright` count its samples with a lit screen, and those of them that report the
brightness. `step_ppm` is the smallest change of its level (0: none seen).
"""
TIMED = range(1, CLASSES)
"""Classes of pairs whose running times are not exact."""
_FROM_CLIENTS = (*(f"{name}{kind}" for name in BY_CLASS for kind in range(CLASSES)), "w_screen", "linked", "s")
EVIDENCE = pa.schema([pa.field("app", pa.int32()), *(pa.field(name, pa.float64()) for name in _FROM_CLIENTS)])
"""By app: sums over clients (`within.SUMS`).

The row with a null app has the same sums with the screen in place of an app, and the intercept as the only control.
"""
COLUMNS = [*PAIR_COLUMNS, *controls.COLUMNS, "apps", *COUNTER_COLUMNS, "model"]
"""Columns of samples that are read."""
_SINGLE = ("pairs", "ran_s", "drop_ppm", "s", "noise")


def client_schema(names: Iterable[str], kind: pa.DataType, **keys: pa.DataType) -> pa.Schema:
    """The schema of sums by client and `keys`: these columns, then sums of one type."""
    return pa.schema([("client", pa.int64()), *keys.items(), *((name, kind) for name in names)])


USAGE = client_schema((*_SINGLE, *(f"w{kind}" for kind in range(CLASSES))), pa.float32(), app=pa.int32())
"""By client and app: some of `within.SUMS`; `w0` … `w4` are w by class of pairs."""
_SUMMED = client_schema(SUMS, pa.float64(), app=pa.int32())


@dataclass(slots=True)
class ClientColumns:
    """Rows of one client after another. The first column of the schema is the client."""

    schema: pa.Schema
    parts: list[tuple[NDArray[np.generic], ...]] = field(default_factory=list)

    def add(self, client: int | I64, *columns: NDArray[np.generic]) -> None:
        """Add rows of one client, or of the client of each row."""
        self.parts.append((np.full(len(columns[0]), client), *columns))

    def table(self) -> pa.Table:
        """All rows, in the schema's types."""
        if not self.parts:
            return self.schema.empty_table()
        columns = zip((np.concatenate(column) for column in zip(*self.parts, strict=True)), self.schema, strict=True)
        return pa.table([pa.array(np.asarray(one, kind.type.to_pandas_dtype())) for one, kind in columns], schema=self.schema)


def client_table(samples: pa.Table, own: Bool, pairs: Pairs) -> pa.Table:
    """The sums of ordered samples. Only pairs that count, and samples of `own`, are counted."""
    client, time_s, level = (int64(samples[name]) for name in ("client", "time_s", "level_ppm"))
    first = first_samples(client)
    if not len(first):
        return CLIENTS.empty_table()
    last = np.append(first[1:], len(client)) - 1
    place = np.repeat(np.arange(len(first)), last + 1 - first) * SCREENS + pairs.screen
    amounts = (pairs.counts, pairs.seconds, pairs.drop_ppm, own & (pairs.reason == SET_ASIDE))
    sums = [np.bincount(place, amount, len(first) * SCREENS).astype(np.int64) for amount in amounts]  # Exact below 2^53.
    by_screen = np.reshape(sums, (len(_AMOUNTS), len(first), SCREENS))
    counted = np.add.reduceat(own, first, dtype=np.int64)
    lit = pc.fill_null(samples["screen"], False).to_numpy()
    is_bright = samples["brightness"].is_valid().to_numpy()
    row, screen = np.nonzero((counted > 0)[:, None] & ((by_screen[0] > 0) | (np.arange(SCREENS) == 0)))
    columns = {
        "client": client[first][row],
        "screen": screen,
        **dict(zip(_AMOUNTS, by_screen[:, row, screen], strict=True)),
        "samples": counted[row],
        "lit": np.add.reduceat(lit & own, first, dtype=np.int64)[row],
        "bright": np.add.reduceat(lit & own & is_bright, first, dtype=np.int64)[row],
        "step_ppm": _steps(level, first)[row],
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


def evidence_table(summed: pa.Table, pairs: Sequence[PairRows]) -> pa.Table:
    """The evidence of a unit, from the sums of clients and apps, and from all pairs."""
    apps, place = np.unique(summed["app"].to_numpy(), return_inverse=True)
    screens = [_of_screen(part) for part in pairs]
    columns = [
        np.append(np.bincount(place, summed[name].to_numpy(), len(apps)), sum(sums.get(name, 0.0) for sums in screens))
        for name in EVIDENCE.names[1:]
    ]
    return pa.table([pa.array([*apps.tolist(), None], pa.int32()), *columns], schema=EVIDENCE)


def _of_screen(pairs: PairRows) -> dict[str, float]:
    """Sums with the screen at both ends in place of an app."""
    on, size = pairs.screen_ends, np.diff(np.append(pairs.first, len(pairs.seconds)))
    total = np.add.reduceat(pairs.seconds, pairs.first)
    apart = on - np.repeat(np.add.reduceat(pairs.seconds * on, pairs.first) / total, size)
    varied = pairs.seconds * apart**2
    differs = (on > 0) & (on < 1)
    amounts = {"w": varied, "varied": varied, "length": pairs.seconds * varied, "changed": pairs.seconds * differs / 4}
    amounts["slow"] = np.zeros(len(differs))
    by_class = {name: np.bincount(pairs.kind, amount, CLASSES) for name, amount in amounts.items()}
    sums = {f"{name}{kind}": float(by_class[name][kind]) for name in BY_CLASS for kind in range(CLASSES)}
    return {**sums, "w_screen": float(varied @ pairs.screen_known), "s": float(pairs.drop_ppm @ apart)}


@dataclass(frozen=True, slots=True)
class UnitUsage:
    """A unit's sums by client and app, by client and screen, and by app, and the number of refused pairs by reason.

    `presence` has the samples of each package.
    """

    usage: pa.Table
    clients: pa.Table
    evidence: pa.Table
    presence: pa.Table
    refused: dict[str, int]


def usage_of(samples: pa.Table, app_of: NDArray[np.int32], begins_s: int = -(1 << 62)) -> UnitUsage:
    """Sum a unit's pairs. Samples (`COLUMNS`) are sorted by client and time if needed.

    Samples before `begins_s` only begin pairs. `app_of` maps packages to apps. Raises `UnknownPackage`.
    """
    samples = ordered(samples)
    parsed = samples_in(samples)
    own = parsed.time_s >= begins_s
    pairs = pairs_of(parsed)
    used = pairs.among(own)
    parts: list[PairRows] = []
    rows, presence = ClientColumns(_SUMMED), PresenceColumns()
    # Versions of an app are next to each other.
    numbers = Numbers(len(app_of), np.argsort(app_of, kind="stable")[np.count_nonzero(app_of < 0) :], app_of)
    packages = np.where(app_of < 0, np.int32(-1), np.arange(len(app_of), dtype=np.int32))
    runs = runs_in(samples, app_lists(samples["apps"], packages), packages, app_of)
    for block, designs in blocks(samples, parsed, used, runs, numbers):
        parts.append(block.pairs)
        slow_s = slow_drops(block.pairs, block.left, block.at_levels)
        for design in designs:
            slow = slow_s[design.number]
            sums = client_sums(block.pairs, block.left, design.number, design.share, design.differs, slow)
            rows.add(design.client, design.app, *sums)
            presence.add(design.client, design.begin, design.lists.app, np.asarray(design.lists.values[0], np.uint8))
    summed = rows.table()
    summed = summed.filter(pc.greater(summed["pairs"], 0))
    usage = summed.select(USAGE.names).cast(USAGE)
    evidence = evidence_table(summed, parts)
    return UnitUsage(usage, client_table(samples, own, used), evidence, presence.table(), pairs.refused(own))

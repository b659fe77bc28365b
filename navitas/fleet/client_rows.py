"""Sums of pairs by client and screen, with what is known of the client."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from navitas.fleet.memberships import first_samples
from navitas.fleet.pairs import Bool, Pairs
from navitas.fleet.sample_columns import int64
from navitas.fleet.schema import I64

SCREENS = 3
"""Number of screen classes: a pair's screen is on at 0, 1 or 2 of its ends."""
_AMOUNTS = ("pairs", "seconds", "drop_ppm")
CLIENTS = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("screen", pa.int8()),
        *(pa.field(amount, pa.int64()) for amount in _AMOUNTS),
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


def client_table(samples: pa.Table, own: Bool, pairs: Pairs) -> pa.Table:
    """The sums of ordered samples. Only pairs that count, and samples of `own`, are counted."""
    client, time_s, level = (int64(samples[name]) for name in ("client", "time_s", "level_ppm"))
    first = first_samples(client)
    if not len(first):
        return CLIENTS.empty_table()
    last = np.append(first[1:], len(client)) - 1
    place = np.repeat(np.arange(len(first)), last + 1 - first) * SCREENS + pairs.screen
    amounts = (pairs.counts, pairs.seconds, pairs.drop_ppm)
    sums = [np.bincount(place, amount, len(first) * SCREENS).astype(np.int64) for amount in amounts]  # Exact below 2^53.
    by_screen = np.reshape(sums, (len(_AMOUNTS), len(first), SCREENS))
    counted = np.add.reduceat(own, first, dtype=np.int64)
    row, screen = np.nonzero((counted > 0)[:, None] & ((by_screen[0] > 0) | (np.arange(SCREENS) == 0)))
    columns = {
        "client": client[first][row],
        "screen": screen,
        **dict(zip(_AMOUNTS, by_screen[:, row, screen], strict=True)),
        "samples": counted[row],
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

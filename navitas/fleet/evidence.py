"""What a unit's pairs say about apps, beyond their drain: how long they run, how they come with the screen, what was sampled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from navitas.fleet.exposure import CLASSES
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64
from navitas.fleet.within import BY_CLASS, SUMS, PairRows

TIMED = range(1, CLASSES)
"""Classes of pairs whose running times are not exact."""
_FROM_CLIENTS = (*(f"{name}{kind}" for name in BY_CLASS for kind in range(CLASSES)), "w_screen", "linked", "s")
EVIDENCE = pa.schema([pa.field("app", pa.int32()), *(pa.field(name, pa.float64()) for name in _FROM_CLIENTS)])
"""By app: sums over clients (`within.SUMS`).

The row with a null app has the same sums with the screen in place of an app, and the intercept as the only control.
"""


def evidence_table(app: I64, sums: F64, pairs: Sequence[PairRows]) -> pa.Table:
    """The evidence of a unit, from the sums of clients and apps (columns of `sums`), and from all pairs."""
    apps, place = np.unique(app, return_inverse=True)
    rows = {name: sums[SUMS.index(name)] for name in _FROM_CLIENTS}
    columns = {name: np.bincount(place, row, len(apps)) for name, row in rows.items()}
    screen = {name: np.zeros(1) for name in EVIDENCE.names[1:]}
    for part in pairs:
        for name, value in _of_screen(part).items():
            screen[name] += value
    both = [np.append(columns.get(name, np.zeros(len(apps))), screen[name]) for name in EVIDENCE.names[1:]]
    return pa.table([pa.array([*apps.tolist(), None], pa.int32()), *both], schema=EVIDENCE)


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

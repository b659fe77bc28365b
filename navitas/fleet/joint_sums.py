"""A client's sums for a regression of its drain on several apps together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.designs import ClientDesign, PairBlock
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64
from navitas.fleet.within import shares_of

JOINT = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("app", pa.int32()),
        pa.field("other", pa.int32()),
        *(pa.field(name, pa.float64()) for name in ("h", "g", "s", "noise", "day_noise", "gg")),
    ]
)
"""By client and two apps: `h` = Σ T x̃ y, with x̃ of `app` and y the running time of `other` as far as it is reliable, and `g` =
Σ T x̃ x, without regard to reliability.

Where both apps are the same, `s` is Σ T x̃ r in ppm, and `gg` the sum over days of (Σ T x̃²)². `noise` and `day_noise` are the
variance of `s` by the residuals of a regression on all of the client's apps: if pairs are independent and alike, and if days are
independent (Liang and Zeger 1986). A drain that no sample shows can last for many pairs. Elsewhere, these four are 0.
"""
_DAY_S = 86_400
_RIDGE = 1e-6


@dataclass(frozen=True, slots=True)
class JointSums:
    """The matrices h and g of a client's apps, and the other columns of `JOINT` of each."""

    h: F64
    g: F64
    s: F64
    noise: F64
    day_noise: F64
    gg: F64


def joint_sums(block: PairBlock, design: ClientDesign, by_class: F64, time_s: I64) -> JointSums:
    """The sums of a client. `by_class` has the reliability of each of its apps, `time_s` is that of each sample."""
    own = block.pairs.of_client(design.number)
    seconds, left = block.pairs.seconds[own], block.left.left_ppm[own]
    _, rest, apart = shares_of(block.pairs, block.left, design.number, design.share)
    timed = (seconds[:, None] * rest).T
    h, g = timed @ (by_class.T[block.pairs.kind[own]] * apart), timed @ apart
    s = left @ rest
    unexplained = left - timed.T @ np.linalg.solve(g + np.diag(_RIDGE * np.diag(g) + 1.0), s)
    freedom = max(float(block.left.freedom[design.number]) - len(s), 1.0)
    alike = np.diag(g) * (unexplained @ (unexplained / seconds)) / freedom
    day = time_s[block.end[own]] // _DAY_S
    first = np.flatnonzero(np.diff(day, prepend=-1))
    weight = np.add.reduceat(timed.T * rest, first)
    gg = (weight * weight).sum(axis=0)
    days = np.divide(weight.sum(axis=0) ** 2, gg, out=np.ones(len(gg)), where=gg > 0)
    by_day = (np.add.reduceat(rest * unexplained[:, None], first) ** 2).sum(axis=0) * days / np.maximum(days - 1, 0.5)
    return JointSums(h, g, s, alike, by_day, gg)

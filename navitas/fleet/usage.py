"""Samples of a unit → sums of the within-client regression by client and app. All results are computed from these sums."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet import controls
from navitas.fleet.client_rows import client_table
from navitas.fleet.designs import ClientDesign, blocks
from navitas.fleet.evidence import evidence_table
from navitas.fleet.exposure import CLASSES
from navitas.fleet.oversampling import slow_drops
from navitas.fleet.pairs import pairs_of
from navitas.fleet.sample_columns import PAIR_COLUMNS, RUN_COLUMNS, ordered, runs_in, samples_in
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64
from navitas.fleet.within import SUMS, PairRows, client_sums

COLUMNS = [*PAIR_COLUMNS, *controls.COLUMNS, *RUN_COLUMNS, "model", "os"]
"""Columns of samples that are read."""
_SINGLE = ("pairs", "ran_s", "drop_ppm", "s", "noise")
USAGE = pa.schema(
    [
        pa.field("client", pa.int64()),
        pa.field("app", pa.int32()),
        *(pa.field(name, pa.float32()) for name in (*_SINGLE, *(f"w{kind}" for kind in range(CLASSES)))),
    ]
)
"""By client and app: some of `within.SUMS`; `w0` … `w4` are w by class of pairs."""


@dataclass(frozen=True, slots=True)
class UnitUsage:
    """A unit's sums by client and app, by client and screen, and by app, and the number of refused pairs by reason."""

    usage: pa.Table
    clients: pa.Table
    evidence: pa.Table
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
    made = _Columns()
    for block, designs in blocks(samples, parsed, used, runs_in(samples, app_of), int(app_of.max(initial=-1)) + 1):
        parts.append(block.pairs)
        slow_s = slow_drops(block.pairs, block.left, block.at_levels.astype(np.float64))
        for design in designs:
            slow = slow_s[design.number]
            made.add(design, client_sums(block.pairs, block.left, design.number, design.share, design.differs, slow))
    client, app, sums = made.joined()
    ran = np.flatnonzero(sums[0])
    client, app, sums = client[ran], app[ran], sums[:, ran]
    rows = [client, app, *(sums[SUMS.index(name)] for name in USAGE.names[2:])]
    usage = pa.table(
        [pa.array(one.astype(field.type.to_pandas_dtype())) for one, field in zip(rows, USAGE, strict=True)], schema=USAGE
    )
    evidence = evidence_table(app, sums, parts)
    return UnitUsage(usage, client_table(samples, own, used), evidence, pairs.refused(own))


@dataclass(slots=True)
class _Columns:
    """Columns of clients and apps, with the sums of each."""

    designs: list[tuple[int, NDArray[np.int32]]] = field(default_factory=list)
    sums: list[F64] = field(default_factory=list)

    def add(self, design: ClientDesign, sums: F64) -> None:
        """Add a client's apps. Its matrices are not kept."""
        self.designs.append((design.client, design.app))
        self.sums.append(sums)

    def joined(self) -> tuple[I64, I64, F64]:
        """Client, app, and the sums (rows)."""
        client = np.repeat(np.array([one for one, _ in self.designs], np.int64), [len(app) for _, app in self.designs])
        app = np.concatenate([np.zeros(0, np.int64), *(app for _, app in self.designs)])
        return client, app, np.concatenate([np.zeros((len(SUMS), 0)), *self.sums], axis=1)

"""At which samples the apps of each client run, as bits: later stages read a few apps of a store without all its lists."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.regression.memberships import PresentApps, first_samples, owners
from navitas.fleet.regression.pairs import RunLists, runs_in
from navitas.fleet.statistics import I64, Bool

PRESENCE = pa.schema([("client", pa.int64()), ("begin", pa.int32()), ("package", pa.int32()), ("bits", pa.binary())])
"""By client and package: a bit for each of the client's samples from number `begin` on, 1 where its list has the package.

The highest bit of a byte comes first. Packages without any sample have no row.
"""


@dataclass(slots=True)
class PresenceColumns:
    """Rows of `PRESENCE`, of one client after another."""

    keys: list[I64] = field(default_factory=list)
    bits: list[NDArray[np.uint8]] = field(default_factory=list)

    def add(self, client: int, begin: int, package: NDArray[np.int32], present: NDArray[np.uint8]) -> None:
        """Add a client's packages: the rows of `present`, whose columns are its samples from number `begin` on."""
        self.bits.append(np.packbits(present, axis=1))
        size = len(package)
        self.keys.append(np.stack([np.full(size, client), np.full(size, begin), package, np.full(size, self.bits[-1].shape[1])]))

    def table(self) -> pa.Table:
        """All rows."""
        client, begin, package, size = np.concatenate([np.zeros((4, 0), np.int64), *self.keys], axis=1)
        offset = np.append(0, np.cumsum(size)).astype(np.int32)
        data = np.concatenate([np.zeros(0, np.uint8), *(part.ravel() for part in self.bits)])
        bits = pa.Array.from_buffers(pa.binary(), len(size), [None, pa.py_buffer(offset), pa.py_buffer(data)])
        return pa.table([client, begin, package, bits], names=PRESENCE.names).cast(PRESENCE)


def present_apps(presence: pa.Table, client: I64, number_of: NDArray[np.int32], wanted: Bool) -> PresentApps:
    """The packages of samples in order of `client`, by their number in `number_of`, where that is not negative.

    Only those that their client wants: rows of `wanted` are clients, columns are numbers.
    """
    first = first_samples(client)
    owner = pc.fill_null(pc.index_in(presence["client"], pa.array(client[first])), -1).to_numpy()
    number = number_of[presence["package"].to_numpy()]
    kept = np.flatnonzero((owner >= 0) & (number >= 0))
    kept = kept[wanted[owner[kept], number[kept]]]
    bits = presence["bits"].combine_chunks().take(pa.array(kept))
    begin = np.frombuffer(bits.buffers()[1], np.int32, len(kept) + 1, 4 * bits.offset).astype(np.int64) * 8
    present = np.unpackbits(np.frombuffer(bits.buffers()[2] or b"", np.uint8, int(begin[-1]) // 8))
    start = first[owner[kept]] + presence["begin"].to_numpy()[kept]
    apps = np.bincount(owner[kept], minlength=len(first))
    return PresentApps(start, number[kept], begin, present, np.append(0, np.cumsum(apps[owners(client)])))


def wanted_runs(  # noqa: PLR0917
    samples: pa.Table,
    presence: pa.Table,
    client: I64,
    number_of: NDArray[np.int32],
    wanted: Bool,
    app_of: NDArray[np.integer] | None = None,
) -> RunLists:
    """As `runs_in`, with only the numbers that their client wants, as in `present_apps`."""
    if samples["running_apps"].null_count == len(samples) == samples["foreground_apps"].null_count:
        unknown = np.zeros(len(samples), bool)
        return RunLists(present_apps(presence, client, number_of, wanted), None, unknown, None, unknown)
    # Counters of running time count only in samples that have them for all apps, whether their client wants them or not.
    listed = present_apps(presence, client, number_of, np.ones_like(wanted)).lists()
    return runs_in(samples, listed, number_of, app_of).of_owners(owners(client), wanted)

"""Sums over pairs of samples by client and package: the one step that is no SQL, for app lists are long.

24 million samples of 30 apps are 720 million memberships; in SQL the lists of both ends would be intersected pair by pair.
Here all memberships are sorted once as numbers (client, package, sample): a stretch of samples in which a package is in each one
is then a run of neighbours, and its sum a difference of two cumulative ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.schema import I64

_ROW_BITS, _PACKAGE_BITS = 30, 22
_CLIENTS = 1 << (63 - _ROW_BITS - _PACKAGE_BITS - 1)
PACKAGES_LIMIT = 1 << _PACKAGE_BITS
"""More packages than this do not fit into the numbers that are sorted."""
_BLOCK = 1 << 20
"""Memberships that are sorted at once: their numbers fit into the processor's caches."""


@dataclass(frozen=True, slots=True)
class AppLists:
    """The apps of samples in order of client and time: those of sample i are `package[offset[i]:offset[i + 1]]`.

    One that is told twice counts once.
    """

    offset: I64
    package: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Sums:
    """By client and package: sums of the pairs' values where the package is at both ends, and where it is at one of them."""

    client: I64
    package: I64
    both: I64
    one: I64


def sums_by_package(client: I64, apps: AppLists, values: I64) -> Iterator[Sums]:
    """Sum up `values` (rows: samples, each with those of the pair that it ends; zeros where it ends none), block by block.

    Samples are in order of client and time. A client's number in `Sums` is that of its first sample.
    """
    first = np.flatnonzero(np.append(True, client[1:] != client[:-1]))
    ends = np.append(first[1:], len(client))
    memberships = apps.offset[ends] - apps.offset[first]
    block = np.cumsum(np.maximum(memberships, _BLOCK // _CLIENTS + 1)) // _BLOCK
    starts = np.flatnonzero(np.append(True, np.diff(block) != 0)) if len(first) else first
    for low, high in zip(starts.tolist(), [*starts[1:].tolist(), len(first)], strict=True):
        yield _of_block(first[low:high], slice(int(first[low]), int(ends[high - 1])), apps, values)


def _of_block(first: I64, rows: slice, apps: AppLists, values: I64) -> Sums:
    """Clients that begin at samples `first`, all of them within `rows`."""
    offset = apps.offset[rows.start : rows.stop + 1]
    length = np.diff(np.append(first, rows.stop))
    number = np.repeat(np.arange(len(first)), length)
    # A number is left out between clients, so that no run goes on from one to the next.
    row = np.arange(rows.stop - rows.start) + number
    key = np.repeat((number << (_ROW_BITS + _PACKAGE_BITS)) | row, np.diff(offset))
    key += apps.package[offset[0] : offset[-1]].astype(np.int64) << _ROW_BITS
    key.sort()
    if not len(key):
        none = np.empty((0, values.shape[1]), np.int64)
        return Sums(np.empty(0, np.int64), np.empty(0, np.int64), none, none)
    step = np.diff(key)
    if not step.all():
        key = key[np.append(True, step != 0)]
        step = np.diff(key)
    breaks = np.flatnonzero(step != 1)
    begin, end = key[np.append(0, breaks + 1)], key[np.append(breaks, len(key) - 1)]
    group = begin >> _ROW_BITS
    owner = group >> _PACKAGE_BITS
    mask = (1 << _ROW_BITS) - 1
    begin_row, end_row = (begin & mask) - owner, (end & mask) - owner
    own = values[rows]
    total = np.cumsum(own, axis=0)
    both = total.take(end_row, 0) - total.take(begin_row, 0)
    following = np.vstack([own[1:], np.zeros((1, own.shape[1]), own.dtype)])
    following[first[1:] - rows.start - 1] = 0
    one = own.take(begin_row, 0) + following.take(end_row, 0)
    groups = np.flatnonzero(np.append(True, np.diff(group) != 0))
    return Sums(
        first[owner[groups]],
        group[groups] & (PACKAGES_LIMIT - 1),
        np.add.reduceat(both, groups),
        np.add.reduceat(one, groups),
    )

"""Sums over pairs of samples by client and package: the one step that is no SQL, for app lists are long.

24 million samples of 30 apps are 720 million memberships; in SQL the lists of both ends would be intersected pair by pair.
Here all memberships are sorted once as numbers (package, sample): a stretch of samples in which a package is in each one is then
a run of neighbours, and its sum a difference of two cumulative ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.schema import I64, PACKAGES_LIMIT

_BLOCK = 1 << 19
"""Memberships that are sorted at once: their numbers fit into the processor's caches."""
_ROWS = 1 << 15
"""Samples of a block, unless one client has more: package and sample then mostly fit into 32 bits, which sort far sooner."""
_WORD = 63


class UnknownPackage(Exception):
    """A sample names a number that no package has."""


@dataclass(frozen=True, slots=True)
class AppLists:
    """The apps of samples in order of client and time: those of sample i are `package[offset[i]:offset[i + 1]]`.

    One that is told twice counts once.
    """

    offset: I64
    package: NDArray[np.int32]


def check_known(lists: AppLists, packages: int) -> None:
    """Raise `UnknownPackage` where not all are among so many."""
    if len(lists.package) and not 0 <= lists.package.min() <= lists.package.max() < packages:
        raise UnknownPackage(f"packages have the numbers 0 to {packages - 1}")


@dataclass(frozen=True, slots=True)
class Sums:
    """By client and package: sums of the pairs' values where the package is at both ends, and where it is at one of them.

    `changed` is the part of `one` in which the package has taken the place of another version of its app, at the earlier end.
    Values are rows of `both`, `one` and `changed`. A client's number is that of its first sample.
    """

    client: I64
    package: I64
    both: I64
    one: I64
    changed: I64


def first_samples(client: I64) -> I64:
    """The number of each client's first sample, of samples in order of clients."""
    return np.flatnonzero(np.append(True, client[1:] != client[:-1])[: len(client)])


@dataclass(frozen=True, slots=True)
class PairAmounts:
    """What pairs add to sums: each row of `values`, none of them negative, to the sum of the pair's `kind` (0 to `kinds` − 1).

    Columns are samples in order of client and time: each has the values of the pair that it ends, zeros where it ends none.
    """

    values: I64
    kind: NDArray[np.intp]
    kinds: int

    def by_client(self, first: I64) -> I64:
        """Sums of clients that begin at samples `first`: for each kind a row for each of the values, a column for each client."""
        owner = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(self.kind))))
        place = owner * self.kinds + self.kind
        sums = np.zeros((len(self.values), len(first) * self.kinds), np.int64)
        for total, values in zip(sums, self.values, strict=True):
            np.add.at(total, place, values)
        return (
            sums.reshape(len(self.values), len(first), self.kinds)
            .transpose(2, 0, 1)
            .reshape(self.kinds * len(self.values), len(first))
        )


def sums_by_package(client: I64, apps: AppLists, amounts: PairAmounts, app_of: NDArray[np.int32] | None = None) -> Iterator[Sums]:
    """Sum up `amounts`, block by block of clients.

    Rows of sums are those of `PairAmounts.by_client`. `app_of` has the app of each package; without it, no package has other
    versions. Raises `UnknownPackage`.
    """
    check_known(apps, PACKAGES_LIMIT if app_of is None else len(app_of))
    first = first_samples(client)
    if not len(first):
        return
    ends = np.append(first[1:], len(client))
    size = np.maximum((apps.offset[ends] - apps.offset[first]) / _BLOCK, (ends - first) / _ROWS)
    starts = np.flatnonzero(np.diff(np.floor(np.cumsum(size)), prepend=-1.0))
    words = _packed(amounts, first)
    for low, high in zip(starts.tolist(), [*starts[1:].tolist(), len(first)], strict=True):
        yield _of_block(first[low:high], slice(int(first[low]), int(ends[high - 1])), apps, words, app_of)


@dataclass(frozen=True, slots=True)
class _Word:
    """Several sums in one number of 64 bits, each in as many bits as its greatest over a client's pairs needs."""

    packed: I64
    bits: tuple[int, ...]

    def unpacked(self, sums: I64) -> Iterator[I64]:
        for bits in self.bits:
            yield sums & ((1 << bits) - 1)
            sums = sums >> bits


def _packed(amounts: PairAmounts, first: I64) -> list[_Word]:
    """Rows of sums in their order, in as few numbers as they go into."""
    widths = [int(one).bit_length() for one in amounts.by_client(first).max(axis=1)]
    words: list[list[int]] = [[]]
    for row, bits in enumerate(widths):
        if sum(widths[other] for other in words[-1]) + bits > _WORD:
            words.append([])
        words[-1].append(row)
    return [_Word(_word(amounts, rows, widths), tuple(widths[row] for row in rows)) for rows in words]


def _word(amounts: PairAmounts, rows: list[int], widths: list[int]) -> I64:
    """Each sample's values at the places of their rows: a pair is of one kind, so that others are nothing there."""
    factor = np.zeros((len(amounts.values), amounts.kinds), np.int64)
    place = 0
    for row in (row for row in rows if widths[row]):
        kind, value = divmod(row, len(amounts.values))
        factor[value, kind] = 1 << place
        place += widths[row]
    word = np.zeros(len(amounts.kind), np.int64)
    for value in np.flatnonzero(factor.any(axis=1)).tolist():
        word += amounts.values[value] * factor[value].take(amounts.kind)
    return word


def _of_block(first: I64, rows: slice, apps: AppLists, words: Sequence[_Word], app_of: NDArray[np.int32] | None) -> Sums:
    """Clients that begin at samples `first`, all of them within `rows`."""
    owner = np.repeat(np.arange(len(first)), np.diff(np.append(first, rows.stop)))
    # A place is left free between clients, so that no run goes on from one to the next.
    place = np.arange(rows.stop - rows.start) + owner
    places = int(place[-1]) + 2
    offset = apps.offset[rows.start : rows.stop + 1]
    key, bits = _sorted_keys(apps.package[offset[0] : offset[-1]], np.diff(offset), place)
    step = np.diff(key)
    if not step.all():
        key = key[np.append(True, step != 0)]
        step = np.diff(key)
    breaks = np.flatnonzero(step != 1)
    begin_key, end_key = (key[np.append(0, breaks + 1)], key[np.append(breaks, len(key) - 1)]) if len(key) else (key, key)
    mask = key.dtype.type((1 << bits) - 1)
    begin, end = (begin_key & mask).astype(np.intp), (end_key & mask).astype(np.intp)
    client_at = np.zeros(places, np.int64)
    client_at[place] = owner
    client, package = client_at.take(begin), begin_key >> key.dtype.type(bits)
    groups = np.flatnonzero(np.append(True, (package[1:] != package[:-1]) | (client[1:] != client[:-1]))[: len(begin)])
    after = _after_others(client, package, groups, app_of, (begin, end)) if app_of is not None else np.zeros(0, np.intp)
    group_after = np.searchsorted(groups, after, side="right") - 1
    both: list[I64] = []
    one: list[I64] = []
    changed: list[I64] = []
    for word in words:
        own = np.zeros(places, np.int64)
        own[place] = word.packed[rows]
        total, following = np.cumsum(own), np.append(own[1:], 0)
        both.extend(word.unpacked(_by_group(total.take(end) - total.take(begin), groups)))
        one.extend(word.unpacked(_by_group(own.take(begin) + following.take(end), groups)))
        switched = np.zeros(len(groups), np.int64)
        np.add.at(switched, group_after, own.take(begin.take(after)))
        changed.extend(word.unpacked(switched))
    return Sums(first[client[groups]], package[groups].astype(np.int64), np.stack(both), np.stack(one), np.stack(changed))


def _after_others(client: I64, package: NDArray[Any], groups: I64, app_of: NDArray[np.int32], ends: tuple[I64, I64]) -> I64:
    """Runs that begin at the sample after the end of another version's of the app; of several at a sample the first."""
    app = app_of[package[groups]].astype(np.int64)
    order = np.lexsort((client[groups], app))
    alike = (np.diff(app[order]) == 0) & (np.diff(client[groups][order]) == 0)
    several = np.zeros(len(groups), bool)
    several[order[1:][alike]] = several[order[:-1][alike]] = True
    lengths = np.diff(np.append(groups, len(client)))
    runs = np.flatnonzero(np.repeat(several, lengths))
    begin, end = (np.repeat(app << 32, lengths)[runs] + side[runs] for side in ends)
    end.sort()
    follows = np.searchsorted(end, begin, side="left") > np.searchsorted(end, begin - 1, side="left")
    _, first = np.unique(begin[follows], return_index=True)
    return np.asarray(runs[follows][first])


def _sorted_keys(package: NDArray[np.int32], counts: I64, place: I64) -> tuple[NDArray[np.unsignedinteger], int]:
    """Numbers that hold package and place, in order, and how many bits are the place's."""
    # One more than is used, so that no run goes on from one package to the next.
    bits = (int(place[-1]) + 1).bit_length()
    width = int(package.max(initial=0)).bit_length() + bits
    key: NDArray[np.unsignedinteger] = package.astype(np.uint32 if width <= 32 else np.uint64)
    key <<= key.dtype.type(bits)
    key |= np.repeat(place.astype(key.dtype), counts)
    key.sort()
    return key, bits


def _by_group(values: I64, groups: I64) -> I64:
    return np.add.reduceat(values, groups) if len(groups) else values

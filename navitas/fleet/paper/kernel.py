"""Sums over pairs of samples by client and package, in numpy: app lists are too long for SQL.

24 million samples of 30 apps have 720 million memberships. In SQL, each pair would intersect the lists of its ends. Here,
memberships are sorted once as numbers (package, sample). Consecutive samples with a package are then a run of neighbors,
and the sum over a run is the difference of two cumulative sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.memberships import AppLists, check_known, first_samples
from navitas.fleet.schema import I64, PACKAGES_LIMIT

_BLOCK = 1 << 19
"""Memberships sorted at once. They fit into the processor's caches."""
_ROWS = 1 << 15
"""Samples per block, unless one client has more. Package and sample then mostly fit into 32 bits, which sort much faster."""
_WORD = 63


@dataclass(frozen=True, slots=True)
class Sums:
    """By client and package: sums of the pairs' values with the package at both ends, and with it at one end.

    `changed` is the share of `one` in which the package replaces another version of its app, which was at the earlier end.
    Values are the rows of `both`, `one` and `changed`. A client is numbered by its first sample.
    """

    client: I64
    package: I64
    both: I64
    one: I64
    changed: I64


@dataclass(frozen=True, slots=True)
class PairAmounts:
    """The values that pairs contribute to sums. Each row of `values` (≥ 0) is summed by the pair's `kind` (0 to `kinds` − 1).

    Columns are samples in order of client and time. A sample has the values of the pair that it ends, or zeros.
    """

    values: I64
    kind: NDArray[np.intp]
    kinds: int

    def by_client(self, first: I64) -> I64:
        """Sums of the clients that begin at samples `first`: a row for each kind and value, a column for each client."""
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
    """Sum `amounts` by client and package, and yield a block of clients at a time.

    Rows of sums are those of `PairAmounts.by_client`. `app_of` maps packages to apps; without it, each package is an app of
    one version. Raises `UnknownPackage`.
    """
    check_known(apps.app, PACKAGES_LIMIT if app_of is None else len(app_of))
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
    """Several sums packed into one 64-bit number. Each has the bits that its greatest sum over a client needs."""

    packed: I64
    bits: tuple[int, ...]

    def unpacked(self, sums: I64) -> Iterator[I64]:
        for bits in self.bits:
            yield sums & ((1 << bits) - 1)
            sums = sums >> bits


def _packed(amounts: PairAmounts, first: I64) -> list[_Word]:
    """Pack the rows of sums, in order, into as few numbers as possible."""
    widths = [int(one).bit_length() for one in amounts.by_client(first).max(axis=1)]
    words: list[list[int]] = [[]]
    for row, bits in enumerate(widths):
        if sum(widths[other] for other in words[-1]) + bits > _WORD:
            words.append([])
        words[-1].append(row)
    return [_Word(_word(amounts, rows, widths), tuple(widths[row] for row in rows)) for rows in words]


def _word(amounts: PairAmounts, rows: list[int], widths: list[int]) -> I64:
    """The packed values of each sample. A pair has one kind, so the bits of other kinds are 0."""
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
    """The sums of clients that begin at samples `first`, all within `rows`."""
    owner = np.repeat(np.arange(len(first)), np.diff(np.append(first, rows.stop)))
    # One place stays free between clients, so that no run continues into the next client.
    place = np.arange(rows.stop - rows.start) + owner
    places = int(place[-1]) + 2
    offset = apps.offset[rows.start : rows.stop + 1]
    key, bits = _sorted_keys(apps.app[offset[0] : offset[-1]], np.diff(offset), place)
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
    """Runs that begin at the sample after another version of the app ends. Of several at one sample, the first."""
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
    """Sorted numbers of package and place, and the number of bits of the place."""
    # One more place than used, so that no run continues into the next package.
    bits = (int(place[-1]) + 1).bit_length()
    width = int(package.max(initial=0)).bit_length() + bits
    key: NDArray[np.unsignedinteger] = package.astype(np.uint32 if width <= 32 else np.uint64)
    key <<= key.dtype.type(bits)
    key |= np.repeat(place.astype(key.dtype), counts)
    key.sort()
    return key, bits


def _by_group(values: I64, groups: I64) -> I64:
    return np.add.reduceat(values, groups) if len(groups) else values

"""The apps of samples as dense matrices, a block of clients at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.statistics import F64, I64, Bool

_MEMBERSHIPS = 1 << 19
"""Memberships in a block, unless one client has more."""
_TABLE = 1 << 24
"""Most cells of a table of clients and apps."""


class UnknownPackage(Exception):
    """A sample has a package number that is not in the list."""


def check_known(package: NDArray[np.integer], packages: int) -> None:
    """Raise `UnknownPackage` if a number is not below `packages`."""
    if len(package) and not 0 <= package.min() <= package.max() < packages:
        raise UnknownPackage(f"package numbers are not negative and below {packages}")


@dataclass(frozen=True, slots=True)
class AppLists:
    """The apps of samples in order of client and time. Sample i has `app[offset[i]:offset[i + 1]]`, each with a value, or 1."""

    offset: I64
    app: NDArray[np.int32]
    value: F64 | None = None

    def of(self, samples: slice) -> AppLists:
        """The lists of some samples."""
        own = slice(int(self.offset[samples.start]), int(self.offset[samples.stop]))
        value = None if self.value is None else self.value[own]
        return AppLists(self.offset[samples.start : samples.stop + 1] - own.start, self.app[own], value)

    def numbered(self, number_of: NDArray[np.int32]) -> AppLists:
        """The lists with other numbers. Apps whose new number is negative are left out."""
        number = number_of[self.app]
        whole = replace(self, app=number)
        return whole._of_entries(number >= 0) if number_of.min(initial=0) < 0 else whole

    def of_owners(self, owner: NDArray[np.integer], wanted: Bool) -> AppLists:
        """The lists without the apps that their owners do not want: sample i belongs to `owner[i]`, a row of `wanted`."""
        place = np.repeat(owner * np.intp(wanted.shape[1]), np.diff(self.offset))
        place += self.app
        return self._of_entries(wanted.ravel()[place])

    def _of_entries(self, wanted: Bool) -> AppLists:
        kept = np.flatnonzero(wanted)
        value = None if self.value is None else self.value[kept]
        return AppLists(np.searchsorted(kept, self.offset), self.app[kept], value)


@dataclass(frozen=True, slots=True)
class ClientApps:
    """One client: the range of its samples, its apps in ascending order, and matrices with a row for each sample.

    There is a matrix for each kind of list. It has the value of each app, or 0. It is of bytes if lists have no values.
    """

    samples: slice
    app: NDArray[np.int32]
    values: tuple[F64 | NDArray[np.uint8], ...]


def first_samples(client: I64) -> I64:
    """The number of each client's first sample. Samples are in order of clients."""
    return np.flatnonzero(np.append(True, client[1:] != client[:-1])[: len(client)])


def owners(client: I64) -> I64:
    """The number of each sample's client, counted from 0. Samples are in order of clients."""
    return np.cumsum(np.append(False, client[1:] != client[:-1])[: len(client)])


def client_blocks(client: I64, offset: I64, apps: int) -> Iterator[slice]:
    """Yield ranges of samples with whole clients, of limited memory. `offset` is that of the longest kind of lists."""
    first = first_samples(client)
    ends = np.append(first[1:], len(client))[: len(first)]
    size = np.maximum((offset[ends] - offset[first]) / _MEMBERSHIPS, apps / _TABLE)
    starts = np.flatnonzero(np.diff(np.floor(np.cumsum(size)), prepend=-1.0))
    for low, high in zip(starts.tolist(), [*starts[1:].tolist(), len(first)], strict=False):
        yield slice(int(first[low]), int(ends[high - 1]))


def matrices(client: I64, kinds: Sequence[AppLists], apps: int) -> Iterator[ClientApps]:
    """Yield the clients of a block that have any app. `kinds` are lists of the block's samples. Apps are below `apps`."""
    first = first_samples(client)
    length, owner = np.diff(np.append(first, len(client))), owners(client)
    sizes = [np.diff(lists.offset) for lists in kinds]
    keys = [np.repeat(owner * apps, size) + lists.app for size, lists in zip(sizes, kinds, strict=True)]
    seen = np.zeros(len(first) * apps, bool)
    for key in keys:
        seen[key] = True
    columns = np.flatnonzero(seen)
    number = np.empty(len(seen), np.int32)
    number[columns] = np.arange(len(columns))
    width = np.bincount(columns // apps, minlength=len(first))
    before, cells = np.append(0, np.cumsum(width)), np.append(0, np.cumsum(width * length))
    # The cell of client c, its sample i and its app j is cells[c] + i · width[c] + j.
    start = cells[owner] + (np.arange(len(client)) - first[owner]) * width[owner] - before[owner]
    filled = []
    for lists, size, key in zip(kinds, sizes, keys, strict=True):
        matrix = np.zeros(cells[-1], np.uint8 if lists.value is None else np.float64)
        matrix[np.repeat(start, size) + number[key]] = 1 if lists.value is None else lists.value
        filled.append(matrix)
    for c in np.flatnonzero(width).tolist():
        shape, own = (length[c], width[c]), slice(cells[c], cells[c + 1])
        yield ClientApps(
            slice(int(first[c]), int(first[c] + length[c])),
            (columns[before[c] : before[c + 1]] % apps).astype(np.int32),
            tuple(matrix[own].reshape(shape) for matrix in filled),
        )

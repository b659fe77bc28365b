"""The apps of samples as dense matrices, a block of clients at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

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
        if np.array_equal(number_of, np.arange(len(number_of))):
            return self
        number = number_of[self.app]
        whole = replace(self, app=number)
        return whole._of_entries(number >= 0) if number_of.min(initial=0) < 0 else whole

    def of_owners(self, owner: NDArray[np.integer], wanted: Bool) -> AppLists:
        """The lists without the apps that their owners do not want: sample i belongs to `owner[i]`, a row of `wanted`."""
        place = np.repeat(owner * np.intp(wanted.shape[1]), np.diff(self.offset))
        place += self.app
        return self._of_entries(wanted.ravel()[place])

    def matrix(self, number: I64, rows: int) -> F64 | NDArray[np.uint8]:
        """The values in a matrix with a column for each sample. `number` is the row of each app."""
        samples = len(self.offset) - 1
        made = np.zeros((rows, samples), np.uint8 if self.value is None else np.float64)
        cells = np.repeat(np.arange(samples), np.diff(self.offset))
        cells += (number * samples).take(self.app)  # Half the time of an index in brackets.
        made.ravel()[cells] = 1 if self.value is None else self.value
        return made

    def _of_entries(self, wanted: Bool) -> AppLists:
        kept = np.flatnonzero(wanted)
        value = None if self.value is None else self.value[kept]
        return AppLists(np.searchsorted(kept, self.offset), self.app[kept], value)


@dataclass(frozen=True, slots=True)
class PresentApps:
    """Apps of samples as bytes, a row for each app of a client's group of samples: 1 at each sample at which it is present.

    `first` is the first sample of each row, ascending. Its bytes are `present[begin[i]:begin[i + 1]]`, as long in all rows of a
    group, and at least as long as the group. `offset` is that of lists that would have all the group's apps at each sample.
    """

    first: I64
    app: NDArray[np.int32]
    begin: I64
    present: NDArray[np.uint8]
    offset: I64

    def of(self, samples: slice) -> PresentApps:
        """The rows of some samples, which are whole groups."""
        low, high = np.searchsorted(self.first, [samples.start, samples.stop]).tolist()
        offset = self.offset[samples.start : samples.stop + 1]
        return PresentApps(
            self.first[low:high] - samples.start, self.app[low:high], self.begin[low : high + 1], self.present, offset
        )

    def matrix(self, number: I64, rows: int) -> NDArray[np.uint8]:
        """As `AppLists.matrix`, for the samples of one group."""
        own = self.present[self.begin[0] : self.begin[-1]].reshape(len(self.app), -1)[:, : len(self.offset) - 1]
        if np.array_equal(number[self.app], np.arange(rows)):
            return own
        made = np.zeros((rows, own.shape[1]), np.uint8)
        for of_app, present in zip(number[self.app].tolist(), own, strict=True):
            made[of_app] |= present
        return made

    def lists(self) -> AppLists:
        """The same as lists."""
        position = np.flatnonzero(self.present)
        row = np.repeat(np.arange(len(self.app)), np.diff(np.searchsorted(position, self.begin)))
        sample = position + (self.first - self.begin[:-1])[row]
        order = np.argsort(sample, kind="stable")
        return AppLists(np.searchsorted(sample[order], np.arange(len(self.offset))), self.app[row[order]])


@dataclass(frozen=True, slots=True)
class ClientApps:
    """One client: the range of its samples, its apps, and matrices with a row for each app and a column for each sample.

    There is a matrix for each kind of list. It has the value of each app, or 0. It is of bytes if lists have no values.
    """

    samples: slice
    app: NDArray[np.int32]
    values: tuple[F64 | NDArray[np.uint8], ...]

    def merged(self, app_of: NDArray[np.int32]) -> ClientApps:
        """The same by other numbers of apps, which ascend in the order here. Several can become one."""
        app = app_of[self.app]
        is_first = np.diff(app, prepend=-1) != 0
        if is_first.all():
            return replace(self, app=app)
        row_of, later = np.cumsum(is_first) - 1, np.flatnonzero(~is_first)
        values = tuple(matrix[is_first] for matrix in self.values)
        for of_app, matrix in zip(values, self.values, strict=True):
            for row, own in zip(later.tolist(), row_of[later].tolist(), strict=True):
                np.maximum(of_app[own], matrix[row], out=of_app[own])
        return ClientApps(self.samples, app[is_first], values)


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


def matrices(client: I64, kinds: Sequence[AppLists | PresentApps], apps: int, order: I64 | None = None) -> Iterator[ClientApps]:
    """Yield the clients of a block that have any app. `kinds` are lists of the block's samples. Apps are below `apps`.

    A client's apps are ascending, or else in the given `order` of all apps.
    """
    first = first_samples(client)
    seen, number = np.zeros(apps, bool), np.empty(apps, np.int64)
    for low, high in pairwise([*first.tolist(), len(client)]):
        own = [lists.of(slice(low, high)) for lists in kinds]
        for lists in own:
            seen[lists.app] = True
        app = np.flatnonzero(seen) if order is None else order[seen[order]]
        if len(app):
            seen[app], number[app] = False, np.arange(len(app))
            values = tuple(lists.matrix(number, len(app)) for lists in own)
            yield ClientApps(slice(low, high), app.astype(np.int32), values)

"""A request for strata: some apps on all clients, others on single clients."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.kernel import AppLists, check_known, first_samples
from navitas.fleet.pairs import Bool
from navitas.fleet.schema import I64, bucket_of

_BLOCK = 1 << 18
"""Memberships per block. A block fits into the processor's caches."""
_TABLE = pa.schema([pa.field("client", pa.int64()), pa.field("app", pa.int32())])


@dataclass(frozen=True, slots=True)
class StrataRequest:
    """Apps on all clients (`everywhere`), and single pairs of a client and an app. Both are sorted and unique."""

    everywhere: NDArray[np.int32]
    client: I64
    app: NDArray[np.int32]

    @classmethod
    def from_pairs(cls, everywhere: NDArray[np.integer], client: I64, app: NDArray[np.integer]) -> StrataRequest:
        """From any order. Pairs whose app is in `everywhere` are dropped."""
        apps = np.unique(everywhere).astype(np.int32)
        more = ~np.isin(app, apps)
        pairs = np.unique(np.stack([client[more], app[more]], axis=1, dtype=np.int64), axis=0)
        return cls(apps, pairs[:, 0], pairs[:, 1].astype(np.int32))

    @classmethod
    def for_apps(cls, apps: I64, clients_by_app: Mapping[int, I64]) -> StrataRequest:
        """These apps. Those in `clients_by_app` are requested on its clients only."""
        single = [app for app in apps.tolist() if app in clients_by_app]
        client = np.concatenate([np.zeros(0, np.int64), *(clients_by_app[app] for app in single)])
        app = np.repeat(np.array(single, np.int64), [len(clients_by_app[app]) for app in single])
        return cls.from_pairs(np.setdiff1d(apps, list(clients_by_app)), client, app)

    @classmethod
    def from_table(cls, table: pa.Table) -> StrataRequest:
        """The request that `table` was created from."""
        app, single = table["app"].to_numpy(), table["client"].is_valid().to_numpy()
        return cls.from_pairs(app[~single], table["client"].drop_null().to_numpy(), app[single])

    @staticmethod
    def is_table(table: pa.Table) -> bool:
        """Whether the table has the form of `table()`."""
        return bool(table.schema.equals(_TABLE) and not table["app"].null_count)

    def table(self) -> pa.Table:
        """A row for each app and each pair. An app on all clients has a null client."""
        everywhere = pa.table([pa.nulls(len(self.everywhere), pa.int64()), self.everywhere], schema=_TABLE)
        return pa.concat_tables([everywhere, pa.table([self.client, self.app], schema=_TABLE)])

    def __or__(self, other: StrataRequest) -> StrataRequest:
        client, app = np.concatenate([self.client, other.client]), np.concatenate([self.app, other.app])
        return StrataRequest.from_pairs(np.union1d(self.everywhere, other.everywhere), client, app)

    def for_bucket(self, bucket: int, buckets: int) -> StrataRequest:
        """The request, reduced to the clients of one of `buckets` buckets."""
        own = bucket_of(self.client, buckets) == bucket
        return StrataRequest(self.everywhere, self.client[own], self.app[own])

    def digest(self) -> str:
        """A hash that identifies the request."""
        parts = (np.array([len(self.everywhere)]), self.everywhere, self.client, self.app)
        return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=12).hexdigest()

    def select(self, lists: AppLists, client: I64, app_of: NDArray[np.int32]) -> AppLists:
        """The lists, reduced to requested packages. Samples are in order of clients; `app_of` maps packages to apps.

        Raises `UnknownPackage`.
        """
        check_known(lists, len(app_of))
        wanted, selected, done = np.isin(app_of, self.everywhere), np.zeros(len(lists.package), bool), 0
        for low, high, more in self._single_clients(lists, client, app_of):
            _look_up(wanted, lists.package, selected, done, low)
            wanted[more] = True
            _look_up(wanted, lists.package, selected, low, high)
            wanted[more] = False
            done = high
        _look_up(wanted, lists.package, selected, done, len(selected))
        chosen = np.flatnonzero(selected)
        return AppLists(np.searchsorted(chosen, lists.offset), lists.package.take(chosen))

    def _single_clients(self, lists: AppLists, client: I64, app_of: NDArray[np.int32]) -> Iterator[tuple[int, int, I64]]:
        """The range of the lists of each client with single requests, and the packages requested on it."""
        first = first_samples(client)
        bounds = lists.offset[np.append(first, len(client))]
        order = np.argsort(app_of, kind="stable")
        packages = np.searchsorted(app_of[order], np.stack([self.app, self.app + 1]))
        number, begins = np.unique(self.client, return_index=True)
        ends = np.append(begins, len(self.client))[1:]
        for one, low, high in zip(number.tolist(), begins.tolist(), ends.tolist(), strict=True):
            at = int(np.searchsorted(client[first], one))
            if at < len(first) and client[first[at]] == one:
                more = [order[begin:end] for begin, end in packages[:, low:high].T.tolist()]
                yield int(bounds[at]), int(bounds[at + 1]), np.concatenate(more)


def _look_up(wanted: Bool, package: NDArray[np.int32], selected: Bool, low: int, high: int) -> None:
    """Set `selected` from `low` to `high` where the package is wanted, block by block."""
    for begin in range(low, high, _BLOCK):
        end = min(begin + _BLOCK, high)
        selected[begin:end] = wanted.take(package[begin:end])

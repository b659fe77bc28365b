"""Features of conditions: an app's version, and a client's model and OS. Texts are encoded by number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.schema import I64
from navitas.fleet.stages import Fleet
from navitas.fleet.version_order import version_key

_LAST = "MAX_BY({0}, CASE WHEN {0} IS NOT NULL THEN last_s END) AS {0}"
_PHONES = f"SELECT client, {_LAST.format('model')}, {_LAST.format('os')} FROM clients GROUP BY client"


@dataclass(frozen=True, slots=True)
class Feature:
    """A text for each row, as its place in `values`, which are in version order. −1: unknown, or changing."""

    values: tuple[str, ...]
    place: NDArray[np.int32]

    @classmethod
    def from_texts(cls, values: Iterable[str], place: NDArray[np.integer]) -> Feature:
        """From values in any order, where "" is unknown, and places in them (−1: unknown)."""
        given = list(values)
        known = sorted({value for value in given if value}, key=lambda value: (version_key(value), value))
        number = {value: at for at, value in enumerate(known)}
        return cls(tuple(known), np.array([*(number.get(value, -1) for value in given), -1], np.int32)[place])

    def take(self, rows: NDArray[np.integer]) -> Feature:
        """The feature of these rows."""
        return Feature(self.values, self.place[rows])


@dataclass(frozen=True, slots=True)
class Phones:
    """Clients in order, with their models and OS."""

    client: I64
    model: Feature
    os: Feature

    @classmethod
    def from_fleet(cls, fleet: Fleet) -> Phones:
        """All clients, with the model and OS that they reported last."""
        table = pa.concat_tables(fleet.query_clients(_PHONES)).sort_by("client")
        return cls(table["client"].to_numpy(), _encoded(table["model"]), _encoded(table["os"]))


def _encoded(column: pa.ChunkedArray) -> Feature:
    encoded = column.combine_chunks().fill_null("").dictionary_encode()
    return Feature.from_texts(encoded.dictionary.to_pylist(), encoded.indices.to_numpy())


@dataclass(frozen=True, slots=True)
class AppVersions:
    """Packages in order of their apps, with their versions."""

    app: NDArray[np.int32]
    package: NDArray[np.int32]
    version: list[str]

    @classmethod
    def from_fleet(cls, fleet: Fleet) -> AppVersions:
        """The versions of all packages."""
        table = fleet.packages.sort_by([("app_id", "ascending"), ("id", "ascending")])
        return cls(table["app_id"].to_numpy(), table["id"].to_numpy(), table["version"].to_pylist())

    def feature(self, app: int, package: NDArray[np.int32]) -> Feature:
        """The version of each row. `package` is a package of the app, or −1."""
        low, high = np.searchsorted(self.app, [app, app + 1]).tolist()
        own = self.package[low:high]
        return Feature.from_texts(self.version[low:high], np.where(package < 0, -1, np.searchsorted(own, package)))

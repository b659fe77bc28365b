"""Packages and their apps by number, and that results of stages mean by these numbers what the list does."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet import layout
from navitas.fleet.files import FleetError, read_table, write_table
from navitas.fleet.schema import PACKAGES
from navitas.fleet.store import Store


def numbered(packages: pa.Table) -> pa.Table:
    """Packages with a number for each app, in order of their first packages: what comes to the list later changes none."""
    apps = packages["app"].combine_chunks().dictionary_encode() if packages.num_rows else None
    numbers = pa.array([], pa.int32()) if apps is None else apps.indices.cast(pa.int32())
    return packages.append_column("app_id", numbers)


def app_by_package(packages: pa.Table) -> NDArray[np.int32]:
    """The app's number, at the place of each package's; -1 where there is no such package."""
    number = packages["id"].to_numpy()
    apps = np.full(int(number.max(initial=-1)) + 1, -1, np.int32)
    apps[number] = packages["app_id"].to_numpy()
    return apps


def check_packages(store: Store, packages: pa.Table) -> None:
    """FleetError where the list is no longer, or does not begin with, the one that results in work were made with."""
    file = store.work / layout.PACKAGES
    if file.exists() and not packages.select(PACKAGES.names).slice(0, (kept := read_table(file)).num_rows).equals(kept):
        raise FleetError(
            f"{store.path / layout.PACKAGES}: is not the list any more that results in {store.work.name} were made with",
            f"Restore it; if it is right as it is, delete {store.work}.",
        )


def keep_packages(store: Store, packages: pa.Table) -> None:
    """Remember with which list results are made."""
    write_table(store.work / layout.PACKAGES, packages.select(PACKAGES.names))

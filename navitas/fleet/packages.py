"""Numbers of packages and apps, and the check that stages' results use the same numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet import layout
from navitas.fleet.files import FleetError, read_table, write_table
from navitas.fleet.schema import PACKAGES
from navitas.fleet.store import Store


def numbered(packages: pa.Table) -> pa.Table:
    """Packages with a column that numbers apps by their first package. Packages added later do not change the numbers."""
    apps = packages["app"].combine_chunks().dictionary_encode() if packages.num_rows else None
    numbers = pa.array([], pa.int32()) if apps is None else apps.indices.cast(pa.int32())
    return packages.append_column("app_id", numbers)


def app_by_package(packages: pa.Table) -> NDArray[np.int32]:
    """The app's number for each package number; −1 if there is no such package."""
    number = packages["id"].to_numpy()
    apps = np.full(int(number.max(initial=-1)) + 1, -1, np.int32)
    apps[number] = packages["app_id"].to_numpy()
    return apps


def check_packages(store: Store, packages: pa.Table) -> None:
    """Raise FleetError unless the list begins with the list that the results in work were computed with."""
    file = store.work / layout.PACKAGES
    if file.exists() and not packages.select(PACKAGES.names).slice(0, (kept := read_table(file)).num_rows).equals(kept):
        raise FleetError(
            f"{store.path / layout.PACKAGES}: not the list that the results in {store.work.name} were computed with",
            f"Restore it. If it is correct, delete {store.work}.",
        )


def keep_packages(store: Store, packages: pa.Table) -> None:
    """Store the list that results are computed with."""
    write_table(store.work / layout.PACKAGES, packages.select(PACKAGES.names))

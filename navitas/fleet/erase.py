"""Erases a client from a fleet: its samples, all results, and later samples of it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from navitas.fleet import layout
from navitas.fleet.erased import erased_clients, write_erased
from navitas.fleet.files import read_table, write_table
from navitas.fleet.ingest.commit import SourceLedger, recover
from navitas.fleet.schema import bucket_of
from navitas.fleet.store import Store, exclusive_writer


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased: samples, parts that had any, and whether the client was erased before."""

    samples: int
    parts: int
    before: bool


def erase_client(store: Store, client: int, *, also_unknown: bool = False) -> Erased | None:
    """Erase a client by its number. Later samples of it are refused. An interrupted call is completed by the next one.

    Changes nothing and returns None for a client that is not stored and was not erased before, unless `also_unknown`.

    Removes the results of all stages, which are computed again, and all refused rows, which do not say whose they are. An
    ingest that was killed is completed first, because its rows may be the client's.
    """
    with exclusive_writer(store.path):
        known = erased_clients(store)
        recover(store, SourceLedger(store))
        own = _parts_of(store, client)
        if not (own or client in known or also_unknown):
            return None
        write_erased(store, np.union1d(known, [client]))  # First, so that no later call can store it again.
        for folder in (layout.WORK, layout.PERIODS, layout.QUARANTINE):
            shutil.rmtree(store.path / folder, ignore_errors=True)
        return Erased(sum(_erase_from(file, client) for file in own), len(own), client in known)


def _parts_of(store: Store, client: int) -> list[Path]:
    """The parts that have samples of a client."""
    bucket = int(bucket_of(np.array([client], np.int64), store.buckets)[0])
    files = [file for unit, parts in store.parts().items() if unit.bucket == bucket for file in parts]
    return [file for file in files if np.any(read_table(file, ["client"])["client"].to_numpy() == client)]


def _erase_from(file: Path, client: int) -> int:
    """Erase a client from a part, and return its number of samples."""
    table = read_table(file)
    left = table.filter(pa.array(table["client"].to_numpy() != client))
    if left.num_rows:
        write_table(file, left)
    else:
        file.unlink()
    return int(table.num_rows - left.num_rows)


def allow_again(store: Store, client: int) -> bool:
    """Accept later samples of an erased client. Returns whether it was erased. Raises `FleetError`."""
    with exclusive_writer(store.path):
        known = erased_clients(store)
        write_erased(store, np.setdiff1d(known, [client]))
        return client in known

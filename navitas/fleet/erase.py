"""Erases a client from a fleet: its samples, all results, and later samples of it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

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


def erase_client(store: Store, client: int) -> Erased:
    """Erase a client by its number. Later samples of it are refused. An interrupted call is completed by the next one.

    Removes the results of all stages, which are computed again, and all refused rows, which do not say whose they are. An
    ingest that was killed is completed first, because its rows may be the client's.
    """
    with exclusive_writer(store.path):
        known = erased_clients(store)
        write_erased(store, np.union1d(known, [client]))  # First, so that no later call can store it again.
        recover(store, SourceLedger(store))
        for folder in (layout.WORK, layout.PERIODS, layout.QUARANTINE):
            shutil.rmtree(store.path / folder, ignore_errors=True)
        samples = parts = 0
        bucket = int(bucket_of(np.array([client], np.int64), store.buckets)[0])
        for unit, files in store.parts().items():
            for file in files if unit.bucket == bucket else ():
                table = read_table(file)
                own = table["client"].to_numpy() == client
                if own.any():
                    samples, parts = samples + int(own.sum()), parts + 1
                    left = table.filter(pa.array(~own))
                    if left.num_rows:
                        write_table(file, left)
                    else:
                        file.unlink()
        return Erased(samples, parts, client in known)


def allow_again(store: Store, client: int) -> bool:
    """Accept later samples of an erased client. Returns whether it was erased. Raises `FleetError`."""
    with exclusive_writer(store.path):
        known = erased_clients(store)
        write_erased(store, np.setdiff1d(known, [client]))
        return client in known

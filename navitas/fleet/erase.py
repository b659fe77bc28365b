"""Erases a client from a fleet: its samples, all results, and later samples of it."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet import layout
from navitas.fleet.files import RESTORE, FleetError, read_table, write_table, write_whole
from navitas.fleet.schema import I64, bucket_of, parse_pseudonym, pseudonym
from navitas.fleet.store import Store, exclusive_writer
from navitas.regular_files import read_regular

_LARGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased: samples, parts that had any, and whether the client was erased before."""

    samples: int
    parts: int
    before: bool


def erased_clients(store: Store) -> I64:
    """The numbers of all erased clients, ascending. Raises `FleetError` if the list is damaged."""
    file = store.path / layout.ERASED
    if not file.exists():
        return np.zeros(0, np.int64)
    try:
        numbers = [parse_pseudonym(str(text)) for text in json.loads(read_regular(file, _LARGEST))["clients"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FleetError(f"{file}: cannot be read: {error}", "Restore the file: it lists the erased clients.") from error
    if None in numbers:
        raise FleetError(f"{file}: has a text that is not a pseudonym", RESTORE)
    return np.unique(np.array(numbers, np.int64))


def erase_client(store: Store, client: int) -> Erased:
    """Erase a client by its number. Later samples of it are refused. An interrupted call is completed by the next one.

    Removes the results of all stages, which are computed again, and all refused rows, which do not say whose they are.
    """
    with exclusive_writer(store.path):
        known = erased_clients(store)
        texts = [pseudonym(number) for number in np.union1d(known, [client]).tolist()]
        # First, so that no later call can store it again.
        write_whole(store.path / layout.ERASED, json.dumps({"clients": texts}, indent=2).encode() + b"\n")
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

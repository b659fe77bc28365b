"""The list of erased clients, whose samples are refused."""

from __future__ import annotations

import json

import numpy as np

from navitas.fleet import layout
from navitas.fleet.files import RESTORE, FleetError, write_whole
from navitas.fleet.schema import I64, parse_pseudonym, pseudonym
from navitas.fleet.store import Store
from navitas.regular_files import read_regular

_LARGEST = 64 << 20


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


def write_erased(store: Store, clients: I64) -> None:
    """Replace the list. Raises `FleetError` if that fails."""
    texts = [pseudonym(number) for number in clients.tolist()]
    write_whole(store.path / layout.ERASED, json.dumps({"clients": texts}, indent=2).encode() + b"\n")

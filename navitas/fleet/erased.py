"""What was erased from a fleet (`erased.json`): clients, and parts of samples. Any other part that is missing is lost."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection
from typing import Any

import numpy as np

from navitas.base.errors import UsageError
from navitas.fleet import layout
from navitas.fleet.files import RESTORE, FleetError, read_small, write_whole
from navitas.fleet.ingest.commit import listed_parts
from navitas.fleet.schema import parse_pseudonym, pseudonym
from navitas.fleet.statistics import I64
from navitas.fleet.store import Store, exclusive_writer

_LARGEST = 64 << 20


def erased_clients(store: Store) -> I64:
    """The numbers of all erased clients, ascending. Raises `FleetError` if the list is damaged."""
    numbers = [parse_pseudonym(text) for text in _erased(store)["clients"]]
    if None in numbers:
        raise FleetError(f"{store.file(layout.ERASED)}: has a text that is not a pseudonym", RESTORE)
    return np.unique(np.array(numbers, np.int64))


def erased_parts(store: Store) -> set[str]:
    """The names of parts that were removed permanently. Of a list by an earlier version, which had none: all that are absent."""
    parts = _erased(store)["parts"]
    return _absent(store) if parts is None else {*parts}


def unlisted_parts(store: Store) -> int:
    """How many parts count as erased only because they are absent: the list, by an earlier version, does not name parts."""
    return len(_absent(store)) if _erased(store)["parts"] is None else 0


def erased_text(clients: I64, parts: Collection[str] = ()) -> bytes:
    """The content of the list."""
    return json.dumps({"clients": [*map(pseudonym, clients.tolist())], "parts": sorted(parts)}, indent=2).encode() + b"\n"


def write_erased(store: Store, clients: I64, parts: Collection[str]) -> None:
    """Replace the list of a local fleet. Raises `FleetError` if that fails."""
    write_whole(store.path / layout.ERASED, erased_text(clients, parts))


def check_parts(store: Store) -> None:
    """Raise `FleetError` if a part of samples is lost. Without it, the fleet would silently be a smaller one."""
    if missing := _missing(store):
        more = f", and {len(missing) - 1:,} more" if missing[1:] else ""
        if store.snapshot is None:
            path, command = store.path, f"navitas fleet erase {shlex.quote(str(store.path))} --accept-missing"
            remedy = f"Restore it, or ingest the sources into a new folder. If you removed it: {command}"
        else:
            path, remedy = store.snapshot.root, "Copy the fleet's folder to the object store again."
        raise FleetError(f"{path / layout.SAMPLES / missing[0]}: is missing{more}; {layout.LEDGER} lists it", remedy)


def accept_missing(store: Store) -> int:
    """Let the parts that are missing now be erased. Returns their number. Raises `FleetError`, and `UsageError` for a URL."""
    if store.snapshot is not None:
        raise UsageError(
            f"{store.path}: --accept-missing is for local fleets; files of samples cannot be removed from an object store",
            "Remove them from the local fleet, accept that, and copy it to a new URL.",
        )
    with exclusive_writer(store.path):
        missing = _missing(store)
        write_erased(store, erased_clients(store), erased_parts(store).union(missing))
        return len(missing)


def _missing(store: Store) -> list[str]:
    """The parts that are lost, in order. Commits of an object store list its parts, so only a copied folder can lack some."""
    absent = set() if store.snapshot and store.snapshot.number else _absent(store)
    return sorted(absent - erased_parts(store)) if absent else []


def _absent(store: Store) -> set[str]:
    """The parts that the ledger lists and that are not there."""
    listed = listed_parts(store)  # First: an ingest enters parts when they are there.
    return listed - {f"{unit.folder}/{file.name}" for unit, files in store.parts().items() for file in files}


def _erased(store: Store) -> dict[str, Any]:
    file = store.file(layout.ERASED)
    try:
        erased = json.loads(read_small(file, _LARGEST)) if file.exists() else {"clients": [], "parts": []}
        parts = erased.get("parts")
        return {"clients": [*map(str, erased["clients"])], "parts": None if parts is None else [*map(str, parts)]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FleetError(f"{file}: cannot be read: {error}", "Restore the file: it lists the erased clients.") from error

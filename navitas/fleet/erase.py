"""Erases a client from a fleet: its samples, all results, and later samples of it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from navitas.fleet import layout
from navitas.fleet.erased import check_parts, erased_clients, erased_parts, erased_text, write_erased
from navitas.fleet.files import FleetError, read_table, write_table
from navitas.fleet.ingest.commit import SourceLedger, recover
from navitas.fleet.schema import bucket_of
from navitas.fleet.snapshot import Snapshot
from navitas.fleet.store import Store, check_places, exclusive_writer


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
    if store.snapshot is not None:
        return _erase_by_commit(store, store.snapshot, client, also_unknown=also_unknown)
    with exclusive_writer(store.path):
        known = erased_clients(store)
        recover(store, SourceLedger(store))
        check_parts(store)
        own = _parts_of(store, client)
        if not (own or client in known or also_unknown):
            return None
        whole = {file.relative_to(store.path / layout.SAMPLES).as_posix() for file, is_whole in own.items() if is_whole}
        # First, so that no later call can store it again.
        write_erased(store, np.union1d(known, [client]), erased_parts(store) | whole)
        for folder in (layout.WORK, layout.PERIODS, layout.QUARANTINE):
            _empty(store.path / folder)
        return Erased(sum(_erase_from(file, client) for file in own), len(own), client in known)


def _erase_by_commit(store: Store, snapshot: Snapshot, client: int, *, also_unknown: bool) -> Erased | None:
    """Replace parts by ones without the client, then remove all objects that the commit does not list, and all results."""
    check_parts(store)
    before, own = erased_clients(store), _parts_of(store, client)
    if not (own or client in before or also_unknown):
        return None
    snapshot.check_writable()
    folder = snapshot.root / layout.SAMPLES
    # Later objects may be of another process, which has begun after the commit.
    there = [*folder.rglob("*.parquet")]
    parts, samples = dict(snapshot.parts), 0
    for number, file in enumerate(own):
        del parts[file.relative_to(folder).as_posix()]
        left, erased = _without(file, client)
        samples += erased
        if left.num_rows:
            written = file.with_name(f"part-{snapshot.token}-{number}.parquet")
            write_table(written, left)
            parts[written.relative_to(folder).as_posix()] = written.stat().st_size
    snapshot.commit({layout.ERASED: erased_text(np.union1d(before, [client]))}, parts)
    for file in there:
        if file.relative_to(folder).as_posix() not in parts:
            file.unlink()
    for results in (layout.WORK, layout.PERIODS, layout.QUARANTINE):
        (snapshot.root / results).remove_all()
    return Erased(samples, len(own), client in before)


def _empty(folder: Path) -> None:
    """Remove all in a folder, which may be a link to one. Raises `FleetError` if anything stays."""
    try:
        for file in folder.iterdir() if folder.exists() else ():
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file)
            else:
                file.unlink()
    except OSError as error:
        raise FleetError(
            f"{error.filename}: cannot be removed: {error.strerror}. The client is not erased: its data may be there",
            "Remove it, and repeat the command.",
        ) from error


def _parts_of(store: Store, client: int) -> dict[Path, bool]:
    """The parts that have samples of a client, and whether they have no others. Raises `FleetError` if any is misplaced."""
    check_places(store)
    bucket = int(bucket_of(np.array([client], np.int64), store.buckets)[0])
    files = [file for unit, parts in store.parts().items() if unit.bucket == bucket for file in parts]
    own_rows = {file: read_table(file, ["client"])["client"].to_numpy() == client for file in files}
    return {file: bool(rows.all()) for file, rows in own_rows.items() if rows.any()}


def _erase_from(file: Path, client: int) -> int:
    """Erase a client from a part, and return its number of samples."""
    left, erased = _without(file, client)
    if left.num_rows:
        write_table(file, left)
    else:
        file.unlink()
    return erased


def _without(file: Path, client: int) -> tuple[pa.Table, int]:
    """A part's samples without those of a client, and the number of these."""
    table = read_table(file)
    left = table.filter(pa.array(table["client"].to_numpy() != client))
    return left, int(table.num_rows - left.num_rows)


def allow_again(store: Store, client: int) -> bool:
    """Accept later samples of an erased client. Returns whether it was erased. Raises `FleetError`."""
    check_parts(store)
    if store.snapshot is not None:
        before = erased_clients(store)
        if client in before:
            store.snapshot.check_writable()
            store.snapshot.commit({layout.ERASED: erased_text(np.setdiff1d(before, [client]))}, store.snapshot.parts)
        return client in before
    with exclusive_writer(store.path):
        known = erased_clients(store)
        write_erased(store, np.setdiff1d(known, [client]), erased_parts(store))
        return client in known

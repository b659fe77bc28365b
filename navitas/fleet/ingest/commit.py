"""Stores sources completely or not at all: files are staged, then a journal lists the moves and the ledger entries.

Before the journal exists, a killed run has changed nothing. After that, the next run carries it out, as many times as needed.
Each step is synced to disk before the next one, so a power failure is no worse than a kill.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

from navitas.base.new_files import to_disk
from navitas.base.regular_files import open_regular, read_regular
from navitas.fleet import layout
from navitas.fleet.files import FleetError, check_inside, read_small, write_whole
from navitas.fleet.remote_path import RemotePath
from navitas.fleet.store import Store

_LARGEST = 4 << 30


class SourceLedger:
    """The sources of a fleet, one JSON line each."""

    def __init__(self, store: Store) -> None:
        self._file = store.file(layout.LEDGER)
        self.sources: set[str] = set()
        """Their hashes."""
        whole_bytes = 0
        with _readable(self._file):
            for line in _lines(self._file):
                self.sources.add(str(json.loads(line)["source"]))
                whole_bytes += len(line)
            # A killed run cut the last line. The journal still has its source.
            if self._file.exists() and self._file.stat().st_size > whole_bytes:
                os.truncate(self._file, whole_bytes)

    def enter(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Add sources that are not yet in the ledger."""
        new = [entry for entry in entries if entry["source"] not in self.sources]
        with self._file.open("ab") as out:
            out.write(b"".join(json.dumps(entry).encode() + b"\n" for entry in new))
            out.flush()
            os.fsync(out.fileno())
        self.sources.update(str(entry["source"]) for entry in new)


def listed_parts(store: Store) -> set[str]:
    """The names of all parts that the ledger lists. Raises `FleetError` if it is damaged."""
    file = store.file(layout.LEDGER)
    with _readable(file):
        # Only the first source of a group has any. Parsing millions of other lines would take seconds.
        return {str(name) for line in _lines(file) if b'"parts"' in line for name in json.loads(line).get("parts", ())}


def _lines(file: Path) -> Iterator[bytes]:
    """Yield the whole lines, with their line breaks. Those of millions of sources have hundreds of megabytes."""
    if file.exists():
        with BytesIO(read_small(file, _LARGEST)) if isinstance(file, RemotePath) else open_regular(file) as lines:
            yield from (line for line in lines if line.endswith(b"\n"))


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Errors of the ledger as `FleetError`."""
    try:
        yield
    except OSError as error:
        raise FleetError(f"{file}: {error.strerror}", "Allow reading and writing there.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FleetError(f"{file}: damaged: {error}", "Restore the file.") from error


def staging(store: Store) -> Store:
    """The staging folder of a source's files, with the store's layout."""
    return replace(store, path=store.path / layout.INCOMING / "store")


def spool_folder(store: Store) -> Path:
    """The folder of rows that do not fit into memory."""
    return store.path / layout.INCOMING / "spool"


def commit(store: Store, ledger: SourceLedger, entries: Sequence[Mapping[str, Any]]) -> None:
    """Store the staged files, and enter their sources."""
    folder = staging(store).path
    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()) if folder.exists() else []
    _all_to_disk(*(folder / name for name in files), *{(folder / name).parent for name in files})
    write_whole(_journal(store), json.dumps({"entries": entries, "files": files}).encode())
    _all_to_disk(_journal(store), _journal(store).parent)
    _carry_out(store, ledger)


def recover(store: Store, ledger: SourceLedger) -> None:
    """Finish the commit of a killed run, and remove files that were not committed."""
    if _journal(store).exists():
        _carry_out(store, ledger)
    shutil.rmtree(store.path / layout.INCOMING, ignore_errors=True)


def _journal(store: Store) -> Path:
    return store.path / layout.INCOMING / "commit.json"


def _carry_out(store: Store, ledger: SourceLedger) -> None:
    try:
        journal = json.loads(read_regular(_journal(store), _LARGEST))
        files = [Path(name) for name in journal["files"]]
        entries = [{**entry, "source": str(entry["source"])} for entry in journal["entries"]]
        check_inside(map(str, files))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FleetError(
            f"{_journal(store)}: damaged: {error}", "Delete the folder that contains it, and ingest the last files again."
        ) from error
    folder = staging(store).path
    for name in files:
        if (folder / name).exists():
            (store.path / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).replace(store.path / name)
    _all_to_disk(*{parent for name in files for parent in (store.path / name).parents if parent.is_relative_to(store.path)})
    ledger.enter(entries)
    _journal(store).unlink()
    shutil.rmtree(store.path / layout.INCOMING, ignore_errors=True)


def _all_to_disk(*paths: Path) -> None:
    for path in paths:
        to_disk(path)

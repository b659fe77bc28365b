"""Sources are stored whole or not at all: files are made aside, then a journal says what is moved where and what is entered.

Killed before the journal is there, nothing has happened; killed after it, the next run does what it says, as often as need be.
Each step is on the disk before the next one begins, so a machine that loses its power is no worse.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from navitas.fleet import layout
from navitas.fleet.files import FleetError, write_whole
from navitas.fleet.store import Store
from navitas.new_files import to_disk
from navitas.regular_files import read_regular

_LARGEST = 4 << 30


class SourceLedger:
    """The sources that a fleet has, a JSON line each."""

    def __init__(self, store: Store) -> None:
        self._file = store.path / layout.LEDGER
        self.entries: dict[str, dict[str, Any]] = {}
        try:
            data = read_regular(self._file, _LARGEST) if self._file.exists() else b""
            whole, _, half = data.rpartition(b"\n")
            if half:  # the writing of a line was cut; its source is still in the journal
                with self._file.open("r+b") as out:
                    out.truncate(len(data) - len(half))
            for line in whole.splitlines():
                entry = json.loads(line)
                self.entries[str(entry["source"])] = entry
        except OSError as error:
            raise FleetError(f"{self._file}: {error.strerror}", "Allow reading and writing there.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise FleetError(f"{self._file}: is damaged: {error}", "Restore the file.") from error

    def enter(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Add sources, unless they are there."""
        new = [entry for entry in entries if entry["source"] not in self.entries]
        with self._file.open("ab") as out:
            out.write(b"".join(json.dumps(entry).encode() + b"\n" for entry in new))
            out.flush()
            os.fsync(out.fileno())
        self.entries.update((str(entry["source"]), dict(entry)) for entry in new)


def aside(store: Store) -> Store:
    """Where the files of a source are made, laid out as in the store."""
    return replace(store, path=store.path / layout.INCOMING / "store")


def spool_folder(store: Store) -> Path:
    """Where rows wait that do not fit into the memory."""
    return store.path / layout.INCOMING / "spool"


def commit(store: Store, ledger: SourceLedger, entries: Sequence[Mapping[str, Any]]) -> None:
    """Store the files that are aside, and enter their sources."""
    folder = aside(store).path
    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()) if folder.exists() else []
    _all_to_disk(*(folder / name for name in files), *{(folder / name).parent for name in files})
    write_whole(_journal(store), json.dumps({"entries": entries, "files": files}).encode())
    _all_to_disk(_journal(store), _journal(store).parent)
    _carry_out(store, ledger)


def recover(store: Store, ledger: SourceLedger) -> None:
    """Finish what a run that was killed had begun, and remove what it had not decided on."""
    if _journal(store).exists():
        _carry_out(store, ledger)
    shutil.rmtree(store.path / layout.INCOMING, ignore_errors=True)


def _journal(store: Store) -> Path:
    return store.path / layout.INCOMING / "commit.json"


def _carry_out(store: Store, ledger: SourceLedger) -> None:
    try:
        journal = json.loads(read_regular(_journal(store), _LARGEST))
        files, entries = [Path(name) for name in journal["files"]], list(journal["entries"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FleetError(
            f"{_journal(store)}: is damaged: {error}", "Delete the folder it is in, and ingest the last files once more."
        ) from error
    folder = aside(store).path
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

"""Sources, one after another, into a fleet's folder."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from navitas.fleet.ingest.checks import check
from navitas.fleet.ingest.commit import Ledger, aside, commit, recover, spool_folder
from navitas.fleet.ingest.lines import Refusal
from navitas.fleet.ingest.merge import Keys, Merger
from navitas.fleet.ingest.names import Packages, stored_rows
from navitas.fleet.ingest.quarantine import Quarantine
from navitas.fleet.ingest.raw import Batch
from navitas.fleet.ingest.readers import reader_of
from navitas.fleet.ingest.source import SourceFile
from navitas.fleet.ingest.spool import Spool
from navitas.fleet.store import FleetError, Store, only_writer


@dataclass(slots=True)
class Outcome:
    """What became of a source: its rows are accepted, duplicates, or refused for a reason.

    `contradicting` duplicates differ from the row that came first; `ignored` counts values that were left out of rows.
    `known`: the fleet has had this content before, and nothing was read. `error`: it could not be ingested at all.
    """

    name: str
    rows: int = 0
    accepted: int = 0
    duplicates: int = 0
    contradicting: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)
    known: bool = False
    error: FleetError | None = None

    def figures(self) -> dict[str, Any]:
        """The counts by name, for files."""
        return {
            "rows": self.rows,
            "accepted": self.accepted,
            "duplicates": self.duplicates,
            "contradicting": self.contradicting,
            "refused": dict(self.refused),
            "ignored": dict(self.ignored),
        }


Progress = Callable[[str, float, int], None]
"""Is told a source's name, which share of it is read, and how many rows that were."""


def ingest(
    path: Path,
    files: Sequence[Path],
    *,
    client: str = "",
    now_s: float | None = None,
    progress: Progress = lambda name, share, rows: None,
) -> Iterator[Outcome]:
    """Ingest files into a fleet's folder, which is made if need be; a file that cannot be read keeps no other from it.

    `client`: whose the histories of batterystats are. Raises `FleetError` when the folder is none, or in use.
    """
    with _opened(path) as (store, ledger):
        now_s = time.time() if now_s is None else now_s
        ingestion = _Ingestion(store, ledger, Packages(store.packages()), client, now_s)
        for file in files:
            try:
                outcome = ingestion.of(file, progress)
            except FleetError as error:
                # Nothing of it is stored, nor are numbers given out for it.
                recover(store, ledger)
                ingestion.packages = Packages(store.packages())
                outcome = Outcome(file.name, error=error)
            yield outcome


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Store, Ledger]]:
    """The fleet's folder and its ledger, for this process alone."""
    with only_writer(path):
        store = Store.create(path)
        ledger = Ledger(store)
        recover(store, ledger)
        yield store, ledger


@dataclass(slots=True)
class _Ingestion:
    """What is the same for all files of a call."""

    store: Store
    ledger: Ledger
    packages: Packages
    client: str
    now_s: float
    keys: Keys = field(default_factory=Keys)

    def of(self, file: Path, progress: Progress) -> Outcome:
        """Ingest a file. `FleetError` when it cannot be; what was made aside for it is then to be removed."""
        source = SourceFile(file).open()
        if source.digest in self.ledger.entries:
            return Outcome(file.name, known=True)
        made = aside(self.store)
        quarantine = Quarantine(made.path / "quarantine" / f"{source.digest}.jsonl", source.digest)
        spool = Spool(spool_folder(self.store), self.store.buckets)
        outcome = Outcome(file.name, refused=quarantine.refused)
        with closing(quarantine):
            for batch in _ahead(self._batches(source, quarantine)):
                outcome.rows += batch.table.num_rows + len(batch.refused)
                outcome.ignored.update(batch.ignored)
                self._take(batch, spool, quarantine, outcome.ignored)
                progress(file.name, source.done / source.size if source.size else 1.0, outcome.rows)
        merger = Merger(source.digest, self.store, made, self.keys)
        for bucket in spool.buckets():
            for group in spool.groups(bucket):
                merger.add(group, bucket)
        if self.packages.changed:
            made.write_packages(self.packages.table())
            self.packages.changed = False
        counts = merger.counts
        outcome.accepted, outcome.duplicates, outcome.contradicting = counts.accepted, counts.duplicates, counts.contradicting
        entry = {"source": source.digest, "name": file.name, **outcome.figures(), "parts": counts.parts}
        commit(self.store, self.ledger, entry)
        return outcome

    def _batches(self, source: SourceFile, quarantine: Quarantine) -> Iterator[Batch]:
        blocks = source.blocks()
        first = next(blocks)
        reader = reader_of(source.path.name, first, self.client)
        for block in chain([first], blocks):
            batch = reader.read(block)
            quarantine.client_column = reader.client_column
            yield batch
        yield reader.end()

    def _take(self, batch: Batch, spool: Spool, quarantine: Quarantine, ignored: Counter[str]) -> None:
        """Check a batch; good rows wait for the end of the source."""
        for refusal in batch.refused:
            quarantine.add(refusal)
        if not batch.table.num_rows:
            return
        checked = check(batch.table, self.store.salt, self.now_s)
        ignored.update(checked.ignored)
        table, reason = stored_rows(checked, self.packages)
        for row in np.flatnonzero(reason != "").tolist():
            quarantine.add(Refusal(batch.numbers[row], reason[row], batch.lines[row]))
        spool.add(table)


def _ahead(batches: Iterator[Batch]) -> Iterator[Batch]:
    """The same batches; each is read, in a thread, while the one before it is worked on."""
    with ThreadPoolExecutor(1) as reading:
        coming = reading.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reading.submit(next, batches, None)
            yield batch

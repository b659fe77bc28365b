"""A group of sources that are stored together, so that many small sources make few parts."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np

from navitas.base.line_blocks import Refusal
from navitas.fleet import layout
from navitas.fleet.erased import erased_clients
from navitas.fleet.files import FleetError
from navitas.fleet.ingest.checks import ERASED, Checked, check
from navitas.fleet.ingest.column_map import PERCENT, ColumnMap
from navitas.fleet.ingest.commit import SourceLedger, commit, spool_folder, staging
from navitas.fleet.ingest.merge import Keys, Merger, Spool, one_row_a_sample
from navitas.fleet.ingest.raw import RowBatch, count
from navitas.fleet.ingest.source import BLOCK, SourceFile, source_name
from navitas.fleet.ingest.stored_rows import Packages, stored_rows
from navitas.fleet.store import Store

_COUNTS = ("rows", "accepted", "duplicates", "contradicting")
KEPT = 100_000
"""Further rows of a source are only counted."""
_LONGEST = 500
_HIDDEN = "…"
_MOST_THREADS = 8
"""Each thread needs memory for a block of a source."""

T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True)
class SourceOutcome:
    """Counts of a source's rows: accepted, duplicate, or refused for a reason.

    `contradicting` duplicates differ from the stored row. `ignored` counts values dropped from rows. `known` means that the
    content was ingested before, so nothing was read. `error` is the reason why the source could not be ingested.
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
        """The counts by name, for JSON."""
        return {**{name: getattr(self, name) for name in _COUNTS}, "refused": dict(self.refused), "ignored": dict(self.ignored)}

    @classmethod
    def total(cls, outcomes: Sequence[SourceOutcome]) -> SourceOutcome:
        """The sums of counts."""
        rows, accepted, duplicates, contradicting = (sum(getattr(one, name) for one in outcomes) for name in _COUNTS)
        refused, ignored = (sum((getattr(one, name) for one in outcomes), Counter[str]()) for name in ("refused", "ignored"))
        return cls("all", rows, accepted, duplicates, contradicting, refused, ignored)


class Quarantine:
    """A file of refused rows, created with the first one. `clients` are the columns that can have a row's client."""

    def __init__(self, file: Path, source: str, clients: Collection[str]) -> None:
        names = "|".join(re.escape(json.dumps(name, ensure_ascii=False)) for name in clients)
        self._client = re.compile(rf'((?:{names})\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s,}}\]]+)')
        self._file = file
        self._source = source
        self._out: IO[str] | None = None
        self.refused: Counter[str] = Counter()
        self.client_column = -1
        """The index of the client's cell in a CSV line."""

    def add(self, refusal: Refusal) -> None:
        """Count a row, and keep the beginning of its text, without its client."""
        self.refused[refusal.reason] += 1
        if self.refused.total() > KEPT:
            return
        if self._out is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._out = self._file.open("w", encoding="utf-8")
        text = self._hidden(refusal.text[: 4 * _LONGEST].decode("utf-8", "replace"))[:_LONGEST]
        row = {"source": self._source, "row": refusal.row, "reason": refusal.reason, "text": text}
        self._out.write(json.dumps(row) + "\n")

    def close(self) -> None:
        """Close the file."""
        if self._out is not None:
            self._out.close()

    def remove(self) -> None:
        """Delete the file."""
        self.close()
        self._file.unlink(missing_ok=True)

    def _hidden(self, text: str) -> str:
        if self.client_column >= 0:
            cells = text.split(",")
            cells[self.client_column : self.client_column + 1] = [_HIDDEN]
            return ",".join(cells)
        return self._client.sub(rf'\1"{_HIDDEN}"', text)


class Group:
    """Reads sources one after another, then stores them. Each source is stored completely or not at all."""

    def __init__(  # noqa: PLR0917
        self, store: Store, ledger: SourceLedger, packages: Packages, client: str, now_s: float, columns: ColumnMap
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._packages = packages
        self._client = client
        self._now_s = now_s
        self._columns = columns
        self._staged = staging(store)
        self._erased = erased_clients(store)
        self._spool = Spool(spool_folder(store), store.buckets)
        self._sources: list[tuple[str, SourceOutcome]] = []
        self._failed: list[int] = []
        self._by_app: list[int] = []
        self.whole: set[str] = set()
        """Hashes of the sources that were read to their ends."""
        self.rows = 0

    def __len__(self) -> int:
        return len(self._sources)

    def read(self, file: Path, progress: Callable[[float, int], None]) -> SourceOutcome:
        """Read a source. A source that cannot be read to its end is not stored; the outcome has the error."""
        outcome = SourceOutcome(source_name(file))
        try:
            source = SourceFile(file)
            source.check_text()
            source.open(self._columns.key)
            if source.digest in self._ledger.sources or source.digest in self.whole:
                outcome.known = True
                return outcome
        except FleetError as error:
            outcome.error = error
            return outcome
        self._sources.append((source.digest, outcome))
        try:
            self._read(source, outcome, progress)
            self.whole.add(source.digest)
        except FleetError as error:
            self._failed.append(len(self._sources) - 1)
            outcome = SourceOutcome(source_name(file), error=error)
        return outcome

    def _read(self, source: SourceFile, outcome: SourceOutcome, progress: Callable[[float, int], None]) -> None:
        file = self._staged.path / layout.QUARANTINE / f"{source.digest}.jsonl"
        quarantine = Quarantine(file, source.digest, self._columns.names_of("client"))
        outcome.refused = quarantine.refused
        try:
            with closing(quarantine):
                reads = source.reads(self._client, self._columns)
                for batch, checked in in_order(reads, self._checked) if source.size > BLOCK else map(self._checked, reads):
                    if not outcome.rows:
                        self._columns.check_levels(outcome.name, batch)
                    outcome.rows += batch.table.num_rows + len(batch.refused)
                    for what, rows in batch.ignored.items():
                        count(outcome.ignored, what, rows)
                    quarantine.client_column = source.client_column
                    self._take(batch, checked, quarantine, outcome.ignored)
                    progress(source.done / source.size if source.size else 1.0, outcome.rows)
        except FleetError:
            quarantine.remove()
            raise
        self.rows += outcome.rows

    def _checked(self, read: Callable[[], RowBatch]) -> tuple[RowBatch, Checked | None]:
        batch = read()
        some = batch.table.num_rows
        scale = PERCENT if self._columns.scale is None else self._columns.scale
        return batch, check(batch.table, self._store.key, self._now_s, self._erased, scale) if some else None

    def _take(self, batch: RowBatch, checked: Checked | None, quarantine: Quarantine, ignored: Counter[str]) -> None:
        """Take a batch's rows. Accepted rows wait in the spool until the group is stored."""
        for refusal in batch.refused:
            quarantine.add(refusal)
        if checked is None:
            return
        table, reason = stored_rows(checked, self._packages)
        ignored.update(checked.ignored)
        if erased := int(np.count_nonzero(reason == ERASED)):
            quarantine.refused[ERASED] += erased  # Their text is not kept.
        for row in np.flatnonzero((reason != "") & (reason != ERASED)).tolist():
            quarantine.add(Refusal(batch.numbers[row], reason[row], batch.text(row)))
        number = len(self._sources) - 1
        if checked.by_app and number not in self._by_app:
            self._by_app.append(number)
        self._spool.add(table, number)

    def store(self, keys: Keys) -> None:
        """Store the sources, and enter them in the ledger. Raises `FleetError` if the store cannot be read or written."""
        token = self._store.snapshot.token if self._store.snapshot else ""
        name = hashlib.blake2b("".join([token, *(digest for digest, _ in self._sources)]).encode(), digest_size=16).hexdigest()
        with ThreadPoolExecutor(1) as writing:
            merger = Merger(name, self._store, self._staged, keys, len(self._sources), writing)
            for bucket in self._spool.buckets():
                groups = self._spool.groups(bucket, self._failed)
                for rows in one_row_a_sample(groups, self._by_app) if self._by_app else groups:
                    merger.add(rows, bucket)
            merger.wait()
        if self._packages.changed:
            self._staged.write_packages(self._packages.table())
            self._packages.changed = False
        entries: list[dict[str, Any]] = []
        for number, (digest, outcome) in enumerate(self._sources):
            if number not in self._failed:
                outcome.accepted = int(merger.accepted[number])
                outcome.duplicates = int(merger.duplicates[number])
                outcome.contradicting = int(merger.contradicting[number])
                # Parts hold rows of all sources of the group. The first source lists them.
                parts = {"with": entries[0]["source"]} if entries else {"parts": merger.parts}
                entries.append({"source": digest, "name": outcome.name, **outcome.figures(), **parts})
        commit(self._store, self._ledger, entries)


def in_order(items: Iterator[T], work: Callable[[T], R]) -> Iterator[R]:
    """Yield `work(item)` for each item, in order. A thread takes items, and others work on them, some items ahead.

    Threads run side by side, because Arrow and numpy release Python's lock.
    """
    threads = min(os.cpu_count() or 1, _MOST_THREADS)
    running: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as working, ThreadPoolExecutor(1) as taking:
        taken = taking.submit(_next, items)
        while (item := taken.result()) is not None:
            taken = taking.submit(_next, items)
            running.append(working.submit(work, item[0]))
            if len(running) > threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()


def _next(items: Iterator[T]) -> tuple[T] | None:
    """The next item; None at the end."""
    for item in items:
        return (item,)
    return None

"""Ingests files into a fleet's folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from navitas.base.freed_memory import keep_freed_memory
from navitas.fleet import layout
from navitas.fleet.erased import check_parts
from navitas.fleet.ingest.column_map import ColumnMap
from navitas.fleet.ingest.commit import SourceLedger, recover
from navitas.fleet.ingest.destination import destination
from navitas.fleet.ingest.group import Group, SourceOutcome
from navitas.fleet.ingest.merge import Keys
from navitas.fleet.ingest.stored_rows import Packages
from navitas.fleet.store import Store

GROUP_ROWS, GROUP_SOURCES = 1_000_000, 1_000
"""A group of sources is stored when it reaches this many rows or sources."""

_KEPT_BYTES, _LARGEST_BYTES = 256 << 20, 64 << 20
"""How much freed memory an ingest keeps, and of blocks of which size."""

Progress = Callable[[str, float, int], None]
"""Called with the name of the current source, sources read (with the fraction of the current one), and rows read."""


def ingest(
    path: Path,
    files: Sequence[Path],
    *,
    client: str = "",
    columns: ColumnMap | None = None,
    buckets: int | None = None,
    now_s: float | None = None,
    progress: Progress = lambda name, share, rows: None,
) -> Iterator[SourceOutcome]:
    """Ingest files into a fleet's folder, which is created if needed, and removed again if no file can be read.

    An unreadable file does not affect the others.

    Yields a source's outcome after it is stored. `client` is the phone of batterystats histories, `buckets` the number of
    buckets of a new fleet.

    Raises `FleetError` if the folder is not a fleet, is in use, lacks samples, or cannot be written, or if another process
    changed a fleet in an object store meanwhile.
    """
    keep_freed_memory(_KEPT_BYTES, _LARGEST_BYTES)
    if "jemalloc" in pa.supported_memory_backends():  # Arrow's usual pool returns freed blocks to the system.
        pa.set_memory_pool(pa.jemalloc_memory_pool())
    with destination(path) as target:
        is_new = not (target.folder / layout.SETTINGS).exists()
        store = replace(Store.create(target.folder, buckets=buckets), snapshot=target.snapshot)
        ledger = SourceLedger(store)
        recover(store, ledger)
        check_parts(store)
        packages, keys = Packages(store.packages()), Keys(store.buckets)
        now_s = time.time() if now_s is None else now_s
        columns = columns or ColumnMap()
        group, waiting, rows = Group(store, ledger, packages, client, now_s, columns), [], 0
        for number, file in enumerate(files):

            def show(share: float, more: int, name: str = file.name, done: int = number, before: int = rows) -> None:
                progress(name, done + share, before + more)

            waiting.append(group.read(file, show))
            rows += waiting[-1].rows
            if group.rows >= GROUP_ROWS or len(group) >= GROUP_SOURCES or number == len(files) - 1:
                if group.whole:
                    group.store(keys)
                    target.publish()
                elif len(group):
                    recover(store, ledger)
                if len(group):
                    group = Group(store, ledger, packages, client, now_s, columns)
                if is_new and not ledger.sources and number == len(files) - 1:
                    (target.folder / layout.SETTINGS).unlink()
                yield from waiting
                waiting = []

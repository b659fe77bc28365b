"""Rows of sources by bucket of clients, in memory and, beyond a limit, in files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet.schema import SAMPLES, bucket_of

MAX_BYTES = 256 << 20
SOURCE = "source"
"""An extra column: the number of the source."""
_ROWS = SAMPLES.append(pa.field(SOURCE, pa.int32()))
GROUP_ROWS = 1_000_000
"""Approximate number of rows of a bucket that are sorted and stored at once."""


class Spool:
    """Rows in input order, by bucket. `folder` is created if they exceed the memory limit."""

    def __init__(self, folder: Path, buckets: int) -> None:
        self._folder = folder
        self._buckets = buckets
        self._held: defaultdict[int, list[pa.Table]] = defaultdict(list)
        self._bytes = 0
        self._files: defaultdict[int, list[Path]] = defaultdict(list)

    def add(self, rows: pa.Table, source: int) -> None:
        """Add rows of a source, in the store's columns."""
        if not rows.num_rows:
            return
        rows = rows.append_column(_ROWS.field(SOURCE), pa.repeat(pa.scalar(source, pa.int32()), rows.num_rows))
        bucket = bucket_of(rows["client"].to_numpy(), self._buckets)
        order = np.argsort(bucket, kind="stable")
        ordered = rows.take(pa.array(order))
        starts = np.flatnonzero(np.append(True, np.diff(bucket[order]) != 0))
        for low, high in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
            self._held[int(bucket[order[low]])].append(ordered.slice(low, high - low))
        self._bytes += ordered.nbytes
        if self._bytes > MAX_BYTES:
            self._flush()

    def buckets(self) -> list[int]:
        """The buckets that have rows, in order."""
        return sorted({*self._held, *self._files})

    def groups(self, bucket: int, without: Sequence[int] = ()) -> Iterator[pa.Table]:
        """Yield a bucket's rows in groups of about `GROUP_ROWS`, without those of the sources `without`."""
        group: list[pa.Table] = []
        for table in self._tables(bucket):
            group.append(table.filter(pc.invert(pc.is_in(table[SOURCE], pa.array(without, pa.int32())))) if without else table)
            if sum(one.num_rows for one in group) >= GROUP_ROWS:
                yield pa.concat_tables(group)
                group = []
        if group:
            yield pa.concat_tables(group)

    def _tables(self, bucket: int) -> Iterator[pa.Table]:
        for file in self._files[bucket]:
            with pa.OSFile(str(file)) as source:
                yield pa.ipc.open_stream(source).read_all()
        yield from self._held[bucket]

    def _flush(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        for bucket, tables in self._held.items():
            file = self._folder / f"{bucket}-{len(self._files[bucket])}.arrow"
            with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_stream(sink, _ROWS, options=options) as writer:
                writer.write_table(pa.concat_tables(tables).combine_chunks())
            self._files[bucket].append(file)
        self._held.clear()
        self._bytes = 0

"""New rows of a bucket → parts, without rows that are already stored."""

from __future__ import annotations

import hashlib
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet.ingest.stored_rows import lists_of
from navitas.fleet.schema import SAMPLES, bucket_of, month_of
from navitas.fleet.statistics import I64, Bool
from navitas.fleet.store import Store, Unit, read_samples

MAX_BYTES = 256 << 20
SOURCE = "source"
"""An extra column: the number of the source."""
ROWS = "rows"
"""An extra column: how many rows of the source a sample is made of. Missing: one."""
_ROWS = SAMPLES.append(pa.field(SOURCE, pa.int32()))
GROUP_ROWS = 1_000_000
"""Approximate number of rows of a bucket that are sorted and stored at once."""
_KEPT_KEYS = 4_000_000
_MOST_AHEAD = 2
"""Parts that wait until they are written, in memory."""


class Spool:
    """Rows in input order, by bucket. `folder` is created if they exceed the memory limit."""

    def __init__(self, folder: Path, buckets: int) -> None:
        self._folder = folder
        self._buckets = buckets
        self._new: list[pa.Table] = []
        self._new_bytes = 0
        self._held: defaultdict[int, list[pa.Table]] = defaultdict(list)
        self._bytes = 0
        self._files: defaultdict[int, list[Path]] = defaultdict(list)

    def add(self, rows: pa.Table, source: int) -> None:
        """Add rows of a source, in the store's columns."""
        if not rows.num_rows:
            return
        self._new.append(rows.append_column(_ROWS.field(SOURCE), pa.repeat(pa.scalar(source, pa.int32()), rows.num_rows)))
        self._new_bytes += rows.nbytes
        if self._new_bytes > MAX_BYTES // 16:  # Sorting each block makes so many small tables that these take longest.
            self._sort()

    def _sort(self) -> None:
        """Move the new rows to their buckets."""
        if not self._new:
            return
        rows = pa.concat_tables(self._new).combine_chunks()
        self._new, self._new_bytes = [], 0
        bucket = bucket_of(rows["client"].to_numpy(), self._buckets).astype(np.uint16)
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
        self._sort()
        return sorted({*self._held, *self._files})

    def groups(self, bucket: int, without: Sequence[int] = ()) -> Iterator[pa.Table]:
        """Yield a bucket's rows in groups of about `GROUP_ROWS`, without those of the sources `without`."""
        group: list[pa.Table] = []
        for table in self._tables(bucket):
            kept = table.filter(pc.invert(pc.is_in(table[SOURCE], pa.array(without, pa.int32())))) if without else table
            if kept.num_rows:
                group.append(kept)
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


def one_row_a_sample(groups: Iterable[pa.Table], by_app: Sequence[int]) -> Iterator[pa.Table]:
    """Yield a bucket's groups as one, since a sample's rows may be anywhere in its source: one row for each sample.

    Rows of one client, second, level and state become one with all their apps, in the sources `by_app`. Such a sample has no
    counters of apps: each row has only those of its own.
    """
    tables = list(groups)
    if not tables:
        return
    rows = pa.concat_tables(tables)
    source = rows[SOURCE].to_numpy()
    alone = np.where(np.isin(source, by_app), 0, np.arange(len(source)))
    keys = [alone, *(rows[name].to_numpy() for name in ("state", "level_ppm", "time_s", "client")), source]
    order = np.lexsort(keys)
    begins = np.flatnonzero(np.append(True, np.any([np.diff(key[order]) != 0 for key in keys], axis=0)))
    ordered = rows.take(pa.array(order)).combine_chunks()
    apps = ordered["apps"].combine_chunks()
    lengths = np.add.reduceat(pc.list_value_length(apps).to_numpy(), begins)
    offsets, numbers = lists_of(apps.flatten().to_numpy(), lengths.astype(np.int64), np.full(len(begins), -1, np.int32))
    merged = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(numbers, pa.int32()))
    counts = np.diff(begins, append=len(order))
    table = ordered.take(pa.array(begins))
    table = table.set_column(table.schema.get_field_index("apps"), _ROWS.field("apps"), merged)
    alone_or_null = pa.array(np.arange(len(begins)), mask=counts > 1)
    for name in ("foreground_apps", "foreground_ms", "running_apps", "running_ms"):
        table = table.set_column(table.schema.get_field_index(name), _ROWS.field(name), table[name].take(alone_or_null))
    table = table.append_column(ROWS, pa.array(counts))
    yield table.take(pa.array(np.argsort(order[begins])))  # Of contradicting samples, the first one counts.


class Keys:
    """The clients and times of parts, with a cache of the parts read last. Parts never change."""

    def __init__(self, buckets: int) -> None:
        self._buckets = buckets
        self._known: OrderedDict[Path, tuple[I64, I64]] = OrderedDict()
        self._size = 0

    def load(self, file: Path) -> tuple[I64, I64]:
        """The clients and times of a part."""
        if file in self._known:
            self._known.move_to_end(file)
            return self._known[file]
        table = read_samples(file, ["client", "time_s"], self._buckets)
        keys = table["client"].to_numpy(), table["time_s"].to_numpy()
        self._known[file] = keys
        self._size += len(keys[0])
        while self._size > _KEPT_KEYS and len(self._known) > 1:
            self._size -= len(self._known.popitem(last=False)[1][0])
        return keys


class Merger:
    """Writes rows of sources to `staged`, without rows that are in `store` or in `staged` already. Threads of `writing` do it.

    By source: `accepted` rows are stored. `duplicates` are not, because a row of the same client and second exists.
    `contradicting` counts duplicates that differ from that row.
    """

    def __init__(  # noqa: PLR0917
        self, name: str, store: Store, staged: Store, keys: Keys, sources: int, writing: Executor
    ) -> None:
        self._name = name
        self._stored = store.parts()
        self._staged = staged
        self._keys = keys
        self.accepted, self.duplicates, self.contradicting = (np.zeros(sources, np.int64) for _ in range(3))
        self.parts: list[str] = []
        self._writing = writing
        self._running: deque[Future[None]] = deque()
        self._bucket = -1

    def add(self, rows: pa.Table, bucket: int) -> None:
        """Write parts of a bucket's rows. Of rows with one client and second, the first is stored.

        Parts are named after the sources and a serial number.
        """
        if bucket == self._bucket:
            self.wait()  # The next rows are compared with these parts.
        self._bucket = bucket
        month = month_of(rows["time_s"].to_numpy())
        for begin in np.unique(month):
            unit = Unit(bucket, str(begin))
            kept = self._first(rows, np.flatnonzero(month == begin), unit)
            if kept.num_rows:
                part = hashlib.blake2b(f"{self._name}:{len(self.parts)}".encode(), digest_size=8).hexdigest()
                self._running.append(self._writing.submit(self._staged.write_part, unit, part, kept))
                self.parts.append(f"{unit.folder}/part-{part}.parquet")
                while len(self._running) > _MOST_AHEAD:
                    self._running.popleft().result()

    def wait(self) -> None:
        """Wait until all parts are written. Raises `FleetError` if one cannot be written."""
        while self._running:
            self._running.popleft().result()

    def _first(self, given: pa.Table, own: I64, unit: Unit) -> pa.Table:
        """Of `own` rows, those that no part of the unit has, in order of client and time."""
        source, rows = given[SOURCE].to_numpy()[own], given.select(SAMPLES.names)
        made_of = given[ROWS].to_numpy()[own] if ROWS in given.column_names else np.ones(len(own), np.int64)
        files = [*self._stored.get(unit, ()), *sorted(self._staged.part(unit, "").parent.glob("part-*.parquet"))]
        stored = [self._keys.load(file) for file in files]
        client = np.concatenate([*(one[0] for one in stored), rows["client"].to_numpy()[own]])
        time = np.concatenate([*(one[1] for one in stored), rows["time_s"].to_numpy()[own]])
        old = len(client) - len(own)
        order = np.lexsort((time, client))
        first = np.append(True, (np.diff(client[order]) != 0) | (np.diff(time[order]) != 0))
        new = order >= old
        again = np.flatnonzero(new & ~first)
        if len(again):
            start = np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))
            old_rows = (read_samples(file, SAMPLES.names, self._staged.buckets) for file in files)
            every = pa.concat_tables([*old_rows, rows.take(pa.array(own))])
            differ = _differ(every, order[start[again]], order[again])
            duplicate = order[again] - old
            for counts, chosen in ((self.duplicates, duplicate), (self.contradicting, duplicate[differ])):
                np.add.at(counts, source[chosen], made_of[chosen])
        kept = order[new & first] - old
        np.add.at(self.accepted, source[kept], made_of[kept])
        return rows.take(pa.array(own[kept]))


def _differ(table: pa.Table, left: I64, right: I64) -> Bool:
    """Whether the pairs of rows differ in any column."""
    differ = np.zeros(len(left), bool)
    one, other = table.take(pa.array(left)), table.take(pa.array(right))
    for field in SAMPLES:
        halves = one[field.name], other[field.name]
        if pa.types.is_list(field.type):
            differ |= _lists_differ(*halves)
        else:
            nulls = pc.and_(*(half.is_null() for half in halves))
            differ |= ~pc.or_(pc.fill_null(pc.equal(*halves), False), nulls).to_numpy()
    return differ


def _lists_differ(one: pa.ChunkedArray, other: pa.ChunkedArray) -> Bool:
    """Whether the lists of each row differ. A null differs from an empty list."""
    lengths, others = (pc.fill_null(pc.list_value_length(half), -1).to_numpy() for half in (one, other))
    differ = np.asarray(lengths != others)
    alike = np.flatnonzero(~differ & (lengths > 0))
    left, right = (half.take(pa.array(alike)).combine_chunks().flatten().to_numpy() for half in (one, other))
    differ[np.repeat(alike, lengths[alike])[left != right]] = True
    return differ

"""Folded calls (chunk type 5) as columns."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I32, I64, Bool
from navitas.recording.parse.chunks import Chunk
from navitas.recording.parse.methodmap import RESERVED_ID, Span
from navitas.recording.parse.tables import Folded

_EPOCH = struct.Struct("<qqI")
_ROW = np.dtype([("node", "<u4"), ("parent", "<i4"), ("method", "<u4"), ("calls", "<u4"), ("throws", "<u4"), ("self_ns", "<i8")])

_LONGEST_NS = 86_400_000_000_000  # an epoch ends at the next anchor, so an epoch of a day is damage
_CLOCK_STEP_NS = 1_000  # clocks of devices have this resolution or a finer one
_NONE_64, _NONE_32 = np.empty(0, np.int64), np.empty(0, np.int32)
NO_FOLDED = Folded(_NONE_64, _NONE_64, _NONE_32, _NONE_32, _NONE_32, _NONE_64, _NONE_64, _NONE_64)


@dataclass(frozen=True, slots=True)
class _FoldedRows:
    """Rows as recorded, with the number and times of their epoch and the index of their chunk.

    `dropped` is the number of impossible epochs.
    """

    table: NDArray[np.void]
    start_ns: I64
    end_ns: I64
    chunk: I64
    epoch: I64
    dropped: int

    def kept(self, keep: Bool, method: I64) -> Folded:
        table = self.table[keep]
        node = table["node"].astype(np.int32)
        return Folded(
            epoch_start_ns=self.start_ns[keep],
            epoch_end_ns=self.end_ns[keep],
            node=node,
            parent=_tree_parents(node, table["parent"].astype(np.int32)),
            method=method[keep].astype(np.int32),
            calls=table["calls"].astype(np.int64),
            throws=table["throws"].astype(np.int64),
            self_ns=table["self_ns"].astype(np.int64),
        )


def decode_folded(chunks: Sequence[Chunk], known: dict[int, Span]) -> tuple[Folded, int]:
    """Return one thread's fold rows from its chunks in order, and the number of impossible rows and epochs that were dropped.

    A parent that is not a node, or that is part of a cycle, becomes -1, so the nodes always form trees.
    Rows with the runtime's reserved ids are left out and not counted.
    """
    if not chunks:
        return NO_FOLDED, 0
    rows = _rows(chunks)
    method = rows.table["method"].astype(np.int64)
    row, has_row = np.empty(len(method), np.int64), np.empty(len(method), np.bool_)
    for map_id in {chunk.map_id for chunk in chunks}:
        of_map = np.isin(rows.chunk, [place for place, chunk in enumerate(chunks) if chunk.map_id == map_id])
        row[of_map], has_row[of_map] = known[map_id].rows(method[of_map])
    keep = has_row & _possible(rows)
    own = ~has_row & (method >= RESERVED_ID)
    return rows.kept(keep, row), rows.dropped + int(np.count_nonzero(~keep)) - int(np.count_nonzero(own))


def reserved_rows(chunks: Sequence[Chunk]) -> Folded:
    """Return the rows with the runtime's reserved method ids."""
    if not chunks:
        return NO_FOLDED
    rows = _rows(chunks)
    return rows.kept((rows.table["method"] >= RESERVED_ID) & _possible(rows), rows.table["method"].astype(np.int64))


def _possible(rows: _FoldedRows) -> Bool:
    """Select the possible rows: an epoch's rows take no longer than the epoch, and each call takes at least 1 ns."""
    self_ns, length_ns = rows.table["self_ns"], rows.end_ns - rows.start_ns
    calls = np.maximum(rows.table["calls"], rows.table["throws"])
    whole_ns = np.bincount(rows.epoch, np.maximum(self_ns, 0))[rows.epoch]
    can_be = (self_ns >= 0) & (whole_ns <= length_ns) & (calls <= length_ns + _CLOCK_STEP_NS)
    return np.asarray(can_be & (rows.table["node"] < 1 << 31))


def _rows(chunks: Sequence[Chunk]) -> _FoldedRows:
    parts: list[memoryview] = []
    epochs: list[tuple[int, int, int]] = []
    counts: list[int] = []
    dropped = 0
    for place, chunk in enumerate(chunks):
        at, payload = 0, chunk.payload
        for epoch in range(chunk.count):
            if at + _EPOCH.size > len(payload):
                dropped += chunk.count - epoch
                break
            start, end, count = _EPOCH.unpack_from(payload, at)
            at += _EPOCH.size
            to = at + count * _ROW.itemsize
            if to > len(payload) or not 0 <= end - start <= _LONGEST_NS:
                dropped += chunk.count - epoch
                break
            parts.append(payload[at:to])
            epochs.append((start, end, place))
            counts.append(count)
            at = to
    table = np.frombuffer(b"".join(parts), _ROW)
    start_ns, end_ns, places = np.repeat(np.array(epochs, np.int64).reshape(-1, 3), counts, axis=0).T
    return _FoldedRows(table, start_ns, end_ns, places, np.repeat(np.arange(len(counts)), counts), dropped)


def _tree_parents(node: I32, parent: I32) -> I32:
    """Return parents without unknown nodes and cycles. Follows each node's parents in doubling steps."""
    names, first = np.unique(node, return_index=True)
    if not len(names):
        return parent
    place = np.searchsorted(names, parent[first])
    found = names[np.minimum(place, len(names) - 1)] == parent[first]
    root = len(names)
    up = np.append(np.where(found, place, root), root)
    reach = up
    for _ in range(len(names).bit_length()):
        reach = reach[reach]
    valid = found & (reach[:-1] == root)
    return np.where(valid, parent[first], -1)[np.searchsorted(names, node)].astype(np.int32)

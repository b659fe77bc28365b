"""Folded calls (chunk type 5) as columns."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from navitas.parse.chunks import Chunk
from navitas.parse.methodmap import RESERVED_ID, Span
from navitas.parse.tables import I32, Folded

_EPOCH = struct.Struct("<qqI")
_ROW = np.dtype([("node", "<u4"), ("parent", "<i4"), ("method", "<u4"), ("calls", "<u4"), ("throws", "<u4"), ("self_ns", "<i8")])

_LONGEST_NS = 86_400_000_000_000  # an epoch ends with every anchor: one of a day is damage
_NONE_64, _NONE_32 = np.empty(0, np.int64), np.empty(0, np.int32)
NO_FOLDED = Folded(_NONE_64, _NONE_64, _NONE_32, _NONE_32, _NONE_32, _NONE_64, _NONE_64, _NONE_64)


def decode_folded(chunks: Sequence[Chunk], known: dict[int, Span]) -> tuple[Folded, int]:
    """One thread's fold rows from its chunks in order, and how many rows or epochs were dropped as impossible.

    A parent that is nowhere a node, or that leads in a circle, becomes -1, so nodes always form trees.
    Rows of the runtime's own ids are left out and not counted.
    """
    if not chunks:
        return NO_FOLDED, 0
    parts: list[memoryview] = []
    starts: list[int] = []
    ends: list[int] = []
    rows: list[int] = []
    bases: list[int] = []
    sizes: list[int] = []
    dropped = 0
    for chunk in chunks:
        at, payload, span = 0, chunk.payload, known[chunk.map_id]
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
            starts.append(start)
            ends.append(end)
            rows.append(count)
            bases.append(span.base)
            sizes.append(span.size)
            at = to
    table = np.frombuffer(b"".join(parts), _ROW)
    base, size, start_ns, end_ns = (np.repeat(np.array(column, np.int64), rows) for column in (bases, sizes, starts, ends))
    own = (table["method"] >= size) & (table["method"] >= RESERVED_ID)
    keep = (table["method"] < size) & (table["self_ns"] >= 0) & (table["node"] < 1 << 31)
    kept = table[keep]
    node = kept["node"].astype(np.int32)
    folded = Folded(
        epoch_start_ns=start_ns[keep],
        epoch_end_ns=end_ns[keep],
        node=node,
        parent=_tree_parents(node, kept["parent"].astype(np.int32)),
        method=(kept["method"] + base[keep]).astype(np.int32),
        calls=kept["calls"].astype(np.int64),
        throws=kept["throws"].astype(np.int64),
        self_ns=kept["self_ns"].astype(np.int64),
    )
    return folded, dropped + len(table) - len(kept) - int(np.count_nonzero(own))


def _tree_parents(node: I32, parent: I32) -> I32:
    """Parents without strangers and circles, by following each node's parent in doubling steps."""
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

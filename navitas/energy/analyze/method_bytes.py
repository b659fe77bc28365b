"""The bytes that methods moved over radios and storage: a roll-up of the ledger's transfers over call paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.roll_up import first_ids
from navitas.energy.attribute.calls.paths import PROBES
from navitas.energy.attribute.forest import binned, outermost, positions, preorder, subtree_sums
from navitas.energy.attribute.ledger import Ledger, counted_runs
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.tables import Method


@dataclass(frozen=True, slots=True)
class MethodBytes:
    """The bytes of one method on one component, over all runs without baseline runs. Storage: bytes read and written.

    `inclusive_*` counts the bytes of the methods that it calls, too, and recursion once. `id` is that of `MethodTotal`. Bytes
    are not whole if calls share those of a counter.
    """

    id: int
    method: Method
    component: str
    received_bytes: float
    sent_bytes: float
    inclusive_received_bytes: float
    inclusive_sent_bytes: float


def method_bytes(ledger: Ledger) -> tuple[MethodBytes, ...]:
    """Return the bytes of each method and component that moved any, most bytes first. Calls outside of tests count."""
    transfers, paths = ledger.transfers, ledger.paths
    counted = counted_runs(ledger)[ledger.owners.run[transfers.owner]]
    counted &= transfers.path > PROBES
    if not counted.any():
        return ()
    parent = np.where(paths.parent > PROBES, paths.parent, -1)
    outer = _outermost_paths(parent, paths.method)
    found: list[MethodBytes] = []
    for component in np.unique(transfers.component[counted]).tolist():
        rows = np.flatnonzero(counted & (transfers.component == component))
        path = transfers.path[rows].astype(np.int64)
        columns = [binned(path, each[rows], len(paths)) for each in (transfers.received_bytes, transfers.sent_bytes)]
        own = np.column_stack(columns)
        found += _by_method(ledger, component, own, np.where(outer[:, None], subtree_sums(parent, own), 0.0))
    return tuple(sorted(found, key=lambda one: (-one.inclusive_received_bytes - one.inclusive_sent_bytes, one.id)))


def bytes_by_method(moved: Iterable[MethodBytes]) -> dict[int, float]:
    """Sum the bytes of each method and those that it calls, sent and received, over all components."""
    found: dict[int, float] = {}
    for each in moved:
        found[each.id] = found.get(each.id, 0.0) + each.inclusive_received_bytes + each.inclusive_sent_bytes
    return found


def _by_method(ledger: Ledger, component: int, own: F64, inclusive: F64) -> list[MethodBytes]:
    used = np.flatnonzero(inclusive.any(axis=1) | own.any(axis=1))
    ids, place = np.unique(first_ids(ledger.methods, ledger.paths.method[used]), return_inverse=True)
    sums = [binned(place, table[used, side], len(ids)).tolist() for table in (own, inclusive) for side in (0, 1)]
    methods, name = ledger.methods.methods, ledger.components[component]
    return [MethodBytes(id, methods[id], name, *figures) for id, *figures in zip(ids.tolist(), *sums, strict=True)]


def _outermost_paths(parent: I64, method: I64) -> Bool:
    """Return for each call path whether no caller has the same method."""
    size = np.rint(subtree_sums(parent, np.ones((len(parent), 1)))[:, 0]).astype(np.int64)
    at = preorder(parent, np.arange(len(parent)), size)
    row = positions(at)
    return outermost(method[row], size[row])[at]

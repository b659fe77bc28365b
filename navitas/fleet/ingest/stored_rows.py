"""Checked rows → the store's columns, with names as package numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.ingest.checks import Checked, Texts
from navitas.fleet.ingest.counters import counter_lists
from navitas.fleet.ingest.names import MISSING, Packages
from navitas.fleet.schema import I64, PACKAGES_LIMIT, SAMPLES


def stored_rows(checked: Checked, packages: Packages) -> tuple[pa.Table, Texts]:
    """The accepted rows in the store's columns, and each row's reason, which faults of app names may add."""
    rows = np.flatnonzero(checked.reason == "")
    apps, foreground = _selected(checked.apps, rows), _selected(checked.foreground, rows)
    lengths = _array(pc.list_value_length(apps))
    encoded = pa.concat_arrays([apps.flatten(), foreground]).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    codes = _array(pc.fill_null(encoded.indices, len(texts)))  # The code after the last stands for a null.
    listed, front = np.split(codes, [int(lengths.sum())])
    faults = np.array([*map(packages.fault, texts), MISSING], object)
    if np.any((faults != "")[listed]) or np.any((faults[:-1] != "")[front[front < len(texts)]]):
        return stored_rows(_refused(checked, rows, lengths, listed, front, faults), packages)
    numbers = np.array([*map(packages.number, texts), -1], np.int32)
    if np.any(numbers[:-1] < 0):
        faults = np.where(numbers < 0, f"apps: more than {PACKAGES_LIMIT:,} different ones", "").astype(object)
        return stored_rows(_refused(checked, rows, lengths, listed, front, faults), packages)
    table = _selected(pa.table(checked.columns), rows)
    offsets, ids = _lists(numbers[listed], lengths, numbers[front])
    columns = {
        **{name: table[name] for name in table.column_names},
        "apps": pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids, pa.int32())),
        "foreground": pa.array(numbers[front], pa.int32(), mask=front == len(texts)),
    }
    for name, counters in checked.counters.items():
        columns |= counter_lists(name, _selected(counters, rows), packages, checked.ignored)
    return pa.table([columns[name] for name in SAMPLES.names], SAMPLES), checked.reason


def _array(values: pa.Array) -> I64:
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _selected(values: pa.Array | pa.Table, rows: I64) -> pa.Array | pa.Table:
    """The selected rows, without a copy if all are selected."""
    return values if len(rows) == len(values) else values.take(pa.array(rows))


def _refused(  # noqa: PLR0917
    checked: Checked, rows: I64, lengths: I64, listed: I64, front: I64, faults: NDArray[np.object_]
) -> Checked:
    """The same rows, without those that have a name with a fault. Of several faults of a row, the first counts."""
    reason = checked.reason.copy()
    place = np.arange(len(rows))
    known = front < len(faults) - 1
    row, code = np.append(np.repeat(place, lengths), place[known]), np.append(listed, front[known])
    for at in np.flatnonzero((faults != "")[code])[::-1].tolist():
        reason[rows[row[at]]] = faults[code[at]]
    return replace(checked, reason=reason)


def _lists(listed: NDArray[np.int32], lengths: I64, front: NDArray[np.int32]) -> tuple[I64, NDArray[np.int32]]:
    """Offsets and numbers of lists of these lengths, each with its row's `front` app unless that is negative.

    Numbers become ascending and unique in each list.
    """
    size = int(max(listed.max(initial=0), front.max(initial=0))) + 1
    kind = np.uint32 if len(lengths) * size < 1 << 32 else np.int64  # Half the bytes sort in half the time.
    base = (np.arange(len(lengths)) * size).astype(kind)
    has_front = front >= 0
    key = np.repeat(base, lengths) + listed.astype(kind)
    if has_front.any():
        key = np.append(key, base[has_front] + front[has_front].astype(kind))
    key.sort()
    counts = lengths + has_front
    numbers, offsets = (key - np.repeat(base, counts)).astype(np.int32), np.append(0, np.cumsum(counts))
    again = np.flatnonzero(key[1:] == key[:-1]) + 1
    return offsets - np.searchsorted(again, offsets), np.delete(numbers, again) if len(again) else numbers

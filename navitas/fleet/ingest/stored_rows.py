"""Checked rows → the store's columns, with names as package numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.ingest.checks import Bools, Checked, Texts
from navitas.fleet.ingest.counters import counter_lists
from navitas.fleet.ingest.names import MISSING, Packages
from navitas.fleet.schema import I64, PACKAGES_LIMIT, SAMPLES

_ROW_BITS = 32


def stored_rows(checked: Checked, packages: Packages) -> tuple[pa.Table, Texts]:
    """The accepted rows in the store's columns, and each row's reason, which faults of app names may add."""
    reason = checked.reason.copy()
    rows = np.flatnonzero(reason == "")
    apps, foreground = _selected(checked.apps, rows), _selected(checked.foreground, rows)
    lengths = _array(pc.list_value_length(apps))
    encoded = pa.concat_arrays([apps.flatten(), foreground]).dictionary_encode()
    # The code after the last stands for a null.
    texts = encoded.dictionary.to_pylist()
    codes = _array(pc.fill_null(encoded.indices, len(texts))).astype(np.int64)
    row = np.append(np.repeat(np.arange(len(rows)), lengths), np.arange(len(rows)))
    absent = codes == len(texts)
    absent[: int(lengths.sum())] = False  # Only the foreground app may be null.
    row, codes = row[~absent], codes[~absent]
    faults = np.array([*map(packages.fault, texts), MISSING], object)
    good = np.ones(len(rows), bool)
    _refuse(faults, row, codes, rows, good, reason)
    used = np.zeros(len(texts) + 1, bool)
    used[codes[good[row]]] = True
    numbers = np.full(len(texts) + 1, -1, np.int64)
    for code in np.flatnonzero(used).tolist():
        numbers[code] = packages.number(texts[code])
    none_left = np.where(used & (numbers < 0), f"apps: more than {PACKAGES_LIMIT:,} different ones", "").astype(object)
    _refuse(none_left, row, codes, rows, good, reason)
    table = _selected(pa.table(checked.columns), rows[good])
    front = np.full(len(rows), -1, np.int64)
    is_front = np.arange(len(row)) >= len(row) - np.count_nonzero(pc.is_valid(foreground))
    front[row[is_front]] = numbers[codes[is_front]]
    front = front[good]
    kept = good[row]
    offsets, ids = _lists(row[kept], numbers[codes[kept]], np.flatnonzero(good))
    columns = {
        **{name: table[name] for name in table.column_names},
        "apps": pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids, pa.int32())),
        "foreground": pa.array(front, pa.int32(), mask=front < 0),
    }
    for name, texts in checked.counters.items():
        columns |= counter_lists(name, _selected(_selected(texts, rows), np.flatnonzero(good)), packages, checked.ignored)
    return pa.table([columns[name] for name in SAMPLES.names], SAMPLES), reason


def _array(values: pa.Array) -> I64:
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _selected(values: pa.Array | pa.Table, rows: I64) -> pa.Array | pa.Table:
    """The selected rows, without a copy if all are selected."""
    return values if len(rows) == len(values) else values.take(pa.array(rows))


def _refuse(fault: NDArray[np.object_], row: I64, codes: I64, rows: I64, good: Bools, reason: Texts) -> None:  # noqa: PLR0917
    """Refuse each of `rows` that has a text with a fault. `row` and `codes` pair rows with texts."""
    for at in np.flatnonzero((fault != "")[codes])[::-1].tolist() if np.any(fault != "") else []:
        reason[rows[row[at]]] = fault[codes[at]]
        good[row[at]] = False


def _lists(row: I64, number: I64, rows: I64) -> tuple[I64, I64]:
    """Offsets and numbers of lists for `rows`. Numbers are ascending and unique."""
    key = (row << _ROW_BITS) | number
    key.sort()  # numpy's `unique` hashes first, which is slower here.
    key = key[np.append(True, key[1:] != key[:-1])] if len(key) else key
    return np.append(np.searchsorted(key >> _ROW_BITS, rows), len(key)), key & ((1 << _ROW_BITS) - 1)

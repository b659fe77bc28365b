"""Counters of apps, as texts `package=seconds` → package numbers and milliseconds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.ingest.checks import LONGEST_S, Bools
from navitas.fleet.ingest.names import Packages
from navitas.fleet.schema import I64, SAMPLES

F64 = NDArray[np.float64]

_ROW_BITS = 32
_TEXT = r"^[^=]*=\s*[0-9]{1,10}(\.[0-9]{0,20})?\s*$"


def counter_lists(name: str, texts: pa.ListArray, packages: Packages, ignored: Counter[str]) -> dict[str, pa.ListArray]:
    """Columns `…_apps` and `…_ms`. Invalid entries are dropped and counted. Of equal packages, the greatest time counts.

    Numbers are of packages without a version, ascending.
    """
    if texts.null_count == len(texts):
        return {column: pa.nulls(len(texts), SAMPLES.field(column).type) for column in (f"{name}_apps", f"{name}_ms")}
    is_list = np.asarray(pc.is_valid(texts).to_numpy(zero_copy_only=False), bool)
    row = np.repeat(np.arange(len(texts)), pc.fill_null(pc.list_value_length(texts), 0).to_numpy(zero_copy_only=False))
    known, app, seconds = _halves(texts.flatten())
    number = np.array([_number(text, packages) for text in app.dictionary.to_pylist()], np.int64)
    package = number[app.indices.to_numpy(zero_copy_only=False)] if len(number) else np.zeros(0, np.int64)
    fits = (package >= 0) & (seconds <= LONGEST_S)
    if dropped := len(known) - int(fits.sum()):
        ignored[f"{name}_s: is not package=seconds"] += dropped
    key, at = _greatest((row[known][fits] << _ROW_BITS) | package[fits], seconds[fits])
    offsets = pa.array(np.searchsorted(key >> _ROW_BITS, np.arange(len(texts) + 1)), pa.int32())
    numbers = pa.array(key & ((1 << _ROW_BITS) - 1), pa.int32())
    mask = pa.array(~is_list)
    return {
        f"{name}_apps": pa.ListArray.from_arrays(offsets, numbers, mask=mask),
        f"{name}_ms": pa.ListArray.from_arrays(offsets, pa.array(np.rint(1000 * at), pa.int64()), mask=mask),
    }


def _halves(texts: pa.StringArray) -> tuple[Bools, pa.DictionaryArray, F64]:
    """Which texts have one `=` and then seconds; the halves of these. Regular expressions with groups take much longer."""
    known = pc.fill_null(pc.match_substring_regex(texts, _TEXT), False)
    halves = pc.split_pattern(texts.filter(known), "=").flatten()
    first = np.arange(0, len(halves), 2)
    seconds = pc.utf8_trim_whitespace(halves.take(pa.array(first + 1))).cast(pa.float64())
    app = halves.take(pa.array(first)).dictionary_encode()
    return known.to_numpy(zero_copy_only=False), app, seconds.to_numpy(zero_copy_only=False)


def _number(text: str, packages: Packages) -> int:
    """The number of `package` or `package@version` without its version; −1 if it has none."""
    app = text.partition("@")[0].strip()
    return -1 if packages.fault(app) else packages.number(app)


def _greatest(key: I64, seconds: F64) -> tuple[I64, F64]:
    """Ascending unique keys, each with its greatest value."""
    order = np.argsort(key, kind="stable")
    if np.all(np.diff(key[order]) != 0):
        return key[order], seconds[order]
    order = np.lexsort((seconds, key))
    last = np.append(np.diff(key[order]) != 0, True)[: len(order)]
    return key[order][last], seconds[order][last]

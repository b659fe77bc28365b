"""Counters of apps, as texts `package=seconds` → package numbers and milliseconds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet.ingest.checks import LONGEST_S
from navitas.fleet.ingest.names import Packages
from navitas.fleet.schema import I64, SAMPLES

_ROW_BITS = 32


def counter_lists(name: str, texts: pa.ListArray, packages: Packages, ignored: Counter[str]) -> dict[str, pa.ListArray]:
    """Columns `…_apps` and `…_ms`. Invalid entries are dropped and counted. Of equal packages, the greatest time counts.

    Numbers are of packages without a version, ascending.
    """
    if texts.null_count == len(texts):
        return {column: pa.nulls(len(texts), SAMPLES.field(column).type) for column in (f"{name}_apps", f"{name}_ms")}
    is_list = np.asarray(pc.is_valid(texts).to_numpy(zero_copy_only=False), bool)
    row = np.repeat(np.arange(len(texts)), pc.fill_null(pc.list_value_length(texts), 0).to_numpy(zero_copy_only=False))
    parts = pc.extract_regex(
        texts.flatten(), r"^\s*(?P<app>[^@=\s][^@=]*?)\s*(?:@[^=]*)?=\s*(?P<seconds>[0-9]{1,10}(?:\.[0-9]{0,20})?)\s*$"
    )
    known = np.asarray(pc.is_valid(parts).to_numpy(zero_copy_only=False), bool)
    app = pc.struct_field(parts, "app").filter(pa.array(known)).dictionary_encode()
    seconds = pc.struct_field(parts, "seconds").filter(pa.array(known)).cast(pa.float64()).to_numpy(zero_copy_only=False)
    number = np.array([-1 if packages.fault(text) else packages.number(text) for text in app.dictionary.to_pylist()], np.int64)
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


def _greatest(key: I64, seconds: np.ndarray) -> tuple[I64, np.ndarray]:
    """Ascending unique keys, each with its greatest value."""
    order = np.lexsort((seconds, key))
    last = np.append(np.diff(key[order]) != 0, True)[: len(order)]
    return key[order][last], seconds[order][last]

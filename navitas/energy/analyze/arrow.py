"""The ledger as Arrow tables, for pandas, Parquet and other readers of Arrow. Needs pyarrow."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from navitas.base.new_files import new_file
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.ledger import NO_TEST, Ledger
from navitas.recording.parse.arrays import I32, I64, Bool

if TYPE_CHECKING:
    import pyarrow as pa


def energy_table(ledger: Ledger) -> pa.Table:
    """Return one row for each energy fact, with its dimensions. Names are dictionary-encoded.

    docs/python-api.md describes the columns. Rows of runs without probes have `baseline` set; totals exclude them.
    """
    import pyarrow as pa  # noqa: PLC0415

    energy, owners, tests = ledger.energy, ledger.owners, ledger.tests
    run = owners.run[energy.owner]
    is_test, is_thread = energy.test != NO_TEST, owners.kind[energy.owner] == OwnerKind.THREAD
    method = ledger.paths.method[energy.path]

    def named(values: tuple[str, ...], index: I64 | I32, known: Bool | None = None) -> pa.Array:
        codes, words = _codes(values)
        return _dictionary(codes[index] if len(codes) else np.zeros(len(index), np.int64), words, known)

    methods = ledger.methods.methods
    used, place = np.unique(method, return_inverse=True)
    columns = {
        "run": pa.array(np.array([entry.id for entry in ledger.runs] or [0])[run]),
        "repeat": pa.array(np.array([entry.repeat for entry in ledger.runs] or [0])[run]),
        "baseline": pa.array(np.array([entry.baseline for entry in ledger.runs] or [False])[run]),
        "test_module": named(tests.module, energy.test, is_test),
        "test_class": named(tests.class_name, energy.test, is_test),
        "test_method": named(tests.method, energy.test, is_test),
        "status": named(tests.status, energy.test, is_test),
        "owner": _dictionary(owners.kind[energy.owner], [kind.name.lower() for kind in OwnerKind], None),
        "thread": named(owners.name, energy.owner, is_thread),
        "tid": pa.array(owners.tid[energy.owner], mask=~is_thread),
        "serial": pa.array(owners.serial[energy.owner], mask=~is_thread),
        "role": named(owners.role, energy.owner, is_thread),
        "component": _dictionary(energy.component, list(ledger.components), None),
        "path": pa.array(energy.path),
        "caller": pa.array(ledger.paths.parent[energy.path]),
    }
    fields = {"module": "module", "class": "class_name", "method": "name", "descriptor": "descriptor"}
    for column, field in fields.items():
        words = tuple(getattr(methods[i], field) if i >= 0 else "" for i in used.tolist())
        columns[column] = named(words, place, method >= 0)
    for column in ("exclusive_j", "raw_j", "variance_j2"):
        joules = getattr(energy, column)
        columns[column] = pa.array(joules, mask=(joules == 0) & ~owners.measured[energy.owner])
    return pa.table(columns)


def write_parquet(table: pa.Table, path: str | PathLike[str] | IO[bytes]) -> None:
    """Write a table as Parquet to a stream, a pipe or a file. A file is created atomically. Raises `OSError`."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    if not isinstance(path, str | PathLike) or (Path(path).exists() and not Path(path).is_file()):
        pq.write_table(table, path)
        return
    with new_file(Path(os.path.realpath(path)), shown=Path(path)) as out:
        pq.write_table(table, out)


def _codes(values: tuple[str, ...]) -> tuple[I64, list[str]]:
    known: dict[str, int] = {}
    codes = np.array([known.setdefault(value, len(known)) for value in values], np.int64)
    return codes, list(known)


def _dictionary(codes: NDArray[Any], words: list[str], known: Bool | None) -> pa.Array:
    """Return the words that the codes stand for, with nulls where `known` is false."""
    import pyarrow as pa  # noqa: PLC0415

    mask = None if known is None else ~known
    texts = [word.encode("utf-8", "replace").decode() for word in words]  # An untrusted manifest may have unpaired surrogates.
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=mask), pa.array(texts, pa.string()))

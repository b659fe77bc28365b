"""Columns of energy as Arrow tables, for pandas, Parquet and other readers of Arrow. Needs pyarrow."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING

from navitas.base.new_files import new_file
from navitas.energy.analyze.energy_columns import Columns, FigureColumn, NamedColumn

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_ROWS = 1 << 16
"""The rows of a record batch: readers of a stream or a mapped file need memory for one."""


def arrow_table(columns: Columns) -> pa.Table:
    """Return the columns as a table. Names are dictionary-encoded."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.table({name: _array(column) for name, column in columns.items()})


def write_parquet(table: pa.Table, path: str | PathLike[str] | IO[bytes]) -> None:
    """Write a table as Parquet to a stream, a pipe or a file. A file is created atomically. Raises `OSError`."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    if not isinstance(path, str | PathLike) or (Path(path).exists() and not Path(path).is_file()):
        pq.write_table(table, path)
        return
    with new_file(Path(os.path.realpath(path)), shown=Path(path)) as out:
        pq.write_table(table, out)


def write_feather(table: pa.Table, out: IO[bytes]) -> None:
    """Write a table as an Arrow IPC file (Feather version 2) to a stream. Raises `OSError`."""
    import pyarrow as pa  # noqa: PLC0415

    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=_BATCH_ROWS)


def _array(column: FigureColumn) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415

    values = pa.array(column.values, mask=column.is_null)
    if not isinstance(column, NamedColumn):
        return values
    texts = [name.encode("utf-8", "replace").decode() for name in column.names]  # Untrusted names may have unpaired surrogates.
    return pa.DictionaryArray.from_arrays(values, pa.array(texts, pa.string()))

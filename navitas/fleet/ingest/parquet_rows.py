"""Samples as Parquet, with the columns of JSON lines, some rows at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from navitas.base.untrusted_text import printable
from navitas.fleet.files import FleetError, one_line
from navitas.fleet.ingest.column_map import ColumnMap
from navitas.fleet.ingest.raw import COLUMNS, LATEST_S, RowBatch, missing_of, split_texts
from navitas.fleet.ingest.typed_texts import times

MAGIC = b"PAR1"
"""How files begin and end."""
_ROWS = 1 << 15
_SHOWN = 100
_REMEDY = "See docs/fleet-reference.md for the columns and their types."


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """A Parquet file of samples."""

    path: Path
    columns: ColumnMap = field(default_factory=ColumnMap)

    def batches(self) -> Iterator[RowBatch]:
        """Yield batches of rows.

        Raises `FleetError` for a damaged file, and for a column that is missing, twice there, or of a wrong type.
        """
        number = 1
        try:
            with pq.ParquetFile(self.path) as file:
                names = file.schema_arrow.names
                self.columns.check(str(self.path), names)
                sources = self.columns.sources(names)
                if missing := missing_of(sources):
                    raise FleetError(f"{self.path}: has no column {', '.join(missing)}", _REMEDY)
                if twice := [name for name in sources.values() if names.count(name) > 1]:
                    raise FleetError(f"{self.path}: has the column {', '.join(twice)} twice", "Name each column once.")
                unknown = self.columns.ignored(dict.fromkeys(names, file.metadata.num_rows))
                for batch in file.iter_batches(_ROWS, columns=[*sources.values()]):
                    given = pa.Table.from_batches([batch])
                    table = self._typed(pa.table({target: given[name] for target, name in sources.items()}))
                    numbers = range(number, number + table.num_rows)
                    yield RowBatch(table, numbers, ignored=unknown)
                    number, unknown = numbers.stop, Counter()
        except (OSError, pa.ArrowException) as error:
            raise FleetError(f"{self.path}: not a readable Parquet file: {one_line(error)}", "Write the file again.") from error

    def _typed(self, table: pa.Table) -> pa.Table:
        columns = []
        for wanted in COLUMNS:
            if wanted.name not in table.column_names:
                columns.append(pa.chunked_array([pa.nulls(table.num_rows, wanted.type)]))
                continue
            column = table[wanted.name]
            try:
                columns.append(_column(column, wanted))
            except pa.ArrowException as error:
                what = f"{self.path}: column {wanted.name} has the type {printable(str(column.type), _SHOWN)}"
                read = isinstance(error, pa.ArrowNotImplementedError | pa.ArrowTypeError)
                fault = "which is not read" if read else "and a value that cannot be read"
                raise FleetError(f"{what}, {fault}; it takes {_accepted(wanted)}", _REMEDY) from error
        return pa.table(columns, schema=COLUMNS).combine_chunks()


def _accepted(field: pa.Field) -> str:
    """The types of columns that can be read, as words."""
    if field.name == "time":
        return "timestamps, seconds or milliseconds since 1970, or ISO 8601 texts"
    if pa.types.is_list(field.type):
        maps = "" if field.name == "apps" else ", or maps of texts to numbers"
        return f"lists of texts{maps}, or texts with spaces between the names"
    return {pa.bool_(): "booleans", pa.string(): "texts"}.get(field.type, "numbers")


def _column(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    """A column in the type of the input. Raises `pa.ArrowException`."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if field.name == "time":
        if pa.types.is_timestamp(kind):
            return pc.divide(column.cast(pa.timestamp("us", kind.tz)).cast(pa.int64()).cast(pa.float64()), 1e6)
        if pa.types.is_large_string(kind) or pa.types.is_string(kind):
            return times(column.cast(pa.string()))
        numbers = column.cast(pa.float64())
        return pc.if_else(pc.greater(pc.abs(numbers), LATEST_S), pc.divide(numbers, 1000.0), numbers)
    if pa.types.is_list(field.type):
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return split_texts(column.cast(pa.string())).cast(field.type)
        if pa.types.is_map(kind):
            return pa.chunked_array([_entries(chunk) for chunk in column.chunks], field.type)
    return column.cast(field.type)


def _entries(maps: pa.MapArray) -> pa.ListArray:
    """Lists of `key=value`."""
    texts = pc.binary_join_element_wise(maps.keys.cast(pa.string()), maps.items.cast(pa.float64()).cast(pa.string()), "=")
    return pa.ListArray.from_arrays(maps.offsets, texts, mask=maps.is_null() if maps.null_count else None)

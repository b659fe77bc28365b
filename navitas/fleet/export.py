"""Tables written block by block as CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from navitas.errors import UsageError
from navitas.fleet.files import FleetError
from navitas.fleet.formulas import guarded_column
from navitas.new_files import replacing

ENDINGS = (".csv", ".parquet")


def check_export(file: Path) -> None:
    """Raise `UsageError` if the file name ends in neither .csv nor .parquet, or names a folder."""
    if file.suffix not in ENDINGS or file.is_dir():
        raise UsageError(f"{file}: not a CSV or Parquet file name", "End it in .csv or .parquet.")


def export(file: Path, schema: pa.Schema, tables: Iterable[pa.Table]) -> int:
    """Write tables of one schema, and return the number of rows. The file is complete or absent. Raises FleetError.

    In CSV, lists are joined with spaces, and texts are guarded against formulas.
    """
    flat = pa.schema([pa.field(one.name, pa.string() if pa.types.is_list(one.type) else one.type) for one in schema])
    rows = 0
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        is_csv = file.suffix == ".csv"
        with (
            replacing(file) as made,
            pa_csv.CSVWriter(made, flat) if is_csv else pq.ParquetWriter(made, schema) as writer,
        ):
            for table in tables:
                writer.write_table(_joined(table, flat) if is_csv else table)
                rows += table.num_rows
    except (OSError, pa.ArrowException) as error:
        raise FleetError(f"{file}: cannot be written: {error}", "Free some space, or name another file.") from error
    return rows


def _joined(table: pa.Table, flat: pa.Schema) -> pa.Table:
    columns = [pc.binary_join(table[one.name], " ") if pa.types.is_list(one.type) else table[one.name] for one in table.schema]
    columns = [guarded_column(one) if pa.types.is_string(one.type) else one for one in columns]
    return pa.table(columns, schema=flat)

"""The tidy table as a Parquet file, for pandas, DuckDB, R and other tools."""

from __future__ import annotations

from typing import IO

from navitas.energy.analyze.arrow import arrow_table, write_parquet
from navitas.energy.analyze.energy_columns import method_columns
from navitas.energy.analyze.profile import Profile
from navitas.report.format import Format


def write(profile: Profile, out: IO[bytes]) -> None:
    """Write one row for each run, test, thread, method and component (`method_columns`)."""
    write_parquet(arrow_table(method_columns(profile.tables)), out)


FORMAT = Format(
    "parquet",
    ".parquet",
    "energy by test, thread, method and component as a table",
    write,
    binary=True,
    needs=("pyarrow",),
)

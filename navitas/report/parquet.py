"""Every fact of energy as a Parquet file, for pandas, DuckDB, R and others."""

from __future__ import annotations

from typing import IO

from navitas.analyze.profile import Profile
from navitas.report.format import Format


def write(profile: Profile, out: IO[bytes]) -> None:
    """One row for each fact of energy (columns: `navitas.analyze.arrow.energy_table`)."""
    profile.write_parquet(out)


FORMAT = Format(
    "parquet",
    ".parquet",
    "every fact of energy as a table",
    write,
    binary=True,
    needs=("pyarrow",),
    install="navitas[arrow]",
)

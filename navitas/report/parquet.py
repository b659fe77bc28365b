"""All energy facts as a Parquet file, for pandas, DuckDB, R and other tools."""

from __future__ import annotations

from typing import IO

from navitas.energy.analyze.profile import Profile
from navitas.report.format import Format


def write(profile: Profile, out: IO[bytes]) -> None:
    """Write one row for each energy fact (columns: `navitas.energy.analyze.arrow.energy_table`)."""
    profile.write_parquet(out)


FORMAT = Format(
    "parquet",
    ".parquet",
    "every fact of energy as a table",
    write,
    binary=True,
    needs=("pyarrow",),
)

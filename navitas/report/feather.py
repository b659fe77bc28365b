"""The tidy table as an Arrow IPC file (Feather), for pandas, Polars, R and other readers of Arrow."""

from __future__ import annotations

from typing import IO

from navitas.energy.analyze.arrow import arrow_table, write_feather
from navitas.energy.analyze.energy_columns import method_columns
from navitas.energy.analyze.profile import Profile
from navitas.report.format import Format


def write(profile: Profile, out: IO[bytes]) -> None:
    """Write one row for each run, test, thread, method and component (`method_columns`)."""
    write_feather(arrow_table(method_columns(profile.tables)), out)


FORMAT = Format("arrow", ".arrow", "the same table as an Arrow file (Feather)", write, binary=True, needs=("pyarrow",))

"""The times of a store's first and last samples."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from navitas.fleet.files import RESTORE, FleetError, read_table
from navitas.fleet.period import Period
from navitas.fleet.store import Store
from navitas.regular_files import check_regular

_TIME = "time_s"


def first_and_last_s(store: Store, period: Period) -> tuple[int, int] | None:
    """The Unix times of the first and the last sample in a period; None without samples in it."""
    found = [*_spans(store, period)]
    return (min(first for first, _ in found), max(last for _, last in found)) if found else None


def has_samples(store: Store, period: Period) -> bool:
    """Whether any sample is in the period."""
    return next(_spans(store, period), None) is not None


def day(time_s: int) -> str:
    """The UTC day of a time."""
    return datetime.fromtimestamp(time_s, UTC).date().isoformat()


def _spans(store: Store, period: Period) -> Iterator[tuple[int, int]]:
    """The first and last time in the period, by part that has any."""
    for unit, files in store.parts().items():
        for file in files if period.has_month(unit.month) else ():
            for first, last in _of_groups(file):
                if period.since_s <= first and last < period.until_s:
                    yield first, last
                elif first < period.until_s and period.since_s <= last:
                    time_s = read_table(file, [_TIME])[_TIME].to_numpy()
                    inside = time_s[(time_s >= period.since_s) & (time_s < period.until_s)]
                    if len(inside):
                        yield int(inside.min()), int(inside.max())


def _of_groups(file: Path) -> Iterator[tuple[int, int]]:
    """The first and last time of each row group, from the file's statistics."""
    try:
        check_regular(file)
        metadata = pq.read_metadata(file)
        column = metadata.schema.to_arrow_schema().get_field_index(_TIME)
        groups = [metadata.row_group(number).column(column).statistics for number in range(metadata.num_row_groups)]
    except (OSError, pa.ArrowException) as error:
        raise FleetError(f"{file}: cannot be read: {error}", RESTORE) from error
    for one in groups:
        if one is None or not one.has_min_max:
            if len(time_s := read_table(file, [_TIME])[_TIME].to_numpy()):
                yield int(time_s.min()), int(time_s.max())
            return
        yield int(one.min), int(one.max)

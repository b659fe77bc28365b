"""Exports of the same samples, as analysts have them: levels as fractions, other names of columns, a row for each app."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa

Row = dict[str, object]
_COLUMNS = ("client", "time", "level", "state", "screen", "network", "model", "os", "uptime_s", "screen_on_s")
_ZONE = timezone(timedelta(hours=2))
_OTHER_NAMES = {
    "device_id": "client",
    "timestamp": "time",
    "battery_level": "level",
    "battery_status": "state",
    "running": "apps",
}


@dataclass(frozen=True, slots=True)
class Export:
    """How an analyst's table differs from plain rows. `fields`: the field of each column that has another name."""

    rows: Callable[[Row], Iterable[Row]]
    fields: dict[str, str] = field(default_factory=dict)

    def write(self, file: Path, rows: Iterable[Row]) -> None:
        """Write plain rows in this form, as CSV."""
        written = [changed for row in rows for changed in self.rows(row)]
        with file.open("w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, list(written[0]))
            writer.writeheader()
            writer.writerows(written)


def plain_rows(samples: pa.Table) -> Iterator[Row]:
    """Yield rows of samples for CSV. A full battery is charging, since not all exports can show the difference."""
    for row in samples.to_pylist():
        state = "discharging" if row["state"] == "discharging" else "charging"
        yield {**{name: row[name] for name in _COLUMNS}, "state": state, "apps": " ".join(row["apps"])}


def _iso(row: Row) -> Iterator[Row]:
    yield {**row, "time": datetime.fromtimestamp(float(str(row["time"])), _ZONE).isoformat()}


def _is_charging(row: Row) -> Iterator[Row]:
    yield {**{name: value for name, value in row.items() if name != "state"}, "is_charging": row["state"] == "charging"}


def _by_app(row: Row) -> Iterator[Row]:
    """A row for each running app, or one without an app."""
    for app in str(row["apps"]).split() or [""]:
        yield {**{name: value for name, value in row.items() if name != "apps"}, "app": app}


def _renamed(row: Row) -> Iterator[Row]:
    names = {name: column for column, name in _OTHER_NAMES.items()}
    yield {names.get(name, name): value for name, value in row.items()}


PLAIN = Export(lambda row: (row,))
EXPORTS = {
    "levels as fractions": Export(lambda row: ({**row, "level": float(str(row["level"])) / 100},)),
    "other names of columns": Export(_renamed, _OTHER_NAMES),
    "ISO times": Export(_iso),
    "is_charging": Export(_is_charging, {"is_charging": "state"}),
    "a row for each app": Export(_by_app, {"app": "apps"}),
}

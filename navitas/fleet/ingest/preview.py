"""What a file's first rows are understood as. Nothing is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from navitas.fleet.files import FleetError
from navitas.fleet.ingest.checks import Checked, check
from navitas.fleet.ingest.column_map import PERCENT, ColumnMap
from navitas.fleet.ingest.raw import COLUMNS, RowBatch
from navitas.fleet.ingest.source import SourceFile, source_name
from navitas.fleet.schema import PPM, State

_MOST_APPS = 3


@dataclass(frozen=True, slots=True)
class Understood:
    """A column of the input, the file's column that it is read from, and its first value in words."""

    column: str
    source: str
    value: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a file: columns, rows by reason of refusal, values that are not read, and known states."""

    name: str
    columns: Sequence[Understood]
    rows: int
    refused: Counter[str]
    ignored: Counter[str]
    has_states: bool


def preview(file: Path, client: str, columns: ColumnMap, now_s: float) -> Preview:
    """Read the first rows, of several MB. Raises `FleetError` as ingesting them would."""
    source = SourceFile(file)
    source.check_text()
    source.open()
    batch = RowBatch(COLUMNS.empty_table())
    for read in source.reads(client, columns):
        batch = read()
        if batch.table.num_rows or batch.refused:
            break
    name = source_name(file)
    columns.check_levels(name, batch)
    refused = Counter(refusal.reason for refusal in batch.refused)
    rows = batch.table.num_rows + len(batch.refused)
    if not batch.table.num_rows:
        return Preview(name, (), rows, refused, batch.ignored, False)
    checked = check(batch.table, "", now_s, scale=PERCENT if columns.scale is None else columns.scale)
    refused.update(reason for reason in checked.reason.tolist() if reason)
    has_states = bool((checked.columns["state"].to_numpy()[checked.reason == ""] != State.UNKNOWN).any())
    return Preview(name, _understood(batch, checked, columns), rows, refused, batch.ignored + checked.ignored, has_states)


def _understood(batch: RowBatch, checked: Checked, columns: ColumnMap) -> list[Understood]:
    by_field = {target: name for name, target in columns.columns.items()}
    understood = []
    for name in COLUMNS.names:
        values = batch.table[name]
        row = next((number for number, value in enumerate(values) if value.is_valid), None)
        if row is not None:
            understood.append(Understood(name, by_field.get(name, name), _in_words(name, values[row].as_py(), checked, row)))
    return understood


def _in_words(name: str, value: object, checked: Checked, row: int) -> str:
    if name == "time" and isinstance(value, float):
        try:
            return f"{datetime.fromtimestamp(value, UTC):%Y-%m-%d %H:%M:%S} UTC"
        except (ValueError, OverflowError, OSError):
            return f"{value:g} s"
    if name == "level" and not checked.reason[row]:
        return f"{checked.columns['level_ppm'][row].as_py() * 100 / PPM:g} %"
    if name == "charging":
        return State.CHARGING.name.lower() if value else State.DISCHARGING.name.lower()
    if isinstance(value, list):
        more = len(value) - _MOST_APPS
        return f"{len(value)}: {', '.join(map(str, value[:_MOST_APPS]))}{f' and {more} more' if more > 0 else ''}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def preview_or_error(file: Path, client: str, columns: ColumnMap, now_s: float) -> Preview | FleetError:
    """The preview of a file, or why it cannot be ingested."""
    try:
        return preview(file, client, columns, now_s)
    except FleetError as error:
        return error

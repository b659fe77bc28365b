"""Selects the reader of a source, by file extension or else by content."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Protocol

from navitas.fleet.files import FleetError
from navitas.fleet.ingest.checkin import CheckinReader
from navitas.fleet.ingest.csv_lines import CsvReader
from navitas.fleet.ingest.json_lines import JsonReader
from navitas.fleet.ingest.raw import RowBatch
from navitas.line_blocks import LineBlock

_JSON, _CSV = (".jsonl", ".json", ".ndjson"), (".csv",)
_FOR_PEOPLE = re.compile(rb"Battery History|Statistics since last charge")
_CHECKIN = re.compile(rb"\d{1,2},(\d+,[a-z],|h,|hsp,)")


class Reader(Protocol):
    """Reads a source's blocks, in order unless `reads_in_any_order`."""

    @property
    def reads_in_any_order(self) -> bool:
        """Whether the rows of a block do not depend on earlier blocks."""
        ...

    @property
    def client_column(self) -> int:
        """The index of the client among a line's comma-separated cells; −1 if lines have no cells."""
        ...

    def read(self, block: LineBlock) -> RowBatch:
        """The rows that are complete after these lines."""
        ...

    def end(self) -> RowBatch:
        """The rows that are complete at the end of the source."""
        ...


def reader_of(name: str, first: LineBlock, client: str) -> Reader:
    """The reader for a file by its name and first block. Raises `FleetError` if there is none.

    `client` is the phone of a batterystats history. `{name}` in it stands for the file name without extensions.
    """
    path = PurePath(name)
    ending = path.with_suffix("").suffix if path.suffix in (".gz", ".zst") else path.suffix
    line = next(iter(first.lines), b"").lstrip()
    if ending in _JSON or line.startswith(b"{"):
        return JsonReader()
    if any(_CHECKIN.match(one) for one in first.lines[:100]):
        if not client:
            raise FleetError(
                f"{name}: a batterystats history does not name its phone",
                "Name the phone with --client NAME; '{name}' stands for the file name.",
            )
        return CheckinReader(client.replace("{name}", path.name.partition(".")[0]))
    if ending in _CSV or b"client" in line:
        return CsvReader(name=name)
    if not first.lines:
        return JsonReader()
    if any(_FOR_PEOPLE.search(one) for one in first.lines[:100]):
        raise FleetError(
            f"{name}: this is the readable output of `dumpsys batterystats`, whose form differs between phones",
            "Use `dumpsys batterystats --checkin` (or -c), or `navitas fleet sample --history`.",
        )
    raise FleetError(
        f"{name}: not JSON lines, CSV, Parquet, or a history of `dumpsys batterystats --checkin`",
        "See docs/fleet-reference.md for the formats.",
    )

"""Which reader a source gets: by the ending of its name, else by how it begins."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Protocol

from navitas.fleet.files import FleetError
from navitas.fleet.ingest.checkin import CheckinReader
from navitas.fleet.ingest.csv_lines import CsvReader
from navitas.fleet.ingest.json_lines import JsonReader
from navitas.fleet.ingest.lines import LineBlock
from navitas.fleet.ingest.raw import RowBatch

_JSON, _CSV = (".jsonl", ".json", ".ndjson"), (".csv",)
_FOR_PEOPLE = re.compile(rb"Battery History|Statistics since last charge")
_CHECKIN = re.compile(rb"\d{1,2},(\d+,[a-z],|h,|hsp,)")


class Reader(Protocol):
    """Reads a source's blocks in their order."""

    @property
    def client_column(self) -> int:
        """Which cell of a line, between commas, names the client; −1 where lines are no cells."""
        ...

    def read(self, block: LineBlock) -> RowBatch:
        """The rows that are complete with these lines."""
        ...

    def end(self) -> RowBatch:
        """The rows that are complete with the end of the source."""
        ...


def reader_of(name: str, first: LineBlock, client: str) -> Reader:
    """The reader of a file that is called so, and begins so. FleetError when there is none.

    `client` is whose history it is, for those name none; `{name}` in it stands for the file's name without its endings.
    """
    path = PurePath(name)
    ending = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    line = next(iter(first.lines), b"").lstrip()
    if ending in _JSON or line.startswith(b"{"):
        return JsonReader()
    if any(_CHECKIN.match(one) for one in first.lines[:100]):
        if not client:
            raise FleetError(
                f"{name}: a history of batterystats does not say of which phone it is",
                "Name the phone with --client NAME; '{name}' stands for the file's name.",
            )
        return CheckinReader(client.replace("{name}", path.name.partition(".")[0]))
    if ending in _CSV or b"client" in line:
        return CsvReader(name=name)
    if not first.lines:
        return JsonReader()
    if any(_FOR_PEOPLE.search(one) for one in first.lines[:100]):
        raise FleetError(
            f"{name}: is what `dumpsys batterystats` tells people, whose form differs from phone to phone",
            "Take it with `dumpsys batterystats --checkin` (or -c), or by `navitas fleet sample --history`.",
        )
    raise FleetError(
        f"{name}: holds neither JSON lines nor CSV nor a history of `dumpsys batterystats --checkin`",
        "See docs/fleet.md for what can be ingested.",
    )

"""Samples for tests of the fleet: rows in the input format, files of rows, and contents of stores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from navitas.fleet.files import read_table
from navitas.fleet.schema import SAMPLES
from navitas.fleet.store import Store

NOW_S = 1_790_000_000.0
"""The current time while tests ingest."""


def row(client: str = "phone-1", time: object = 1_700_000_000, level: object = 80, **more: object) -> dict[str, object]:
    """Return a row in the input format."""
    return {"client": client, "time": time, "level": level, "state": "discharging", "apps": ["a@1", "b"], **more}


def json_lines(file: Path, rows: Iterable[Mapping[str, object] | str]) -> Path:
    """Write rows as JSON, and bytes unchanged."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return file


def stored(path: Path) -> list[dict[str, Any]]:
    """Return all rows of a store in order of client and time; apps by name."""
    store = Store.open(path)
    names = [f"{one['app']}@{one['version']}" for one in store.packages().to_pylist()]
    rows = [one for files in store.parts().values() for file in files for one in read_table(file).cast(SAMPLES).to_pylist()]
    for one in rows:
        one["apps"] = sorted(names[number] for number in one["apps"])
        for name in ("foreground", "running"):
            if (numbers := one[f"{name}_apps"]) is not None:
                order = sorted(range(len(numbers)), key=lambda place, of=numbers: names[of[place]])
                one[f"{name}_apps"], one[f"{name}_ms"] = (
                    [names[numbers[i]] for i in order],
                    [one[f"{name}_ms"][i] for i in order],
                )
        one["foreground"] = None if one["foreground"] is None else names[one["foreground"]]
    return sorted(rows, key=lambda one: (one["client"], one["time_s"]))


def quarantined(path: Path) -> list[dict[str, Any]]:
    """All refused rows of a store."""
    return [json.loads(line) for file in sorted((path / "quarantine").glob("*.jsonl")) for line in file.read_text().splitlines()]

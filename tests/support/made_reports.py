"""JSON reports of a made-up session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

BASE_J = 40.5
START = datetime(2026, 1, 1)
SECONDS = count()


def sort_report(
    sort_j: Sequence[float], model: str = "Made", sha256: str = "0", level: str = "sched", cut: int = -1
) -> dict[str, Any]:
    """A JSON report of a test that sorts, and one whose app always needs 5 J. Base energy is far larger."""

    def test(name: str, repeat: int, energy_j: float) -> dict[str, Any]:
        joules = {"sort": energy_j, "tiny": 0.001, "rare": 0.0} if name == "sorts" else {}
        methods = [
            {"module": ":", "class": "a.Sorter", "name": one, "descriptor": "()V", "exclusive_j": value}
            for one, value in joules.items()
        ]
        threads = [
            {"name": "main", "role": "app", "energy_j": energy_j, "methods": methods},
            {"name": "writer", "role": "profiler", "energy_j": 0.0, "methods": []},
        ]
        return {
            "module": ":app", "class": "a.SortTest", "method": name, "repeat": repeat, "energy_j": energy_j + BASE_J,
            "status": "cut" if repeat == cut else "passed", "components": {"cpu": energy_j + BASE_J},
            "app_components": {"cpu": energy_j}, "base_components": {"cpu": BASE_J}, "threads": threads,
        }  # fmt: skip

    tests = [test(name, i, joules) for i, one in enumerate(sort_j) for name, joules in (("sorts", one), ("waits", 5.0))]
    return {
        "schema_version": 2, "created_utc": f"{START + timedelta(seconds=next(SECONDS)):%Y-%m-%dT%H:%M:%SZ}",
        "device": {"kind": "phone", "model": model}, "power_profile": {"sha256": sha256},
        "evidence": {"components": {"cpu": {"level": level}}}, "tests": tests, "later": 1,
    }  # fmt: skip


def write(folder: Path, *reports: dict[str, Any]) -> str:
    """Write reports into a new folder, and return its path."""
    folder.mkdir()
    for number, report in enumerate(reports):
        (folder / f"{number}.json").write_text(json.dumps(report))
    return str(folder)

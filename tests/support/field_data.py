"""Data of real devices and of Android's own tests. It belongs to others, so it is not in the repository."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from pathlib import Path

import pytest

FIELD_DATA = Path(os.environ.get("NAVITAS_FIELD_DATA") or Path(__file__).parents[3] / "shared/field")
"""The folder of `NAVITAS_FIELD_DATA`, by default `shared/field` next to the checkout. It may not exist."""
NO_FIELD_DATA = "no field data: NAVITAS_FIELD_DATA names no folder"

needs_field_data = pytest.mark.skipif(not FIELD_DATA.is_dir(), reason=NO_FIELD_DATA)


def metered_sessions() -> dict[str, list[list[float]]]:
    """The joules of each run, by session, of the apps that a power meter measured."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with (FIELD_DATA / "monsoon/nexus5x_monsoon.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[f"{row['app']} {row['intensity']}".strip()][row["session"]].append(float(row["energy_j"]))
    return {app: [runs for _, runs in sorted(sessions.items())] for app, sessions in found.items()}

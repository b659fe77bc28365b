"""Data of real devices and of Android's own tests. It belongs to others, so it is not in the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FIELD_DATA = Path(os.environ.get("NAVITAS_FIELD_DATA") or Path(__file__).parents[3] / "shared/field")
"""The folder of `NAVITAS_FIELD_DATA`, by default `shared/field` next to the checkout. It may not exist."""
NO_FIELD_DATA = "no field data: NAVITAS_FIELD_DATA names no folder"

needs_field_data = pytest.mark.skipif(not FIELD_DATA.is_dir(), reason=NO_FIELD_DATA)

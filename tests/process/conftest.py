"""Tests of single modules that start processes. They use the helpers of tests/unit."""

from __future__ import annotations

import sys
from pathlib import Path

UNIT = Path(__file__).parents[1] / "unit"
sys.path += [str(UNIT), *(str(folder) for folder in sorted(UNIT.rglob("*")) if folder.is_dir() and any(folder.glob("*.py")))]

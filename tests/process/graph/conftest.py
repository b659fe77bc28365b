"""Makes the modules of tests/unit/graph and tests/unit/attribute importable here."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "unit" / name) for name in ("graph", "attribute")]

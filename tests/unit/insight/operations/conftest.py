"""A recording of block counts, with its census and a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.counted_files import CountedFiles


@pytest.fixture
def counted(tmp_path: Path) -> CountedFiles:
    """Two equal runs, in which the loop's body ran 50 times in each of 4 calls."""
    return CountedFiles(tmp_path, [(4, 200), (4, 200)])

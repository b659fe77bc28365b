"""Reports of the same recording are identical, although each analysis hashes call paths with random words."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.reports import output_of

import navitas
from navitas.report.registry import format_names

GOLDEN = Path(__file__).parents[2] / "golden/recording-v1"


@pytest.mark.parametrize("name", format_names())
def test_two_reports_are_equal(name: str) -> None:
    assert len({output_of(name, navitas.load(GOLDEN)) for _ in range(4)}) == 1

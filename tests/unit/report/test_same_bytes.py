"""Reports of the same recording are identical, although each analysis hashes call paths with random words."""

from __future__ import annotations

import pytest
from support.golden import GOLDEN
from support.reports import output_of

import navitas
from navitas.report.registry import format_names


@pytest.mark.parametrize("name", format_names())
def test_two_reports_are_equal(name: str) -> None:
    assert len({output_of(name, navitas.load(GOLDEN)) for _ in range(4)}) == 1

"""Reports of the same recording are identical, although each analysis hashes call paths with random words."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import navitas
from navitas.report.registry import find_format, format_names

GOLDEN = Path(__file__).parents[2] / "golden/recording-v1"


def written(name: str) -> bytes:
    form = find_format(name)
    out = io.BytesIO() if form.binary else io.StringIO()
    form.write(navitas.load(GOLDEN), out)
    data = out.getvalue()
    return data if isinstance(data, bytes) else data.encode()


@pytest.mark.parametrize("name", format_names())
def test_two_reports_are_equal(name: str) -> None:
    assert len({written(name) for _ in range(4)}) == 1

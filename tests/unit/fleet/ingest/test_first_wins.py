"""In any order and grouping of files, the first row of each client and second is stored. The others are counted."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.fleet_samples import NOW_S, json_lines, row, stored

from navitas.fleet.ingest import ingest_files, source
from navitas.fleet.schema import client_number
from navitas.fleet.store import Store

ROWS = st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 2), st.sampled_from([[], ["x"], ["x", "y@1"]]))
# Two months, so that units differ.
START_S = 1_701_388_798


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(ROWS, min_size=1, max_size=8), min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 5))
def test_the_first_row_of_a_moment_is_stored(
    uploads: list[list[tuple[str, int, int, list[str]]]], together: int, cut: int
) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest_files, "GROUP_SOURCES", together)
        patch.setattr(source, "BLOCK", 200)
        folder = Path(name)
        rows = [[row(c, START_S + t, level, apps=apps) for c, t, level, apps in upload] for upload in uploads]
        files = [json_lines(folder / f"{number}.jsonl", upload) for number, upload in enumerate(rows)]
        fleet = Store.create(folder / "fleet", buckets=2, salt="s").path
        outcomes = [one for part in (files[:cut], files[cut:]) for one in ingest_files.ingest(fleet, part, now_s=NOW_S)]
        first: dict[tuple[str, object], dict[str, object]] = {}
        seen: set[str] = set()
        for upload, outcome in zip(rows, outcomes, strict=True):
            content = json.dumps(upload)
            assert outcome.known == (content in seen)
            accepted = duplicates = contradicting = 0
            for one in () if content in seen else upload:
                stays = first.setdefault((str(one["client"]), one["time"]), one)
                accepted += stays is one
                duplicates += stays is not one
                contradicting += stays != one
            seen.add(content)
            assert (outcome.accepted, outcome.duplicates, outcome.contradicting) == (accepted, duplicates, contradicting)
        expected = [
            (client_number(str(one["client"]), "s"), one["time"], one["level"], sorted(_full(app) for app in one["apps"]))  # type: ignore[attr-defined]
            for one in first.values()
        ]
        found = [(one["client"], one["time_s"], one["level_ppm"] / 10_000, one["apps"]) for one in stored(fleet)]
        assert found == sorted(expected, key=lambda one: one[:2])


def _full(app: str) -> str:
    return app if "@" in app else f"{app}@"

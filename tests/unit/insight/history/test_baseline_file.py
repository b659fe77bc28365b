"""Baselines as JSON files for a repository: what comes back, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.made_sessions import TEST, made_session

from navitas.base.errors import HistoryError
from navitas.insight.compare.session import Session, TestRun
from navitas.insight.history.baseline_file import baseline_text, read_baseline
from navitas.insight.history.stored_session import is_same

SESSIONS = [made_session([10.0 + i, 10.123456], i, revision="a" * 40) for i in range(3)]


def written(folder: Path, *sessions: Session) -> Path:
    file = folder / "navitas-baseline.json"
    file.write_text(baseline_text(sessions))
    return file


def test_sessions_come_back_with_four_digits(tmp_path: Path) -> None:
    found = read_baseline(written(tmp_path, *reversed(SESSIONS)))
    assert [one.created_utc for one in found] == [one.created_utc for one in SESSIONS]
    for old, new in zip(SESSIONS, found, strict=True):
        assert new.tests[TEST][1].methods["a.Sorter.sort()V"] == 10.12 and new.repeats == old.repeats
        assert new.origin == old.origin and new.conditions == old.conditions and new.not_passed == old.not_passed
        assert is_same(old, new), "a session is found again"


def test_another_session_only_adds_lines(tmp_path: Path) -> None:
    two, three = (set(baseline_text(SESSIONS[:count]).splitlines()) for count in (2, 3))
    assert {line.rstrip(",") for line in two} < {line.rstrip(",") for line in three}
    assert baseline_text(read_baseline(written(tmp_path, *SESSIONS))) == baseline_text(SESSIONS), "also if it is read and written"


def test_methods_with_little_energy_are_one_row_and_sums_stay(tmp_path: Path) -> None:
    methods = {"a.Sorter.sort()V": 10.0, ":lib:a.B.x()V": 0.001, ":lib:a.B.y()V": 0.002, "a.C.z()V": 0.003}
    tests = {TEST: {0: TestRun({"app": {"cpu": 11.0}, "total": {"cpu": 20.0}}, {}, methods)}}
    (found,) = read_baseline(written(tmp_path, replace(SESSIONS[0], tests=tests, repeats=(0,))))
    rest = "(methods with less than 0.1 %)"
    assert found.tests[TEST][0].methods == {"a.Sorter.sort()V": 10.0, f":lib:{rest}": 0.003, rest: 0.003}


def test_an_empty_baseline_has_no_sessions(tmp_path: Path) -> None:
    assert read_baseline(written(tmp_path)) == []


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ('"navitas_baseline": 1', '"navitas_baseline": 2', "has version 2 of baselines, and this Navitas knows version 1"),
        ('"navitas_baseline": 1', '"x": 1', "is no baseline at navitas_baseline"),
        ("11.0", "1.0", "was changed after it was added"),
        ('"device": "phone"', '"device": "other"', "was changed after it was added"),
        ('"created_utc": "2026', '"created_utc": "x2026', "was changed after it was added"),
        ("[10.0, 10.12]", "[10.0]", "was changed after it was added"),
        ('"figures": [', '"figures": [3,', "is no baseline at figures"),
        ("{", "", "is no baseline"),
    ],
)
def test_what_is_changed_by_hand_or_newer_is_refused(old: str, new: str, part: str, tmp_path: Path) -> None:
    file = written(tmp_path, *SESSIONS)
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(HistoryError) as error:
        read_baseline(file)
    assert str(file) in error.value.message and part in error.value.message and error.value.remedy

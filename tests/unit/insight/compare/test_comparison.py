"""Comparisons of whole sessions, also with energies of any size."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.made_sessions import made_session

from navitas.insight.compare.comparison import compare
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import Subject
from navitas.insight.compare.versions import is_recording

SORT = Subject("method", "a.Sorter.sort()V")
JOULES = st.sampled_from([0.0, 5e-324, 1e-300, 1e-160, 1e-12, 1.0, 1.0 + 1e-15, 2.0, 1e9, -1.0])
SIDES = st.lists(st.lists(st.lists(JOULES, min_size=3, max_size=3), min_size=2, max_size=3), min_size=2, max_size=2)


def _side(runs: list[list[float]]) -> list[Session]:
    return [made_session(one, number) for number, one in enumerate(runs)]


def test_means_are_geometric_unless_some_energy_is_0() -> None:
    before, after = [[1.0, 4.0], [3.0, 5.0]], [[2.0, 2.0], [0.0, 6.0]]
    found = compare(_side(before), _side(after), FigureChoice(), together=False, margin_percent=5, least_share=0)
    change = next(one for one in found.changes if one.subject == SORT)
    assert change.before_j == pytest.approx(float(np.exp(np.mean([np.log(one).mean() for one in before]))))
    assert change.after_j == pytest.approx(2.5) and change.effect is None


@pytest.mark.parametrize(("other", "warns"), [("", False), ("21", True)])
def test_an_unknown_condition_is_no_difference(other: str, warns: bool) -> None:
    sides = [[replace(one, conditions={"compiler": java}) for one in _side([[1.0, 2.0]])] for java in ("17", other)]
    found = compare(*sides, FigureChoice(), together=True, margin_percent=5, least_share=0)
    assert any("compiler" in text for text in found.warnings) == warns


@settings(max_examples=60, deadline=None)
@given(sides=SIDES, together=st.booleans())
def test_energies_of_any_size_have_a_change_or_none(sides: list[list[list[float]]], together: bool) -> None:
    count = min(map(len, sides)) if together else 3
    before, after = (_side(side[:count]) for side in sides)
    found = compare(before, after, FigureChoice(), together=together, margin_percent=5, least_share=0)
    for one in found.changes:
        assert math.isfinite(one.before_j) and math.isfinite(one.after_j)
        assert one.effect is None or not any(map(math.isnan, (one.effect.percent, one.effect.low_percent or 0, one.p or 0)))


def test_a_name_of_a_session_that_cannot_be_a_path_is_no_recording() -> None:
    assert not is_recording(Path("a" * 5_000))

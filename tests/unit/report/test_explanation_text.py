"""Explanations as plain text of a bounded length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_profile import hostile_profile
from support.messenger_profile import messenger

from navitas.base.untrusted_text import is_printable
from navitas.insight.explain.explain import Explainer
from navitas.insight.explain.explanation import Explanation
from navitas.insight.explain.subjects import find_method
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.next_step import NextStep
from navitas.insight.verdict.statement import Statement
from navitas.insight.verdict.verdict import EnergyVerdict
from navitas.report.explanation_text import explanation_text


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    return Explainer(Figures(messenger())).recording()


def test_the_answer_comes_first_then_what_to_do_then_the_evidence(explanation: Explanation) -> None:
    text = explanation_text(explanation, "my rec", 4000)
    lines = text.splitlines()
    assert lines[0].startswith("Inbox.poll uses 6.00 ± 0.12 J of the app's 11.0 ± 0.2 J (55 ± 2 %)")
    heads = [line for line in lines if line in ("What to do", "Figures", "Tests", "Methods, by self energy", "Evidence")]
    assert heads == ["What to do", "Figures", "Tests", "Methods, by self energy", "Evidence"]
    assert any(line.split() == ["App", "energy", "11.0", "±", "0.2", "J"] for line in lines)
    assert any(
        line.split() == ["6.00", "J", "118", "mJ", "54.5", "%", "1", "org.example.Inbox.poll", "Inbox.java:34"] for line in lines
    )


@given(st.integers(200, 3000))
def test_the_text_keeps_its_bound_and_ends_with_a_whole_line(limit: int) -> None:
    explanation = Explainer(Figures(messenger())).recording()
    text = explanation_text(explanation, "rec", limit)
    assert len(text) <= limit and text.endswith("\n")
    whole = explanation_text(explanation, "rec", 100_000)
    if "(--limit)" in text:
        assert text.endswith(f"… cut after {limit:,} characters (--limit)\n")
        first, *lines = text.splitlines()[:-1]
        assert {*lines[:6]} <= {*whole.splitlines()}
        assert first == whole.splitlines()[0] or (not lines and first.endswith("…"))
    assert text.startswith("Inbox.poll")


def test_a_first_line_that_is_too_long_is_cut() -> None:
    statement = Statement("method", "Inbox.poll uses it all. " * 30)
    verdict = EnergyVerdict((statement,), (), NextStep(("navitas", "doctor"), "see"))
    text = explanation_text(Explanation("", "", verdict, {}, (), ()), "rec", 200)
    assert len(text) == 200
    answer, note = text.splitlines()
    assert answer.startswith("Inbox.poll uses it all.") and answer.endswith("…")
    assert note == "… cut after 200 characters (--limit)"


def test_tables_have_fewer_rows_before_text_is_cut(explanation: Explanation) -> None:
    whole = explanation_text(explanation, "rec", 100_000)
    shorter = explanation_text(explanation, "rec", len(whole) - 1)
    assert "more, with less energy" in shorter and "(--limit)" not in shorter


def test_hostile_names_cannot_steer_the_terminal() -> None:
    figures = Figures(hostile_profile())
    explainer = Explainer(figures)
    method = find_method(figures, figures.names.label(figures.methods[0].total.id))
    for explanation in (explainer.recording(), explainer.method(method), explainer.test(figures.groups[0])):
        for line in explanation_text(explanation, "rec\x1b[31m", 100_000).splitlines():
            assert is_printable(line)

"""What changed since an earlier recording, in a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.messenger_profile import messenger, polls, waits

from navitas.base.units import UNBROKEN
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.statement import Statement
from navitas.insight.verdict.verdict import verdict_of
from navitas.report.change import changed


def text_of(statement: Statement | None) -> str | None:
    return None if statement is None else statement.text.replace(UNBROKEN, " ")


def test_what_changed_since_an_earlier_recording_comes_first() -> None:
    before, after = Figures(messenger()), Figures(messenger(polls(poll_j=3.0), waits()))
    statement = verdict_of(after, changed(after, "rec/old", before)).statements[0]
    assert statement.rule == "changed" and statement.energy_j == pytest.approx(-3.0)
    assert text_of(statement) == "Since rec/old, app energy fell by 3.00 ± 0.27 J (27 %), most of all in Inbox.poll (3.00 J)."
    more = text_of(changed(before, "rec/old", after)) or ""
    assert more.startswith("Since rec/old, app energy rose by 3.00 ") and "Inbox.poll (3.00 J)" in more
    assert text_of(changed(before, "rec/old", before)) == (
        "No change of app energy since rec/old can be shown: between -2.8 % and +2.8 %."
    )


def test_what_changed_is_about_tests_of_both_recordings() -> None:
    alone, both = Figures(messenger(polls(poll_j=9.0))), Figures(messenger())
    text = text_of(changed(both, "old", alone)) or ""
    assert "fell by 3.00 " in text and "most of all in Inbox.poll (3.00 J)" in text
    assert changed(both, "old", Figures(messenger(replace(polls(), method="other")))) is None


def test_a_change_that_runs_do_not_show_has_its_interval() -> None:
    def runs(*poll_j: float) -> Figures:
        return Figures(messenger(*(polls(number, joules) for number, joules in enumerate(poll_j))))

    text = text_of(changed(runs(6.0, 12.0), "old", runs(5.0, 14.0))) or ""
    assert text.startswith("No change of app energy since old can be shown: between -") and text.count("%") == 2
    shown = text_of(changed(runs(3.0, 3.1), "old", runs(6.0, 6.1))) or ""
    assert shown.startswith("Since old, app energy fell by 3.00 J (-29.9 %, 95 %: -") and "most of all in Inbox.poll" in shown

"""The pages of comparisons and histories, and of fleets: the answer first, figures as in the terminal, names as text."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from support.answer_pages import PLAIN, TEXTS, compared, compared_text, fleet_text, history_text
from support.hostile_profile import HOSTILE
from support.html_pages import Page

from navitas.base.html_page.pictures import IntervalScale
from navitas.fleet.page.pictures import histogram_picture
from navitas.insight.compare.answer import change_statements
from navitas.report.change_pages.comparison_page import comparison_page


def statements(text: str) -> list[str]:
    """The sentences at the top of a page."""
    found = re.findall(r'<p class="statement">(.*?)</p>', text)
    return [unescape(one.replace("<wbr>", "")).replace("\u00a0", " ") for one in found]


def next_command(text: str) -> str:
    """The command at the top of a page, of parts that are not broken."""
    (command,) = re.findall(r'<p class="next">.*?<code>(.*?)</code>', text)
    return unescape(re.sub(r"<[^>]*>", "", command))


def plain(sentences: list[str]) -> str:
    return " ".join(sentences).replace("\u00a0", " ")


def test_a_comparison_says_what_changed_before_it_shows_it() -> None:
    text = compared_text()
    said = statements(text)
    assert re.match(r"All tests together use 1[5-9]\.\d % more app energy than before \(95 %: \+", said[0])
    assert said[1].startswith("Changed tests, 3 of 3: ") and said[2].startswith("Changed methods, 1 of ")
    assert text.index("statement") < text.index("<table")
    rows = Page(text).tables["changes"]
    assert rows[0][:3] == ["Figure", "Verdict", rows[0][2]] and rows[0][2].startswith("Scale: +0 to +")
    assert rows[1][0] == "all tests" and rows[1][1] == "different"
    assert text.count('class="interval more"') >= 4 and "style=" not in text


def test_a_comparison_says_what_the_data_does_not_show() -> None:
    alone = compared([10.0], [12.0])
    said = change_statements(alone)
    assert "It is not known whether app energy of all tests changed: the estimate is +" in plain(said)
    assert "it shows no change of any size" in said[-2] and "would show changes of 5 % in all of them" in said[-1]
    assert 'class="interval unsure"' in comparison_page(alone)
    several = plain(change_statements(compared([10.0, 11.0, 9.0], [10.2, 11.5, 9.1])))
    assert re.search(r"for them, it shows changes from about \d+ %", several)


def test_what_changed_chooses_the_next_step_before_what_is_not_known() -> None:
    changed = compared([10.0, 10.1, 9.9], [12.0, 12.1, 11.9])
    unknown = changed.comparison.changes[-1]
    assert unknown.verdict is not None
    undecided = replace(unknown, verdict=replace(unknown.verdict, word="not enough data"))
    comparison = replace(changed.comparison, changes=(*changed.comparison.changes[:-1], undecided))
    mixed, paths = replace(changed, comparison=comparison), ("old one", "new")
    calls = "navitas report new --before 'old one' --html calls.html"
    assert next_command(comparison_page(mixed, paths)) == next_command(comparison_page(changed, paths)) == calls
    assert "--repeat 20" in comparison_page(mixed) and "calls.html" not in comparison_page(mixed)
    same = comparison_page(compared([10.0, 10.01, 9.99], [10.01, 10.0, 9.99]), paths)
    assert "calls.html" not in same


def test_a_change_above_all_percentages_is_a_factor() -> None:
    said = plain(change_statements(compared([1.0, 1.01, 0.99], [100.0, 101.0, 99.0])))
    assert said.startswith("All tests together use over 10 times as much app energy as before (95 %: ")
    assert "use >" not in said


def test_a_comparison_of_the_same_code_says_so() -> None:
    said = plain(change_statements(compared([10.0, 10.01, 9.99], [10.01, 10.0, 9.99])))
    assert "All tests together use as much app energy as before: the change, " in said
    assert "No test is known to have changed (0 of 3)." in said


def test_a_history_names_the_sessions_of_a_change_and_the_command_that_finds_its_commit() -> None:
    text = history_text()
    said = statements(text)
    assert re.match(r"App energy of all tests together changed by \+3\d\.\d % .* between 00000003 and 00000004\.", said[0])
    assert next_command(text) == "navitas bisect 000000030000 000000040000 PROJECT"
    assert text.count('class="trend"') == 1 + len(PLAIN) and text.count('class="step"') == 1 + len(PLAIN)
    table = Page(text).tables["trends"]
    assert table[1][2] == "00000003 → 00000004" and len(Page(text).tables["sessions"]) == 9


def test_a_fleet_has_the_caveat_next_to_the_claim_and_chances_to_read() -> None:
    text = fleet_text()
    said = statements(text)
    assert said[0].startswith("The battery of client c3 lasts 7.1 h in use and drains slower than 30 % of 9 peers.")
    assert "(hogs): com.example.mail" in said[1] and "An association is not a cause" in said[1]
    assert [row[-1] for row in Page(text).tables["hogs"]] == ["FDR", "<0.0001", "0.0023", "0.04"]
    assert "<code>com.<wbr>example.<wbr>mail.<wbr>synchronization.<wbr>MailSynchronizationTest#" in text


@pytest.mark.parametrize("page", TEXTS)
def test_hostile_names_are_text(page: str) -> None:
    text = TEXTS[page](HOSTILE)
    shown = Page(text)
    assert shown.names.isdisjoint({"img", "iframe", "object", "b", "form"})
    assert shown.names & {"script"} and not {name for _, given in shown.tags for name in given if name.startswith("on")}
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None and policy[1].split("script-src")[1].count("'sha256-") == text.count("<script>")
    assert not {"\u202e", "\x00"} & set(text)


def test_a_scale_includes_zero_and_keeps_pictures_inside() -> None:
    scale = IntervalScale.of([10.0, 20.0])
    inside = scale.picture(15.0, 10.0, 99.0, label="x")
    assert (inside.zero_x, inside.low_x, inside.x, inside.high_x) == (5.0, 100.0, 147.5, 5.0 + 190.0)
    dot = scale.picture(10.0, None, None, label="x")
    assert dot.low_x == dot.x == dot.high_x
    assert IntervalScale.of([]).picture(0.0, 0.0, 0.0, label="x").x == 100.0


def test_a_histogram_without_values_is_left_out() -> None:
    assert histogram_picture("a", "a", [("with", np.empty(0))], "h") is None
    one = histogram_picture("a", "a", [("with", np.array([2.0]))], "h", mark=2.5)
    assert one is not None and one.mark_x is not None and one.ticks[2][2].endswith(" h")

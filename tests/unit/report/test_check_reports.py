"""What a check writes for a pull request: a summary, annotations, SARIF and JUnit XML."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reports import text_of
from test_markdown_report import cells, tokens

from navitas.base.untrusted_text import printable
from navitas.insight.check.budgets import parse_budgets
from navitas.insight.check.judged_figures import CheckedFigure
from navitas.insight.check.judgement import ChangedMethod, CheckResult, FailOn, Judgement, MoreData
from navitas.insight.compare.source_place import SourcePlace
from navitas.report.check.annotations import annotation_commands
from navitas.report.check.check_junit import write_check_junit
from navitas.report.check.check_sarif import write_check_sarif
from navitas.report.check.check_summary import check_summary
from navitas.report.check.judgement_texts import amount, what_decides
from navitas.report.check.repository_lines import RepositoryLines
from navitas.report.markdown_text import MAX_CHARACTERS

DAY = date(2026, 11, 29)
INBOX = SourcePlace("org.example.Inbox", "poll", "Inbox.java", 12)
BUDGETS = parse_budgets(
    {
        "check": [{"at-most-change": 5}, {"test": "*", "at-most-change": 5}],
        "waiver": [
            {"test": "org.example.OldTest#*", "until": date(2027, 1, 1), "reason": "issue 12"},
            {"thread": "gone", "until": date(2026, 1, 1), "reason": "done"},
        ],
    },
    lambda *keys: f"navitas.toml:{10 * len(keys[0]) + int(keys[1]) if len(keys) > 1 else 1}",
)
ROSE = ChangedMethod("org.example.Inbox.poll()V", 1.0, 2.0, 100.0, is_sure=True, location=INBOX)


def judgement(name: str = "org.example.InboxTest#polls", **changes: Any) -> Judgement:
    """A test above its limit of +5 %, with the method that rose."""
    subject = CheckedFigure("test", name, "app")
    above = Judgement(BUDGETS.budgets[1], subject, "above", 5.0, "%", "J", 1.0, 2.0, 100.0, 90.0, 110.0, 4.0, methods=(ROSE,))
    return replace(above, **changes)


UNKNOWN = judgement(
    "org.example.InboxTest#waits",
    verdict="not enough data",
    value=3.0, low=-9.0, high=12.0, shows_percent=15.0, needed=MoreData(1, 20), reason="the bounds lie on both sides", methods=(),
)  # fmt: skip
UNMATCHED = judgement(
    "org.example.NoTest#*",
    verdict="matches nothing",
    value=None, low=None, high=None, shows_percent=None, before=None, after=None, reason="nothing matches it", methods=(),
)  # fmt: skip
WAIVED = judgement("org.example.OldTest#runs", waiver=BUDGETS.waivers[0])
WITHIN = judgement("org.example.InboxTest#reads", verdict="within", value=0.0, low=-2.0, high=2.0, methods=())
LESS = judgement("org.example.InboxTest#sorts", verdict="within", value=-40.0, low=-42.0, high=-38.0, methods=())


def result(*judgements: Judgement, **changes: Any) -> CheckResult:
    made = CheckResult(judgements, ("before",), ("after",), together=True, day=DAY, waivers=BUDGETS.waivers)
    return replace(made, **changes)


ALL = result(WITHIN, LESS, UNKNOWN, WAIVED, judgement(), changed_budgets=("navitas.toml:3 was 5 %, is 50 %",))


@pytest.fixture
def lines(tmp_path: Path) -> RepositoryLines:
    """A repository with one source file."""
    file = tmp_path / "app/src/main/java/org/example/Inbox.java"
    file.parent.mkdir(parents=True)
    file.write_text("\n" * 20)
    (tmp_path / "navitas.toml").write_text("")
    return RepositoryLines(tmp_path, tmp_path, "https://code.example/a/b/blob/1234")


def test_the_summary_has_what_is_above_unknown_or_changed_first(lines: RepositoryLines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lines.root)
    text = check_summary(ALL, "unknown", lines)
    assert text.startswith("## Energy check failed: above the limit\n")
    assert "5 figures judged: 1 above, 1 unknown, 1 accepted by a waiver, 2 within." in text
    rows = [row for row in cells(text) if row[0] != "Figure"]
    figures = [row[0].split("#")[1].split(" ")[0] for row in rows if row[-1] in ("above", "not enough data", "within")]
    assert figures == ["polls", "waits", "sorts", "reads"], "what changed, and below that what did not"
    assert rows[0][1:] == [
        "app/src/main/java/org/example/Inbox.java:12", "1.00 J", "2.00 J", "+100.0 %", "+90.0 % … +110.0 %", "+5 %", "above",
    ]  # fmt: skip
    assert "https://code.example/a/b/blob/1234/app/src/main/java/org/example/Inbox.java#L12" in text
    assert "that is no proof of a cause" in text
    assert "this data shows what is about 15 % over it" in text and "20 repeats in turns would most likely decide" in text
    assert "navitas.toml:3 was 5 %, is 50 %" in text
    assert "accepted until 2027-01-01: issue 12" in text and "**ended on** 2026-01-01: done" in text


def test_the_remedies_are_those_of_what_is_unknown_and_each_stands_once() -> None:
    without_shared = replace(UNKNOWN, needed=None, remedy="Remove old sessions")
    assert what_decides([without_shared, UNKNOWN, without_shared]) == (
        "Remove old sessions. Measure more: 20 repeats in turns would most likely decide"
    )
    assert what_decides([without_shared]) == "Remove old sessions"
    few_before = replace(UNKNOWN, needed=MoreData(30, 5, more_before=28, is_least=True))
    assert what_decides([few_before, replace(UNKNOWN, needed=MoreData(12, 5, more_before=10))]) == (
        "Measure more: at least 30 sessions of each version with 5 repeats each would most likely decide. "
        "The version before lacks 28 of them, which no session of this version replaces: "
        "add them to the baseline (navitas baseline add), or measure both versions in turns (--against)"
    )


@pytest.mark.parametrize(
    ("judged", "fail_on", "headline"),
    [
        (result(WITHIN), "unknown", "Energy check passed"),
        (result(WITHIN, UNKNOWN), "unknown", "Energy check failed: not enough data"),
        (result(WITHIN, UNKNOWN, UNMATCHED), "above", "Energy check failed: a budget matches nothing"),
        (result(WITHIN, UNKNOWN), "above", "Energy check passed, but not all is known"),
        (result(WITHIN, WAIVED), "unknown", "Energy check passed"),
        (result(WITHIN, failed=("a.BTest#c",)), "unknown", "Energy check: tests failed"),
    ],
)
def test_the_headline_is_the_verdict(judged: CheckResult, fail_on: FailOn, headline: str, lines: RepositoryLines) -> None:
    assert check_summary(judged, fail_on, lines).startswith(f"## {headline}\n")


@given(st.text(max_size=600), st.sampled_from([1, 300]))
def test_names_are_text_and_a_summary_fits_into_a_comment(name: str, count: int) -> None:
    hostile = [judgement(name), replace(UNKNOWN, subject=CheckedFigure("test", name, "app"), reason=name)] * count
    made = result(*hostile, changed_budgets=(name,) * count, failed=(name,) * count, warnings=(name,) * count)
    text = check_summary(made, "unknown", RepositoryLines(Path("/nowhere"), Path("/nowhere")))
    assert len(text) <= MAX_CHARACTERS
    kinds = {token.type for token in tokens(text)}
    assert not kinds & {"html_inline", "html_block", "link_open", "image"}
    rows = [row for row in cells(text) if row[-1] in ("above", "not enough data")]
    assert rows and all(len(row) == 8 for row in rows)
    assert rows[0][0].split()[:-2] == printable(name, 500).split()


def test_a_budget_that_matches_nothing_is_in_each_file(lines: RepositoryLines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lines.root)
    only = result(UNMATCHED)
    where = lines.of_budget(UNMATCHED.budget.location)
    text = check_summary(only, "above", lines)
    assert "1 figure judged: 1 without a match." in text and "### Budgets that match nothing" in text
    assert f"[`{where.text}`]({lines.url(where)}): nothing matches it" in text and "What is not known" not in text
    (annotation,) = annotation_commands(only, lines)
    assert (
        annotation == f"::error file={where.path},line={where.line},title=Energy budget that matches nothing::nothing matches it"
    )
    (found,) = json.loads(text_of(write_check_sarif, only, lines))["runs"][0]["results"]
    assert (found["ruleId"], found["level"]) == ("unmatched-energy-budget", "error")
    suites = ElementTree.fromstring(text_of(write_check_junit, only, "above", lines).encode())
    assert [one.get("message") for one in suites.iter("failure")] == ["nothing matches it"]
    assert sum(text.startswith("::error") for text in annotation_commands(result(*[judgement(), UNMATCHED] * 30), lines)) == 10


def test_counts_that_agree_are_whole() -> None:
    mean = math.exp(math.log(33_243))
    assert mean != 33_243 and amount(mean, "") == "33,243" and amount(2.5, "") == "2.50" and amount(2.5, "J") == "2.50 J"


def test_annotations_stand_at_the_lines_and_cannot_be_forged(lines: RepositoryLines) -> None:
    hostile = judgement("a\n::set-output name=x::%0A", methods=(), location=SourcePlace("a.B", "c", "C,line=1::d.java", 3))
    assert list(annotation_commands(result(judgement(), hostile, UNKNOWN, WAIVED, WITHIN), lines)) == [
        "::error file=app/src/main/java/org/example/Inbox.java,line=12,title=Above its energy budget::"
        "org.example.InboxTest#polls (test, app): +100.0 %25 (at least +90.0 %25) is over the limit +5 %25. "
        "Methods whose energy rose: org.example.Inbox.poll +100.0 %25 (1.00 J to 2.00 J)",
        "::error file=a/C%2Cline=1%3A%3Ad.java,line=3,title=Above its energy budget::"
        "a\\u000a::set-output name=x::%250A (test, app): +100.0 %25 (at least +90.0 %25) is over the limit +5 %25",
        f"::warning file={lines.of(UNKNOWN).path},line={lines.of(UNKNOWN).line},"
        "title=Not known whether within its energy budget::org.example.InboxTest#waits (test, app): "
        "the bounds lie on both sides, and this data shows what is about 15 %25 over it",
    ]
    assert sum(text.startswith("::error") for text in annotation_commands(result(*[judgement()] * 30), lines)) == 10


def test_sarif_has_paths_of_the_repository_without_what_is_accepted(lines: RepositoryLines) -> None:
    elsewhere = judgement("a.B#c", location=SourcePlace("a.B", "c", "B.java", 3))
    document = json.loads(text_of(write_check_sarif, result(judgement(), elsewhere, UNKNOWN, WAIVED, WITHIN), lines))
    (run,) = document["runs"]
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
        ("above-energy-budget", "error"), ("above-energy-budget", "error"), ("unknown-energy-budget", "warning"),
    ]  # fmt: skip
    places = [one["locations"][0]["physicalLocation"] for one in run["results"]]
    assert places[0] == {
        "artifactLocation": {"uri": "app/src/main/java/org/example/Inbox.java"}, "region": {"startLine": 12},
    }  # fmt: skip
    assert places[1]["artifactLocation"] == {"uri": "a/B.java", "uriBaseId": "SOURCE_ROOT"}, "the file was not found"
    assert places[2]["artifactLocation"]["uri"].endswith("navitas.toml")
    louder = replace(judgement(), value=300.0)
    again = json.loads(text_of(write_check_sarif, result(louder), lines))["runs"][0]["results"][0]
    assert again["message"] == run["results"][0]["message"]
    assert again["partialFingerprints"] == run["results"][0]["partialFingerprints"], "a later run finds the same case"


@pytest.mark.parametrize(("fail_on", "failures", "skipped"), [("unknown", 2, 1), ("above", 1, 2)])
def test_junit_fails_what_fails_the_check(fail_on: FailOn, failures: int, skipped: int, lines: RepositoryLines) -> None:
    text = text_of(write_check_junit, replace(ALL, failed=("a.B#c",)), fail_on, lines)
    suites = ElementTree.fromstring(text.encode())
    assert {key: int(suites.get(key, "")) for key in ("tests", "failures", "skipped", "errors")} == {
        "tests": 6, "failures": failures, "skipped": skipped, "errors": 1,
    }  # fmt: skip
    assert len(suites.findall(".//failure")) == failures and len(suites.findall(".//skipped")) == skipped
    messages = {case.get("name"): one.get("message") for case in suites.iter("testcase") for one in case.findall("failure")}
    assert messages["org.example.InboxTest#polls (test, app)"] == "+100.0 % (at least +90.0 %) is over the limit +5 %"

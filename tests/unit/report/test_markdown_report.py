"""The Markdown report: as a reader of Markdown understands it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from support.hostile_profile import hostile_profile
from support.messenger_profile import messenger, polls, waits
from support.reports import text_of

from navitas.base.untrusted_text import printable
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import Notice
from navitas.recording.parse.tables import Method, MethodTable
from navitas.report.markdown import write
from navitas.report.markdown_text import MAX_CHARACTERS, code, code_cell, escaped

_READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens(text: str) -> list[Token]:
    return [inner for token in _READER.parse(text) for inner in (token, *(token.children or []))]


def cells(text: str) -> list[list[str]]:
    """Return the plain text of each row of all tables."""
    rows: list[list[str]] = []
    parsed = _READER.parse(text)
    for place, token in enumerate(parsed):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("td_open", "th_open"):
            rows[-1].append(shown(parsed[place + 1]))
    return rows


def shown(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [])


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("profile", "To see that, add --repeat."),
        ("record", "To see that, record again, and compare several recordings (navitas compare)."),
        ("import", ""),
    ],
)
def test_how_to_see_differences_of_runs_depends_on_the_command(command: str, advice: str) -> None:
    text = text_of(write, messenger(command_line=["navitas", command, "app"]))
    assert f"One run does not show how runs differ. {advice}".strip() in text
    assert ("--repeat" in text) == (command == "profile")


def test_the_verdict_stands_above_tests_and_methods() -> None:
    text = text_of(write, messenger())
    parsed = tokens(text)
    assert [token.content for token in parsed if token.type == "inline"][:2] == [
        "Energy of messenger on Made",
        "Inbox.poll uses 6.00 ± 0.12 J of the app's 11.0 ± 0.2 J (55 ± 2 %), in one call on main.",
    ]
    assert "`navitas profile app --tests 'Inbox*' --repeat 5`" in text
    rows = cells(text)
    assert rows[0] == ["Test", "App energy", "±", "Share", "Mean power", "Status"]
    assert rows[1][:2] == ["org.example.InboxTest#polls", "10.0 J"]
    assert rows[4][:4] == ["org.example.Inbox.poll", "6.00 J", "118 mJ", "54.5 %"] and rows[4][-1] == "Inbox.java:34"


def test_threads_and_components_are_folded() -> None:
    """A reader of CommonMark sees tables within the folded parts."""
    text = text_of(write, messenger())
    rows = cells(text)
    threads = rows.index(["Thread", "App energy", "±", "Share", "Role"])
    assert rows[threads + 1 : threads + 3] == [
        ["main", "10.0 J", "196 mJ", "90.9 %", "app"],
        ["worker", "1.00 J", "19.6 mJ", "9.1 %", "app"],
    ]
    assert rows[-1][::4] == ["cpu", "sched"]
    assert text.count("<details>") == text.count("</details>") == 3


def test_basis_evidence_and_warnings_are_folded() -> None:
    profile = messenger()
    profile.warnings = (Notice("x", "probes *used* much", "use fewer"),) * 30
    text = text_of(write, profile)
    basis, warnings = (text.partition(f"<summary>{title}")[2].partition("</details>")[0] for title in ("Basis", "Warnings (30)"))
    assert "one run each" in basis and "Evidence for CPU: sched" in basis
    assert warnings.count("- probes \\*used\\* much\n  - use fewer\n") == 20
    assert "- … 10 more warnings are in the JSON report." in warnings


def test_names_are_text() -> None:
    text = text_of(write, hostile_profile())
    kinds = {token.type for token in tokens(text)}
    blocks = [token.content.strip() for token in _READER.parse(text) if token.type == "html_block"]
    assert blocks == [
        "<details>\n<summary>Threads</summary>",
        "</details>",
        "<details>\n<summary>Components</summary>",
        "</details>",
        "<details>\n<summary>Basis and evidence</summary>",
        "</details>",
        "<details>\n<summary>Warnings (4)</summary>",
        "</details>",
    ]
    assert not kinds & {"html_inline", "link_open", "image", "s_open", "fence", "code_block"}
    rows = cells(text)
    assert {len(row) for row in rows} == {5, 6}
    assert any("<img" not in row[0] and "m0" in row[0] for row in rows) or any("onerror" in row[0] for row in rows)


@given(st.text(max_size=60))
def test_escaped_text_is_shown_as_it_is(name: str) -> None:
    plain = printable(name, 2000).strip()
    inline = [token for token in _READER.parse(escaped(name)) if token.type == "inline"]
    assert " ".join("".join(map(shown, inline)).split()) == " ".join(plain.split())


@given(st.text(max_size=60))
def test_code_is_one_cell_with_the_name(name: str) -> None:
    text = f"| a | b |\n|---|---|\n| {code_cell(name)} | x |\n"
    (_, row) = cells(text)
    assert row[1] == "x"
    assert row[0].split() == printable(name, 500).split()


@given(st.text(max_size=60))
def test_code_in_a_sentence_is_the_text_itself(name: str) -> None:
    (inline,) = (token for token in _READER.parse(f"Next: {code(name)}.") if token.type == "inline")
    assert shown(inline).split() == f"Next: {printable(name, 500)}.".split()


@pytest.mark.parametrize(
    "text", ["ask @someone", "as in #1 and a/b#2", "see https://example.org", "or www.example.org", "C# code"]
)
def test_sentences_hold_no_mention_no_issue_and_no_link(text: str) -> None:
    written = escaped(text)
    assert not re.search(r"@|(?<!&)#\w|://|www\.", written)
    (inline,) = (token for token in _READER.parse(written) if token.type == "inline")
    assert shown(inline) == text


def many(count: int) -> Profile:
    made = messenger(*(waits(0, method="m" * 300 + str(number)) for number in range(count)))
    table = tuple(Method(i, ":", "org.Long" + "x" * 400, f"n{i}", "()V", 1, "main", False) for i in range(4))
    made.ledger = replace(made.ledger, methods=MethodTable(table, {}))
    return made


@pytest.mark.parametrize("top", [1, 20, 1000])
def test_the_report_fits_into_a_comment(top: int) -> None:
    text = text_of(write, many(300), top=top)
    assert len(text) <= MAX_CHARACTERS
    assert "more, with less energy." in text


def test_a_recording_without_tests_has_a_report() -> None:
    text = text_of(write, messenger(polls(wall_ns=0, threads=(), base_j=0.0)))
    assert "No test ran" in text and [row[1:5] for row in cells(text)[1:]] == [["–"] * 4]


def test_a_test_that_never_ran_is_listed_and_a_failure_has_its_line() -> None:
    failed = replace(polls(), status="failed", failure="InboxTest.java:7: AssertionError: a|b @c")
    idle = replace(polls(wall_ns=0, threads=(), base_j=0.0), method="skips", status="ignored")
    rows = cells(text_of(write, messenger(failed, idle)))
    assert rows[1][0].endswith("InboxTest.java:7: AssertionError: a|b @c")
    assert rows[2] == ["org.example.InboxTest#skips", "–", "–", "–", "–", "ignored"]

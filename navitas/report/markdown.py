"""The report as Markdown (CommonMark with tables), for comments of reviews, job summaries and assistants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, TypeVar

from navitas.base.units import UNBROKEN, joules, percent, share, watts
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.names import source_of, test_label
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import Repeats
from navitas.insight.verdict.figures import ComponentFigures, Figures
from navitas.insight.verdict.method_figures import MethodFigures
from navitas.insight.verdict.thread_figures import ThreadUse
from navitas.insight.verdict.verdict import EnergyVerdict, verdict_of
from navitas.report.figure_notes import basis_note, evidence_notes, failure_of, interval_cell, statuses, tests_note
from navitas.report.format import Format
from navitas.report.markdown_text import MAX_CHARACTERS, code, code_cell, escaped, folded
from navitas.report.page_request import EarlierRecording, change_since

T = TypeVar("T")


def write(profile: Profile, out: IO[str], *, top: int = 20, before: EarlierRecording | None = None) -> None:
    """Write the verdict, and the tests and methods with the most energy: at most `top` of each, so many as fit."""
    figures = Figures(profile)
    verdict, rows = verdict_of(figures, change_since(before, figures)), top
    while len(text := "\n".join(_lines(figures, verdict, rows)) + "\n") > MAX_CHARACTERS and rows > 1:
        rows //= 2
    out.write(text)


FORMAT = Format(
    "markdown",
    ".md",
    "verdict, tests and methods for comments, job summaries, assistants",
    write,
    options=("top", "before"),
)


def _lines(figures: Figures, verdict: EnergyVerdict, most: int) -> Iterator[str]:
    profile = figures.profile
    yield f"## Energy of {escaped(profile.project)} on {escaped(str(profile.about.device.get('model', '')))}"
    yield ""
    yield from (f"- {escaped(statement.text)}" for statement in verdict.statements)
    if verdict.limits:
        yield from ("", "What limits this:")
        yield ""
        yield from (f"- {escaped(limit.text)}" for limit in verdict.limits)
    yield from ("", f"Next, to {escaped(verdict.next_step.reason)}: {code(verdict.next_step.line())}")
    tests: dict[str, Callable[[Repeats], str]] = {
        "Test": lambda group: _test_cell(group.typical, group.tests),
        "App energy": lambda group: joules(group.app_j.median),
        "±": lambda group: interval_cell(group.app_j.median, profile.app_interval(group)),
        "Share": lambda group: percent(share(group.app_j.median, figures.app_j)),
        "Mean power": lambda group: watts(group.typical.mean_power_w or 0.0),
        "Status": lambda group: _status(group.tests),
    }
    methods: dict[str, Callable[[MethodFigures], str]] = {
        "Method": lambda method: code_cell(figures.names.label(method.total.id)),
        "Self": lambda method: joules(method.total.known(method.self_j)),
        "±": lambda method: interval_cell(method.total.known(method.self_j), method.interval),
        "Share": lambda method: percent(method.total.known(figures.share_of(method)[0])),
        call_words(profile.ledger).counted: lambda method: f"{round(method.calls):,}",
        "Source": lambda method: code_cell(source) if (source := source_of(method.total.method)) else "",
    }
    never_ran = [[_test_cell(runs[0], runs), *["–"] * (len(tests) - 2), _status(runs)] for runs in figures.idle]
    threads: dict[str, Callable[[ThreadUse], str]] = {
        "Thread": lambda use: code_cell(use.name),
        "App energy": lambda use: joules(use.energy_j),
        "±": lambda use: interval_cell(use.energy_j, use.interval),
        "Share": lambda use: percent(share(use.energy_j, figures.app_j)),
        "Role": lambda use: escaped(use.role),
    }
    components: dict[str, Callable[[ComponentFigures], str]] = {
        "Component": lambda use: code_cell(use.name),
        "Energy in tests": lambda use: joules(use.energy_j),
        "±": lambda use: interval_cell(use.energy_j, use.interval),
        "App energy": lambda use: joules(use.app_j),
        "Evidence": lambda use: escaped(levels.get(use.name, "")),
    }
    levels = {evidence.component: evidence.level for evidence in profile.evidence}
    yield from _table("Tests", tests, figures.groups, most, never_ran)
    yield from _table("Methods", methods, figures.methods, most)
    yield from folded(_table("Threads", threads, figures.threads, most))
    yield from folded(_table("Components", components, figures.components, most))
    if figures.methods:
        yield from ("", call_words(profile.ledger).about_self)
    basis = f"{basis_note(figures)} {tests_note(figures)}".replace(UNBROKEN, " ") if figures.groups else ""
    yield from folded(["Basis and evidence", *_list([(basis, ()), *evidence_notes(profile)], most)])
    warnings = [(warning.message, (warning.remedy,)) for warning in profile.warnings]
    yield from folded([f"Warnings ({len(warnings):,})", *_list(warnings[:most], most), *_more(len(warnings) - most, "warnings")])


def _test_cell(typical: TestEnergy, runs: Sequence[TestEnergy]) -> str:
    failure = failure_of(runs)
    return code_cell(test_label(typical)) + (f"<br>{escaped(failure)}" if failure else "")


def _status(runs: Sequence[TestEnergy]) -> str:
    return escaped(", ".join(label for _, label in statuses(runs)))


def _list(items: Iterable[tuple[str, Sequence[str]]], most: int) -> list[str]:
    """Return a list of sentences, each with at most `most` others below it. Empty ones are left out."""
    return [
        line
        for text, below in items
        if text
        for line in (f"- {escaped(text)}", *(f"  - {escaped(other)}" for other in below[:most] if other))
    ]


def _more(count: int, what: str) -> list[str]:
    return [f"- … {count:,} more {what} are in the JSON report."] if count > 0 else []


def _table(
    title: str, columns: dict[str, Callable[[T], str]], records: Sequence[T], most: int, more_rows: Sequence[Sequence[str]] = ()
) -> Iterator[str]:
    if not records and not more_rows:
        return
    yield from ("", f"### {title}", "")
    yield f"| {' | '.join(columns)} |"
    yield f"|{'|'.join('---' if number in (0, len(columns) - 1) else '--:' for number in range(len(columns)))}|"
    for record in records[:most]:
        yield f"| {' | '.join(cell(record).replace(UNBROKEN, ' ') for cell in columns.values())} |"
    shown = more_rows[: max(most - len(records), 0)]
    yield from (f"| {' | '.join(row)} |" for row in shown)
    if len(records) > most:
        yield from ("", f"… {len(records) - most:,} more, with less energy.")
    if len(more_rows) > len(shown):
        yield from ("", f"… {len(more_rows) - len(shown):,} tests never ran.")

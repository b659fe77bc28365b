"""What `navitas check` shows: its table, messages on what is above its limit or not known, and its exit code."""

from __future__ import annotations

import os

from navitas.base.errors import ExitCode
from navitas.base.untrusted_text import printable, printable_list
from navitas.cli.compare.energy_limit import end_check
from navitas.cli.habits.messages import error, failed_check, note, warning
from navitas.insight.check.judgement import CheckResult, FailOn, Judgement
from navitas.insight.compare.subject import without_descriptor
from navitas.report.check.judgement_texts import (
    amount,
    bounds_text,
    in_order,
    limit_text,
    over_limit,
    rise,
    short_name,
    sides_text,
    verdict_words,
    what_decides,
    why_unknown,
)
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_NAMES = 5
_LONGEST_NAME, _LONGEST = 300, 1000
_MOST_ROWS = 1000


def judgements_table(result: CheckResult) -> FittedTable:
    """At most 1,000 judgements: those above their limit first."""
    columns = [
        Column("Figure", text=True),
        Column("Kind", text=True, drop=5),
        Column("Before", drop=3),
        Column("After", drop=4),
        Column("Found"),
        Column("Bounds", drop=2),
        Column("Limit", drop=1),
        Column("Verdict", wrap=True),
    ]
    table = FittedTable(f"Check: {sides_text(result)}", columns, stacks=True)
    rows = in_order(result)
    for judged in rows[:_MOST_ROWS]:
        means = (amount(mean, judged.figure_unit) for mean in (judged.before, judged.after))
        kind = f"{judged.subject.kind}, {judged.subject.figure}"
        result_texts = (amount(judged.value, judged.unit), bounds_text(judged), limit_text(judged), verdict_words(judged))
        table.add(_shown_name(judged), kind, *means, *result_texts)
    if len(rows) > _MOST_ROWS:
        table.notes.append(Paragraph(f"{len(rows) - _MOST_ROWS:,} more rows in --json.", style="dim"))
    return table


def _shown_name(judged: Judgement) -> str:
    """Return the name in a table. GitHub Actions takes a line that begins with `::` for a command."""
    name = printable(short_name(judged), _LONGEST_NAME)
    return name.replace("::", ": :") if os.environ.get("GITHUB_ACTIONS") == "true" else name


def report_verdicts(result: CheckResult, fail_on: FailOn) -> ExitCode:
    """Print the verdicts that matter. Returns the exit code."""
    for text in result.warnings:
        warning(text)
    for text in result.changed_budgets:
        warning(f"budgets changed: {text}")
    for waiver in result.waivers:
        what = f"{waiver.location}: {waiver.selection.described}"
        if result.is_active(waiver):
            note(printable(f"waiver: {what} is accepted until {waiver.until}: {waiver.reason}", _LONGEST))
        else:
            warning(printable(f"{what}: this waiver ended on {waiver.until}: {waiver.reason}", _LONGEST), "Remove it.")
    above = result.having("above")
    for judged in above:
        failed_check(printable(_above(judged), _LONGEST), printable(_rose(judged), _LONGEST))
    unknown = result.having("not enough data")
    said = (_unknown(unknown), what_decides(unknown)) if unknown else None
    code = end_check(said, is_above=bool(above), fails_unknown=fail_on == "unknown")
    unmatched = result.having("matches nothing")
    for judged in unmatched:
        error(f"{judged.budget.location}: {judged.reason}", "Correct the name, or remove the budget.")
    if result.failed:
        warning(f"these tests failed: {printable_list(result.failed, _NAMES)}")
        return ExitCode.TESTS_FAILED
    return ExitCode.USAGE if unmatched else code


def _above(judged: Judgement) -> str:
    where = f" at {judged.location.text}" if judged.location is not None else ""
    return f"{judged.subject.described}{where}: {over_limit(judged)} of {judged.budget.location}"


def _rose(judged: Judgement) -> str:
    """Return the methods that rose with a test, as an association."""
    texts = []
    for method in judged.methods:
        where = f" at {method.location.text}" if method.location is not None else ""
        texts.append(f"{without_descriptor(method.name)} {rise(method)}{where}")
    return f"Methods whose energy rose with it: {'; '.join(texts)}" if texts else ""


def _unknown(unknown: list[Judgement]) -> str:
    shown = [f"{judged.subject.described}: {why_unknown(judged)}" for judged in unknown]
    return f"it is not known whether these are within their limit: {printable_list(shown, _NAMES)}"

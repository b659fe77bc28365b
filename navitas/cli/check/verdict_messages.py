"""What `navitas check` says of figures above their limit, of what is not known and of unmatched budgets; its exit code."""

from __future__ import annotations

from navitas.base.errors import ExitCode
from navitas.base.untrusted_text import printable, printable_list
from navitas.cli.compare.energy_limit import end_check
from navitas.cli.habits.messages import error, failed_check, note, warning
from navitas.insight.check.judgement import CheckResult, FailOn, Judgement
from navitas.insight.compare.subject import without_descriptor
from navitas.report.check.judgement_texts import over_limit, rise, what_decides, why_unknown

_NAMES = 5
_LONGEST = 1000


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

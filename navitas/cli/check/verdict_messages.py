"""What `navitas check` says of each figure above its limit, and of what is not known; its exit code."""

from __future__ import annotations

from navitas.base.errors import ExitCode
from navitas.base.units import joules
from navitas.base.untrusted_text import printable, printable_list
from navitas.cli.check.tables import amount, limit_text
from navitas.cli.compare.energy_limit import end_check
from navitas.cli.habits.messages import failed_check, note, warning
from navitas.insight.check.judgement import CheckResult, FailOn, Judgement
from navitas.insight.compare.change_texts import about, percent

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
    said = (_unknown(unknown), "; ".join(_remedies(unknown))) if unknown else None
    code = end_check(said, is_above=bool(above), fails_unknown=fail_on == "unknown")
    if result.failed:
        warning(f"these tests failed: {printable_list(result.failed, _NAMES)}")
        return ExitCode.TESTS_FAILED
    return code


def _above(judged: Judgement) -> str:
    text = amount(judged.value, judged.unit)
    if judged.low is not None and judged.low != judged.value:
        text += f" (at least {amount(judged.low, judged.unit)})"
    where = f" at {judged.location.text}" if judged.location is not None else ""
    return f"{judged.subject.described}{where}: {text} is over the limit {limit_text(judged)} of {judged.budget.location}"


def _rose(judged: Judgement) -> str:
    """Return the methods that rose with a test, as an association."""
    if not judged.methods:
        return ""
    texts = []
    for method in judged.methods:
        change = "" if method.percent is None else f" {percent(method.percent)}"
        where = f" at {method.location.text}" if method.location is not None else ""
        sure = "" if method.is_sure else ", not certain"
        energies = f"{joules(method.before_j)} to {joules(method.after_j)}"
        texts.append(f"{method.name.rpartition('(')[0] or method.name}{change} ({energies}{sure}){where}")
    return f"Methods whose energy rose with it: {'; '.join(texts)}"


def _unknown(unknown: list[Judgement]) -> str:
    shown = [f"{judged.subject.described}: {judged.reason}{_resolution(judged)}" for judged in unknown]
    return f"it is not known whether these are within their limit: {printable_list(shown, _NAMES)}"


def _resolution(judged: Judgement) -> str:
    return "" if judged.shows_percent is None else f", and this data shows what is about {about(judged.shows_percent)} over it"


def _remedies(unknown: list[Judgement]) -> list[str]:
    more = [judged.needed for judged in unknown if judged.needed is not None]
    if not more:
        return ["Measure both versions in turns (--against), with more repeats, on a quieter device"]
    sessions, repeats = max(judged.sessions for judged in more), max(judged.repeats for judged in more)
    many = (
        f"{sessions:,} sessions of each version with {repeats:,} repeats each"
        if sessions > 1
        else f"{repeats:,} repeats in turns"
    )
    return [f"Measure more: {many} would decide"]

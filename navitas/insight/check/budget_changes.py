"""What a version changed in the budgets that judge it: a change can pass by a looser budget, too."""

from __future__ import annotations

from collections.abc import Iterator

from navitas.base.untrusted_text import preview, printable
from navitas.insight.check.budgets import MEASURED, AbsoluteLimit, Budgets, ChangeLimit, CheckBudget

_LONGEST = 1000


def budget_changes(before: Budgets, after: Budgets) -> tuple[str, ...]:
    """Return sentences on budgets that are gone or looser, on waivers that are new or last longer, and on what is measured."""
    sentences = (*_looser(before, after), *_accepted(before, after), *_measured(before, after))
    return tuple(printable(text, _LONGEST) for text in sentences)


def _looser(before: Budgets, after: Budgets) -> Iterator[str]:
    now = {_key(budget): budget for budget in after.budgets}
    for old in before.budgets:
        new = now.get(_key(old))
        if new is None:
            yield f"{_named(old)} is gone: its limit was {_limit_text(old.limit)}"
        elif new.limit[0] > old.limit[0]:
            yield f"{new.location}: {_named(new)} is looser: {_limit_text(old.limit)} before, {_limit_text(new.limit)} now"


def _accepted(before: Budgets, after: Budgets) -> Iterator[str]:
    days = {waiver.selection: waiver.until for waiver in before.waivers}
    for waiver in after.waivers:
        until = days.get(waiver.selection)
        if until is None or waiver.until > until:
            what = "is new" if until is None else f"lasts longer: it ended on {until}"
            yield f"{waiver.location}: the waiver of {waiver.selection.described} until {waiver.until} {what}: {waiver.reason}"


def _measured(before: Budgets, after: Budgets) -> Iterator[str]:
    """Yield settings that choose what is measured. Both versions are measured as the later one says."""
    for name in MEASURED:
        old, new = (side.measured.get(name) for side in (before, after))
        if old != new:
            was, now = ("not set" if value is None else preview(value) for value in (old, new))
            yield f"{name} of [profile], which chooses what is measured, was {was} before, and is {now} now"


def _key(budget: CheckBudget) -> tuple[object, ...]:
    return budget.selection, budget.figure, type(budget.limit)


def _named(budget: CheckBudget) -> str:
    return f"the budget of {budget.selection.described} ({budget.figure})"


def _limit_text(limit: AbsoluteLimit | ChangeLimit) -> str:
    """Return a limit, such as `+5 %`, `5 J` or `1,000`."""
    return f"+{limit.percent:.15g} %" if isinstance(limit, ChangeLimit) else f"{limit.most:,.15g} {limit.unit}".rstrip()

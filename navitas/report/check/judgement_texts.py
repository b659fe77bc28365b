"""Judgements of a check as text, the same in terminals, summaries and annotations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from navitas.base.units import UNKNOWN, counted, digits, joules, watts
from navitas.insight.check.judgement import ChangedMethod, CheckResult, Judgement, MoreData
from navitas.insight.compare.change_texts import about, percent
from navitas.insight.compare.subject import without_descriptor

_ROUNDING = 1e-9
"""Means of logarithms give counts back with this error at most."""
_ORDER = ("above", "matches nothing", "not enough data", "within")


def amount(value: float | None, unit: str) -> str:
    """Return a figure or a change with its unit as a text."""
    if value is None:
        return UNKNOWN
    formats = {"J": joules, "W": watts, "%": percent}
    if unit in formats:
        return formats[unit](value)
    return f"{value:,.0f}" if math.isclose(value, round(value), rel_tol=_ROUNDING) else digits(value)


def limit_text(judged: Judgement) -> str:
    """Return a limit, such as `+5 %`, `5.00 J` or `1,000`."""
    return f"+{judged.limit:g} %" if judged.unit == "%" else amount(judged.limit, judged.unit)


def bounds_text(judged: Judgement) -> str:
    """Return the one-sided bounds of a figure or a change."""
    return UNKNOWN if judged.low is None else f"{amount(judged.low, judged.unit)} … {amount(judged.high, judged.unit)}"


def verdict_words(judged: Judgement) -> str:
    """Return a verdict, and until when a waiver accepts it."""
    return judged.verdict if judged.waiver is None else f"{judged.verdict} (accepted until {judged.waiver.until})"


def short_name(judged: Judgement) -> str:
    """Return the name of a figure; a method's without its descriptor."""
    return without_descriptor(judged.subject.name) if judged.subject.kind == "method" else judged.subject.name


def in_order(result: CheckResult) -> list[Judgement]:
    """Return all judgements: those above their limit first, those that waivers accept last."""
    return sorted(result.judgements, key=lambda judged: (judged.waiver is not None, _ORDER.index(judged.verdict)))


def sides_text(result: CheckResult) -> str:
    """Return how many sessions were judged."""
    after = counted(len(result.after), "session")
    return f"{counted(len(result.before), 'session')} before and {after} after" if result.before else after


def over_limit(judged: Judgement) -> str:
    """Return by how much a figure is over its limit."""
    text = amount(judged.value, judged.unit)
    if judged.low is not None and judged.low != judged.value:
        text += f" (at least {amount(judged.low, judged.unit)})"
    return f"{text} is over the limit {limit_text(judged)}"


def rise(method: ChangedMethod) -> str:
    """Return how a method's self energy changed."""
    change = "" if method.percent is None else f" {percent(method.percent)}"
    sure = "" if method.is_sure else ", not certain"
    return f"{change} ({joules(method.before_j)} to {joules(method.after_j)}{sure})".lstrip()


def why_unknown(judged: Judgement) -> str:
    """Return why it is not known whether a figure is within its limit, and what this data shows; or what is not matched."""
    if judged.shows_percent is None:
        return judged.reason
    return f"{judged.reason}, and this data shows what is about {about(judged.shows_percent)} over it"


def what_decides(unknown: Sequence[Judgement]) -> str:
    """Return what to do or to measure, so that these judgements are decided."""
    said = dict.fromkeys(judged.remedy for judged in unknown if judged.remedy)
    more = [judged.needed for judged in unknown if judged.needed is not None]
    if more:
        sessions, repeats, more_before, is_least = map(max, zip(*more, strict=True))
        said |= dict.fromkeys(_data(MoreData(sessions, repeats, more_before, bool(is_least))))
    return ". ".join(said) or "Measure both versions in turns (--against), with more repeats, on a quieter device"


def _data(needed: MoreData) -> Iterator[str]:
    repeats = f"{needed.repeats:,} repeats"
    if needed.sessions == 1:
        yield f"Measure more: {repeats} in turns would most likely decide"
        return
    least = "at least " if needed.is_least else ""
    yield f"Measure more: {least}{needed.sessions:,} sessions of each version with {repeats} each would most likely decide"
    if needed.more_before:
        yield (
            f"The version before lacks {needed.more_before:,} of them, which no session of this version replaces: "
            "add them to the baseline (navitas baseline add), or measure both versions in turns (--against)"
        )

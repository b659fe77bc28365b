"""`--figure`, `--fail-above` and `--fail-on`: which energy commands compare, and when a check fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from navitas.base.errors import ExitCode, UsageError
from navitas.base.untrusted_text import printable, printable_list
from navitas.cli.habits.messages import failed_check, unknown_check, warning
from navitas.cli.habits.option import F, gathered, option
from navitas.cli.habits.paths import TEXT
from navitas.cli.habits.shared_options import Finite
from navitas.insight.compare.figures import FigureChoice, parse_figures

if TYPE_CHECKING:
    from navitas.insight.compare.comparison import Comparison, FigureChange

_NAMES = 5

figure_option = option(
    "--figure",
    "choice",
    multiple=True,
    type=TEXT,
    from_project=False,
    metavar="FIGURE",
    callback=lambda ctx, param, value: parse_figures(value),
    help="app, base, total or KIND:PATTERN; repeatable. [app]",
)


def min_share_option(default: float) -> Callable[[F], F]:
    """Return the option `--min-share`, as `least_percent`."""
    text = "Leave out methods and threads with a smaller share of all energy."
    share = Finite(min=0, max=100)
    return option("--min-share", "least_percent", type=share, default=default, metavar="PERCENT", help=text)


def fail_on_option(known: str, text: str) -> Callable[[F], F]:
    """Return the option `--fail-on`: `known` is shown to be wrong, `unknown` is not known to be right."""
    return option("--fail-on", type=click.Choice([known, "unknown"]), from_project=False, help=text)


@dataclass(frozen=True, slots=True)
class Limit:
    """How much more energy a version may need, and whether it may be unknown if it does. None: a check never fails."""

    percent: float | None = None
    fails_unknown: bool = True


def _limit(fail_above: float | None, fail_on: str | None) -> Limit:
    if fail_on is not None and fail_above is None:
        raise UsageError("--fail-on needs a limit", "Add --fail-above PERCENT.")
    return Limit(fail_above, fail_on != "above")


limit_options = gathered(
    "limit",
    _limit,
    option(
        "--fail-above",
        type=Finite(min=0, max=1e6),
        from_project=False,
        metavar="PERCENT",
        help="Exit with code 1 if all tests or a test need over this much more energy.",
    ),
    fail_on_option("above", "Fail if above, or also if unknown. [unknown]"),
)
"""The options of a limit, as the keyword argument `limit`. Raises `UsageError` for `--fail-on` without a limit."""


def check_limit(found: Comparison, choice: FigureChoice, limit: Limit) -> ExitCode:
    """Name the judged figures that need over the limit more energy, and those of which that is unknown."""
    percent = limit.percent
    if percent is None:
        return ExitCode.OK
    judged = [one for one in found.changes if choice.limits(one.subject)]
    above = [one for one in judged if _is_above(one, percent)]
    unknown = [f"{one.subject.name} ({_shown(one)})" for one in judged if one not in above and not _is_below(one, percent)]
    for one in above:
        text = f"{one.subject.name}: {_percent(one):.1f} % more {one.subject.energy} energy (limit {percent:g} %)"
        failed_check(printable(text.replace("  ", " "), 1000), "See which methods changed in the table.")
    text = f"it is not known whether these need over {percent:g} % more energy: {printable_list(unknown, _NAMES)}"
    remedy = "Measure more runs in turns (navitas profile --against), on a quieter device; or name the figures with --figure."
    return end_check((text, remedy) if unknown else None, is_above=bool(above), fails_unknown=limit.fails_unknown)


def end_check(unknown: tuple[str, str] | None, *, is_above: bool, fails_unknown: bool) -> ExitCode:
    """Print what a check could not know, with a remedy. Returns its exit code."""
    fails = unknown is not None and fails_unknown
    if unknown is not None:
        (unknown_check if fails and not is_above else warning)(*unknown)
    return ExitCode.CHECK_FAILED if is_above or fails else ExitCode.OK


def _percent(one: FigureChange) -> float:
    return 0.0 if one.effect is None else one.effect.percent


def _is_above(one: FigureChange, limit: float) -> bool:
    return one.verdict is not None and one.verdict.word == "different" and _percent(one) > limit


def _is_below(one: FigureChange, limit: float) -> bool:
    """Whether its interval ends at or below the limit."""
    return one.effect is not None and one.effect.high_percent is not None and one.effect.high_percent <= limit


def _shown(one: FigureChange) -> str:
    if one.verdict is None:
        return "no energy in some runs"
    if one.verdict.shows_percent is None:
        return "this data shows no change"
    from navitas.insight.compare.change_texts import about  # noqa: PLC0415  # Loads NumPy, which options do not need.

    return f"this data shows changes from about {about(one.verdict.shows_percent)}"

"""What changed since an earlier recording, and how sure that is."""

from __future__ import annotations

from math import hypot

import numpy as np

from navitas.base.units import joules, unbroken
from navitas.energy.analyze.repeats import Repeats
from navitas.energy.analyze.spread import Interval
from navitas.insight.compare.change_texts import change_texts, percent
from navitas.insight.compare.effect import effect_between
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.statement import Statement, energy_of, percent_of


def changed(figures: Figures, name: str, earlier: Figures) -> Statement | None:
    """Return how app energy of the tests of both recordings changed, and the method that changed most. `name`: the earlier one.

    With two runs of each recording, the interval is that of the runs (Welch's t-test), in percent of the energy before. Else it
    is that of the measurement of independent figures: errors that both share cancel in part, so it is an upper bound.
    None without a common test.
    """
    tests = {_test(group): number for number, group in enumerate(earlier.groups)}
    common = [number for number, group in enumerate(figures.groups) if _test(group) in tests]
    if not common:
        return None
    after, before = figures.only(common), earlier.only(tests[_test(figures.groups[number])] for number in common)
    change_j = after.app_j - before.app_j
    size, ends = _interval(before, after)
    if not size:
        text = f"No change of app energy since {name} can be shown: between {' and '.join(map(unbroken, ends))}."
        return Statement("changed", text, "app", "", change_j)
    text = f"Since {name}, app energy {'rose' if change_j > 0 else 'fell'} by {size}{_most_changed(after, before, change_j)}."
    return Statement("changed", text, "app", "", change_j)


def _interval(before: Figures, after: Figures) -> tuple[str, tuple[str, str]]:
    """Return the size of the difference of app energy, empty if no change can be shown, and both ends of its interval."""
    change_j = after.app_j - before.app_j
    runs = [np.array([energy_j for energy_j in side.app_by_repeat if energy_j > 0]) for side in (before, after)]
    effect = effect_between(runs[:1], runs[1:], together=True) if min(map(len, runs)) > 1 else None
    if effect is not None and effect.low_percent is not None and effect.high_percent is not None:
        is_shown = effect.low_percent * effect.high_percent > 0 and effect.percent * change_j > 0
        shown, of_runs = map(unbroken, change_texts(effect))
        size = f"{unbroken(joules(abs(change_j)))} ({shown}, 95 %: {of_runs})" if is_shown else ""
        return size, (percent(effect.low_percent), percent(effect.high_percent))
    old, new = before.app_interval, after.app_interval
    low_j = change_j - hypot(after.app_j - new.low, old.high - before.app_j)
    high_j = change_j + hypot(new.high - after.app_j, before.app_j - old.low)
    part = f" ({percent_of(abs(change_j) / before.app_j)})" if before.app_j > 0 else ""
    size = f"{energy_of(abs(change_j), Interval(*sorted((abs(low_j), abs(high_j)))))}{part}"
    low, high = (percent(100 * end_j / before.app_j) if before.app_j > 0 else joules(end_j) for end_j in (low_j, high_j))
    return size if low_j * high_j > 0 else "", (low, high)


def _most_changed(figures: Figures, earlier: Figures, change_j: float) -> str:
    """Return the method that changed most in the direction of the change."""
    changes: dict[tuple[str, ...], tuple[float, str]] = {}
    for side, sign in ((earlier, -1), (figures, 1)):
        for method in side.methods:
            key = method.total.method.identity
            before_j = changes.get(key, (0.0, ""))[0]
            changes[key] = (before_j + sign * method.self_j, side.names.brief(method.total.id))
    method_j, name = max(changes.values(), key=lambda change: change[0] * change_j, default=(0.0, ""))
    return f", most of all in {name} ({unbroken(joules(abs(method_j)))})" if method_j * change_j > 0 else ""


def _test(group: Repeats) -> tuple[str, str, str]:
    return group.module, group.class_name, group.method

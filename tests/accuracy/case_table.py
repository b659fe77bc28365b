"""The table of hard cases: each figure with its target, and whether it meets it."""

from __future__ import annotations

from collections.abc import Iterator

from scipy import stats
from world_counts import WorldCounts, left_out

HEAD = (
    "| regime | worlds | false hogs ≤ 2 % | recall ≥ 90 % (inseparable; not judged) | slope 0.9 – 1.1 "
    "| intervals of hogs 92 – 98 % | intervals of all apps | also |",
    "|---|---|---|---|---|---|---|---|",
)
_UNSURE = 0.05
"""A share that misses its target by chance in more than this part of all repetitions is *unsure*."""
_Judged = tuple[str, str, str]
"""A figure's name, text and result: *pass*, *fail*, *unsure* (a miss that may be chance), or empty without a target."""


def case_row(regime: str, counts: WorldCounts, plain: WorldCounts | None) -> str:
    """A regime's row. `plain` has the counts of the same worlds without bad phones."""
    figures = [f"{text} {result}".strip() for _, text, result in _figures(regime, counts)]
    also = "; ".join(f"{name} {text} {result}".strip() for name, text, result in _others(regime, counts, plain))
    return f"| {' | '.join((regime, f'{counts.worlds:.0f}', *figures, also))} |"


def failed_figures(regime: str, counts: WorldCounts, plain: WorldCounts | None) -> list[str]:
    """The figures that miss their targets, also those that may do so by chance."""
    judged = (*_figures(regime, counts), *_others(regime, counts, plain))
    return [f"{name} ({result})" for name, _, result in judged if result in {"fail", "unsure"}]


def _figures(regime: str, counts: WorldCounts) -> Iterator[_Judged]:
    short = regime.startswith("short stays")
    recalled = counts.large_named + (counts.large_inseparable if short else 0)
    slope = counts.found_true / counts.true_true if counts.true_true else 1.0
    yield "false hogs", f"{counts.false:.0f} of {counts.named:.0f}", judged_share(counts.false, max(counts.named, 1), 0.0, 0.02)
    recall = f"{_percent(counts.large_named, counts.large)} of {counts.large:.0f} {left_out(counts)}"
    yield "recall", recall, judged_share(recalled, counts.large, 0.85 if short else 0.9, 1.0)
    yield "slope", f"{slope:.3f}" if counts.true_true else "none", _range(slope, 0.9, 1.1)
    covered = _percent(counts.covered, counts.intervals)
    yield "intervals of hogs", covered, judged_share(counts.covered, counts.intervals, 0.92, 0.98)
    yield "intervals of all apps", _percent(counts.all_covered, counts.all_intervals), ""


def _others(regime: str, counts: WorldCounts, plain: WorldCounts | None) -> Iterator[_Judged]:
    of_upgrade = {key: number for key, number in counts.planted.items() if key.startswith("os-")}
    if of_upgrade:
        named = sum(number for key, number in of_upgrade.items() if key.endswith(": hog"))
        yield "the upgrade's apps: named", f"{named} of {sum(of_upgrade.values())}", _range(named, 0, 0)
        updates = f"{counts.updates_named:.0f} of {counts.updates:.0f}"
        yield "updates with it: said to drain more", updates, _range(counts.updates_named, 0, 0)
    if counts.versions:
        said_more = f"{counts.versions_named:.0f} of {counts.versions:.0f}"
        yield "harmless versions: said to drain more", said_more, judged_share(counts.versions_named, counts.versions, 0.0, 0.02)
        yield "first draining versions: found", f"{counts.first_named:.0f} of {counts.first:.0f}", ""
    if counts.navigation_true:
        ratio = counts.navigation_found / counts.navigation_true
        said = sum(number for key, number in counts.planted.items() if key.startswith("navigation: not separable"))
        result = "pass" if said == counts.worlds else _range(ratio, 0.9, 1.1)
        yield "navigation: estimate/true", f"{ratio:.2f}, inseparable {said} of {counts.worlds:.0f}", result
    if regime == "bad phones" and plain and plain.worlds == counts.worlds:
        ratio = counts.width_percent_h / plain.width_percent_h
        yield "median width over that of plain", f"{ratio:.2f}", _range(ratio, 0.0, 1.1)
    if regime == "all clean" and counts.worlds:
        yield "clean", f"{counts.harmless_clean:.0f} of {counts.harmless:.0f}", ""
        yield "upper bound of half of the apps, %/h", f"{counts.excluded_percent_h / counts.worlds:.2f}", ""


def _range(value: float, low: float, high: float) -> str:
    return "pass" if low <= value <= high else "fail"


def judged_share(part: float, whole: float, low: float, high: float) -> str:
    """Whether a share lies between two bounds: *pass*, *fail*, *unsure* if a miss may be chance, or empty if there is none."""
    if not whole:
        return ""
    if low <= part / whole <= high:
        return "pass"
    side = ("less", low) if part / whole < low else ("greater", high)
    test = stats.binomtest(round(part), round(whole), side[1], alternative=side[0])
    return "unsure" if test.pvalue > _UNSURE else "fail"


def _percent(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "none"

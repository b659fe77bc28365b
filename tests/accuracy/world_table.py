"""Tables of counts of simulated worlds, and the targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from case_table import judged_share
from world.regimes import ROLES
from world_counts import WorldCounts, left_out

HEAD = (
    "| regime | worlds | hogs named, false | recall of hogs ≥ 10 %, ≥ 20 clients (inseparable; not judged) | effect: slope "
    "| 95 % intervals: of hogs, of all apps | first draining versions: named, right, of all | a client's hogs: intervals "
    "| bugs named, true, of all; intervals | the paper's method: named, false |",
    "|---|---|---|---|---|---|---|---|---|---|",
)
PLANTED_HEAD = ("| planted app that drains nothing | claims |", "|---|---|")


def row(regime: str, found: WorldCounts) -> str:
    """A regime's row."""
    cells = (
        regime,
        f"{found.worlds:.0f}",
        f"{found.named:.0f}, {found.false:.0f}",
        f"{_share(found.large_named, found.large)} of {found.large:.0f} {left_out(found)}",
        f"{found.found_true / found.true_true:.3f}" if found.true_true else "",
        f"{_share(found.covered, found.intervals)}, {_share(found.all_covered, found.all_intervals)}",
        f"{found.since_named:.0f}, {found.since_right:.0f}, {found.since:.0f}",
        f"{_share(found.client_covered, found.client_intervals)} of {found.client_intervals:.0f}",
        f"{found.bugs:.0f}, {found.bugs_true:.0f}, {found.all_bugs:.0f}; {_share(found.bugs_covered, found.bug_intervals)}",
        f"{found.paper_named:.0f}, {found.paper_false:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def planted_rows(found: Mapping[str, WorldCounts]) -> Iterator[str]:
    """The verdicts on planted apps, by regime and role."""
    for regime, counts in found.items():
        for role in ROLES:
            claims = {key.split(": ", 1)[1]: number for key, number in counts.planted.items() if key.startswith(f"{role}: ")}
            if claims:
                text = ", ".join(f"{claim} {number}" for claim, number in sorted(claims.items(), key=lambda one: -one[1]))
                yield f"| {regime}: {role} | {text} |"


def missed_targets(regime: str, found: WorldCounts) -> list[str]:
    """The targets that a regime misses, also those that it may miss by chance.

    Without `screen_on_s`, hogs may be inseparable from the screen.
    """
    said = found.large_inseparable if regime.endswith("bare") else 0
    fits = 0.9 * found.true_true <= found.found_true <= 1.1 * found.true_true
    results = {
        "false hogs": judged_share(found.false, found.named, 0.0, 0.02),
        "recall": judged_share(found.large_named + said, found.large, 0.9, 1.0),
        "slope": "pass" if fits else "fail",
        "intervals of hogs": judged_share(found.covered, found.intervals, 0.92, 0.98),
        "first draining versions": judged_share(found.since_right, found.since_named, 0.8, 1.0),
        "false bugs": judged_share(found.bugs_true, found.bugs, 0.85, 1.0),
        "intervals of clients": judged_share(found.client_covered, found.client_intervals, 0.9, 0.97),
    }
    return [f"{name} ({result})" for name, result in results.items() if result in {"fail", "unsure"}]


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "none"

"""The score as Markdown tables and as a plot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scoring import Errors

# Of the allocation table, at the default interval: total, and methods (median over workloads).
LEVEL_TARGETS = {"sched": (0.01, 0.03), "thread-freq": (0.02, 0.05), "thread-time": (0.03, 0.10)}
DEFAULT_MS = 20
_RULES = ("sched", "thread-freq", "thread-time", "device", "paper 1", "E-MANAFA's rule")
_NONE = "–"
_BEGIN, _END = "<!-- tests/accuracy/score.py writes from here -->", "<!-- to here -->"


@dataclass(frozen=True, slots=True)
class Point:
    """The errors of one rule (a level of evidence, or a peer) on one run at one interval; `level` is what the report says."""

    world: str
    workload: str
    seed: int
    interval_ms: int
    rule: str
    level: str
    errors: Errors


def _total(point: Point) -> float | None:
    return None if point.errors.total is None else abs(point.errors.total)


def _own(point: Point) -> float | None:
    return point.errors.own


def _inclusive(point: Point) -> float | None:
    return point.errors.inclusive


def _median(points: Iterable[Point], figure: Callable[[Point], float | None]) -> float | None:
    values = [value for point in points if (value := figure(point)) is not None]
    return median(values) if values else None


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}" if value < 1 else f"{100 * value:.0f}"


def allocation_table(points: Sequence[Point], world: str, intervals: Sequence[int]) -> str:
    """Medians over workloads: total / exclusive / inclusive, in percent; rules by intervals."""
    head = f"| {world}: total / self / inclusive, % | " + " | ".join(f"{ms} ms" for ms in intervals) + " |"
    lines = [head, "|---" * (len(intervals) + 1) + "|"]
    for rule in _RULES:
        cells = []
        for ms in intervals:
            here = [p for p in points if (p.world, p.rule, p.interval_ms) == (world, rule, ms)]
            cells.append(" / ".join(_percent(_median(here, figure)) for figure in (_total, _own, _inclusive)))
        lines.append(f"| {rule} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def workload_table(points: Sequence[Point], ms: int) -> str:
    """Each workload in the allocation world at one interval, over its seeds."""
    head = f"| workload at {ms} ms: total / self, % | " + " | ".join(_RULES[:4]) + " |"
    lines = [head, "|---|---|---|---|---|"]
    for workload in dict.fromkeys(point.workload for point in points):
        cells = []
        for rule in _RULES[:4]:
            wanted = ("allocation", workload, rule, ms)
            here = [p for p in points if (p.world, p.workload, p.rule, p.interval_ms) == wanted]
            cells.append(" / ".join(_percent(_median(here, figure)) for figure in (_total, _own)))
        lines.append(f"| {workload} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def missed(points: Sequence[Point], intervals: Sequence[int]) -> list[str]:
    """What is beyond its target in the allocation world at the default interval, or of another level than it should be."""
    found = []
    for level, targets in LEVEL_TARGETS.items():
        here = [p for p in points if (p.world, p.rule, p.interval_ms) == ("allocation", level, DEFAULT_MS)]
        if not here and DEFAULT_MS in intervals:
            found.append(f"{level}: not scored")
        found += [f"{p.workload}: the evidence of {level} counts as {p.level}" for p in here if p.level != level]
        for what, figure, target in zip(("total", "methods"), (_total, _own), targets, strict=True):
            value = _median(here, figure)
            if value is not None and value > target:
                found.append(f"{level}, {what}: {_percent(value)} % is beyond the target of {100 * target:.0f} %")
    return list(dict.fromkeys(found))


def write_section(path: Path, text: str) -> None:
    """Replace what an earlier run has written into a page."""
    page = path.read_text("utf-8")
    pattern = re.escape(_BEGIN) + ".*" + re.escape(_END)
    section = f"{_BEGIN}\n{text}\n{_END}"
    path.write_text(re.sub(pattern, lambda _: section, page, flags=re.DOTALL), "utf-8")


def plot(points: Sequence[Point], intervals: Sequence[int], path: Path) -> None:
    """Errors over the interval: both worlds, total and methods."""
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "navitas", "svg.fonttype": "none"})
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(2, 2, figsize=(10, 7), sharex=True, sharey="row")
    rows = (("total", _total), ("methods (inclusive)", _inclusive))
    for row, (what, of) in enumerate(rows):
        for column, world in enumerate(("allocation", "model")):
            ax = axes[row][column]
            for rule in _RULES:
                chosen = [[p for p in points if (p.world, p.rule, p.interval_ms) == (world, rule, ms)] for ms in intervals]
                values = [_median(here, of) for here in chosen]
                if any(value is not None for value in values):
                    percents = [float("nan") if value is None else 100 * value for value in values]
                    ax.plot(intervals, percents, marker="o", markersize=3, label=rule)
            ax.set(xscale="log", yscale="log", title=f"{world}: {what}")
            ax.grid(alpha=0.3, which="both")
    for ax in axes[1]:
        ax.set_xlabel("sampling interval, ms")
    for ax in axes[:, 0]:
        ax.set_ylabel("error, % (median over workloads)")
    axes[1][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None})

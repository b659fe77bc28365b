"""The score as Markdown tables and as a plot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from statistics import median, quantiles

from scoring import Errors

# For the allocation world at the default interval: total, and self energy of methods.
LEVEL_TARGETS = {"sched": (0.01, 0.03), "thread-freq": (0.02, 0.05), "thread-time": (0.03, 0.10)}
DEFAULT_MS = 20
OVERWRITTEN = "sched, half of the trace lost"
_LEVELS = ("sched", "thread-freq", "thread-time", "device")
_RULES = (*_LEVELS, "paper 1", "E-MANAFA's rule")
_NONE = "–"
_BEGIN, _END = "<!-- tests/accuracy/score.py writes from here -->", "<!-- to here -->"


@dataclass(frozen=True, slots=True)
class Point:
    """The errors of one rule (a level of evidence, or a peer) on one run at one interval. `level` is the report's level."""

    world: str
    workload: str
    seed: int
    interval_ms: int
    rule: str
    level: str
    errors: Errors


Figure = Callable[[Errors], float | None]
_total, _app, _threads, _own, _inclusive = map(attrgetter, ("total", "app", "threads", "own", "inclusive"))


def _values(points: Iterable[Point], world: str, rule: str, ms: int, figure: Figure) -> list[float]:
    here = (point for point in points if (point.world, point.rule, point.interval_ms) == (world, rule, ms))
    return sorted(abs(value) for point in here if (value := figure(point.errors)) is not None)


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}" if value < 1 else f"{100 * value:.0f}"


def _spread(values: Sequence[float]) -> str:
    """`4.1 (2.7 – 6.0)`: median and quartiles."""
    if len(values) < 2:
        return _percent(_median(values))
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return f"{_percent(middle)} ({_percent(low)} – {_percent(high)})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def spread_table(points: Sequence[Point], worlds: Sequence[str]) -> str:
    """Medians and quartiles of all figures over workloads and seeds, at the default interval, for the rules of both worlds."""
    figures = (_total, _app, _threads, _own, _inclusive)
    runs = len({(point.workload, point.seed) for point in points})
    head = (f"at {DEFAULT_MS} ms, {runs} runs, %", "total", "app's total", "its threads", "methods, self", "methods, inclusive")
    rules = (_RULES[0], OVERWRITTEN, *_RULES[1:])
    cells = (
        [f"{world}: {rule}", *(_spread(_values(points, world, rule, DEFAULT_MS, figure)) for figure in figures)]
        for world in worlds
        for rule in rules
    )
    return _table(head, cells)


def interval_table(points: Sequence[Point], world: str, intervals: Sequence[int]) -> str:
    """Medians over workloads and seeds (total / app / self / inclusive, in percent), by rule and interval."""
    head = (f"{world}: total / app / self / inclusive, %", *(f"{ms} ms" for ms in intervals))
    rows = []
    for rule in _RULES:
        figures = [[_median(_values(points, world, rule, ms, of)) for of in (_total, _app, _own, _inclusive)] for ms in intervals]
        rows.append([rule, *(" / ".join(map(_percent, cell)) for cell in figures)])
    return _table(head, rows)


def workload_table(points: Sequence[Point]) -> str:
    """Medians over seeds of each workload, in the allocation world at the default interval."""
    head = (f"workload at {DEFAULT_MS} ms: total / app / threads / self, %", *_LEVELS)
    rows = []
    for workload in dict.fromkeys(point.workload for point in points):
        of_it = [point for point in points if point.workload == workload]
        values = [
            [_median(_values(of_it, "allocation", rule, DEFAULT_MS, of)) for of in (_total, _app, _threads, _own)]
            for rule in _LEVELS
        ]
        rows.append([workload, *(" / ".join(map(_percent, cell)) for cell in values)])
    return _table(head, rows)


def _judged(points: Sequence[Point]) -> Iterable[tuple[str, str, float, float | None]]:
    """Level, figure, target and measured value of the allocation world at the default interval."""
    for level, targets in LEVEL_TARGETS.items():
        for what, figure, target in zip(("total", "methods"), (_total, _own), targets, strict=True):
            yield level, what, target, _median(_values(points, "allocation", level, DEFAULT_MS, figure))


def targets_table(points: Sequence[Point]) -> str:
    """Targets and measured values, and the workloads whose report has a lower level than the one that is scored."""
    rows = []
    for level, what, target, measured in _judged(points):
        bad = measured is None or measured > target
        rows.append((f"{level}, {what}", f"{100 * target:.0f}", f"{_percent(measured)}{' **(missed)**' if bad else ''}"))
    at = [p for p in points if (p.world, p.interval_ms) == ("allocation", DEFAULT_MS) and p.rule in LEVEL_TARGETS]
    lower = dict.fromkeys(f"{p.workload} ({p.rule} counts as {p.level})" for p in at if p.level != p.rule)
    note = f"\nReports at a lower level than recorded: {', '.join(lower)}.\n" if lower else ""
    return _table((f"median at {DEFAULT_MS} ms, %", "target", "measured"), rows) + note


def missed_targets(points: Sequence[Point]) -> list[str]:
    """Values above their target in the allocation world at the default interval."""
    return [
        f"{level}, {what}: {_percent(measured)} % is beyond the target of {100 * target:.0f} %"
        for level, what, target, measured in _judged(points)
        if measured is None or measured > target
    ]


def write_section(path: Path, text: str) -> None:
    """Replace the section between the markers of a page.

    Raises:
        ValueError: the page lacks the markers.
    """
    page = path.read_text("utf-8")
    if _BEGIN not in page or _END not in page:
        raise ValueError(f"{path}: there is no section between {_BEGIN} and {_END}")
    pattern = re.escape(_BEGIN) + ".*" + re.escape(_END)
    section = f"{_BEGIN}\n{text}\n{_END}"
    path.write_text(re.sub(pattern, lambda _: section, page, flags=re.DOTALL), "utf-8")


def plot(points: Sequence[Point], intervals: Sequence[int], path: Path) -> None:
    """Plot errors over the interval, for both worlds, total and methods."""
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "navitas", "svg.fonttype": "none"})
    from matplotlib import pyplot as plt  # noqa: PLC0415

    rows = (("total", _total), ("app's total", _app), ("methods, inclusive", _inclusive))
    figure, axes = plt.subplots(len(rows), 2, figsize=(10, 10), sharex=True, sharey="row")
    for row, (what, of) in enumerate(rows):
        for column, world in enumerate(("allocation", "model")):
            ax = axes[row][column]
            for rule in _RULES:
                values = [_median(_values(points, world, rule, ms, of)) for ms in intervals]
                if any(value is not None for value in values):
                    percents = [float("nan") if value is None else 100 * value for value in values]
                    ax.plot(intervals, percents, marker="o", markersize=3, label=rule)
            ax.set(xscale="log", yscale="log", title=f"{world}: {what}")
            ax.grid(alpha=0.3, which="both")
    for ax in axes[-1]:
        ax.set_xlabel("sampling interval, ms")
    for ax in axes[:, 0]:
        ax.set_ylabel("error, % (median over runs)")
    axes[-1][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None})

"""The tables of the experiment, and its targets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple, TypeVar

from rich.table import Table

from traffic.runs import INTERVALS_MS, PLAIN
from traffic.scores import MEDIA, Costs, EnergyScore, RunScore

_NONE = "–"
_HOOKED = ("hooks", "both")
_RAILS_LIMIT = 0.02  # the monitor has a gain of 0.5 % and a noise of 0.2 % (σ)
Score = TypeVar("Score", RunScore, EnergyScore)


class ByteErrors(NamedTuple):
    """Errors of all methods: of the recording's hooks, of equation (2), and of the report."""

    hooked: list[float | None]
    sampled: list[float | None]
    reported: list[float | None]


def _table(title: str, *heads: str, first: str = "recording") -> Table:
    table = Table(first, title=title)
    for head in heads:
        table.add_column(head, justify="right")
    return table


def _percent(value: float | None, digits: int = 1) -> str:
    return _NONE if value is None else f"{100 * value:.{digits}f}"


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _worst(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _by_variant(scores: Sequence[Score]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    for score in sorted(scores, key=lambda each: (each.seed, each.variant)):
        found.setdefault(score.variant, []).append(score)
    names = [PLAIN.name, *(f"sampling {ms} ms" for ms in INTERVALS_MS), *_HOOKED]
    return {name: found[name] for name in names if name in found}


def _abs(value: float | None) -> float | None:
    return None if value is None else abs(value)


def byte_errors(scores: Sequence[RunScore], medium: str) -> ByteErrors:
    """Return the errors of all methods' bytes."""
    of_it = [each for score in scores for each in score.bytes if each.medium == medium]
    return ByteErrors(
        [_abs(each.hooked_error) for each in of_it],
        [_abs(each.sampled_error) for each in of_it],
        [_abs(each.reported_error) for each in of_it],
    )


def bytes_table(scores: Sequence[RunScore]) -> Table:
    """Return total error, allocation error (variance; median and worst of methods), by way of recording and medium."""
    heads = (
        "medium",
        "counters off %",
        "total error %",
        "variance B²",
        "eq. 2 %",
        "worst %",
        "hooks: worst %",
        "report %",
        "worst %",
    )
    table = _table("Bytes of methods, against the server's log and the files' sizes", *heads)
    for name, runs in _by_variant(scores).items():
        for medium in MEDIA:
            allocations = [each for score in runs for each in score.allocations if each.medium == medium]
            errors = byte_errors(runs, medium)
            variance = _median(each.variance for each in allocations)
            table.add_row(
                name,
                medium,
                _percent(_median(abs(each.growth_error) for each in allocations)),
                _percent(_median(abs(each.total_error) for each in allocations)),
                _NONE if variance is None else f"{variance:.3g}",
                _percent(_median(errors.sampled)),
                _percent(_worst(errors.sampled)),
                _percent(_worst(errors.hooked), 3),
                _percent(_median(errors.reported)),
                _percent(_worst(errors.reported)),
            )
    return table


def joule_errors(scores: Sequence[EnergyScore], component: str, evidence: str, *, shares: bool) -> list[float]:
    """Return the relative errors of all methods' energies, or of their shares."""
    of_it = [each for score in scores for each in score.joules if (each.component, each.evidence) == (component, evidence)]
    return [abs(each.share_error if shares else each.error) for each in of_it]


def energy_table(scores: Sequence[EnergyScore]) -> Table:
    """Return the errors of methods' energies, with and without rails, and totals against rails."""
    ratios = ("total/rails", "model/rails", "truth/rails")
    heads = ("component", "evidence", "level", "methods %", "shares %", "worst share %", *ratios)
    table = _table("Energy of methods against the truth, and of components against their rails", *heads)
    for name, runs in _by_variant(scores).items():
        kinds = dict.fromkeys((total.component, total.evidence) for score in runs for total in score.totals)
        for component, evidence in kinds:
            totals = [t for score in runs for t in score.totals if (t.component, t.evidence) == (component, evidence)]
            shares = joule_errors(runs, component, evidence, shares=True)
            table.add_row(
                name,
                component,
                evidence,
                totals[0].level,
                _percent(_median(joule_errors(runs, component, evidence, shares=False))),
                _percent(_median(shares)),
                _percent(_worst(shares)),
                *(
                    _NONE if ratio is None else f"{ratio:.3f}"
                    for ratio in (
                        _median(t.reported_j / t.run_rails_j for t in totals if t.run_rails_j),
                        _median(t.unscaled_j / t.rails_j for t in totals if t.rails_j and t.unscaled_j),
                        _median(t.true_j / t.test_rails_j for t in totals if t.test_rails_j),
                    )
                ),
            )
    return table


def _figure(costs: Costs, name: str) -> float | None:
    """Return a figure of the costs, or of those of calls, which runs without calls lack."""
    figure: float | None = getattr(costs if hasattr(costs, name) else costs.calls, name, None)
    return figure


def _pairs(scores: Sequence[RunScore], name: str, figure: str) -> list[tuple[float, float]]:
    """Return a figure of each seed, in a variant and without recording."""
    plain = {score.seed: _figure(score.costs, figure) for score in scores if score.variant == PLAIN.name}
    both = ((_figure(score.costs, figure), plain.get(score.seed)) for score in scores if score.variant == name)
    return [(mine, without) for mine, without in both if mine is not None and without is not None]


def cost_ratio(scores: Sequence[RunScore], name: str, figure: str) -> float | None:
    """Return the median over seeds of a variant's figure, divided by that of the run without recording."""
    return _median(mine / without for mine, without in _pairs(scores, name, figure))


def added(scores: Sequence[RunScore], name: str, figure: str) -> float | None:
    """Return the median over seeds of what a variant adds to a figure."""
    return _median(mine - without for mine, without in _pairs(scores, name, figure))


def cost_table(scores: Sequence[RunScore]) -> Table:
    """Return what each way of recording costs, as ratios to no recording."""
    times = ("run time", "its CPU", "small downloads", "their CPU", "ns added to a write", "its CPU ns")
    table = _table("Cost, as ratio to no recording (medians of pairs)", *times, "recorded MB", "API calls")
    for name, runs in _by_variant(scores).items():
        ratios = [cost_ratio(scores, name, figure) for figure in ("wall_s", "cpu_s", "download_ns", "download_cpu_ns")]
        writes = [added(scores, name, figure) for figure in ("write_ns", "write_cpu_ns")]
        table.add_row(
            name,
            *(_NONE if ratio is None else f"{ratio:.3f}" for ratio in ratios),
            *(_NONE if ns is None else f"{ns:.0f}" for ns in writes),
            f"{median(score.costs.recorded_bytes for score in runs) / 1e6:.2f}",
            f"{median(score.api_calls for score in runs):.0f}",
        )
    return table


def targets_table(scores: Sequence[RunScore], devices: Sequence[EnergyScore] = ()) -> tuple[Table, bool]:
    """Return targets and measured values, and whether all that were measured are kept."""

    def of(name: str) -> list[RunScore]:
        return [score for score in scores if score.variant == name]

    half, tenth = "sampling 500 ms", "sampling 100 ms"
    hooked = [score for name in _HOOKED for score in of(name)]
    energies = [*(score.energy for score in hooked), *devices]
    rows: list[tuple[str, float | None, float, int]] = []
    for medium in MEDIA:
        sampled, counted = byte_errors(of(half), medium), byte_errors(hooked, medium)
        rows.append((f"{half}: bytes of methods, {medium}, median %", _median(sampled.reported), 0.10, 100))
        rows.append((f"hooks: bytes of methods, {medium}, median %", _median(counted.reported), 0.01, 100))
        rows.append((f"hooks: recorded bytes of methods, {medium}, worst %", _worst(counted.hooked), 0.01, 100))
    components = dict.fromkeys(total.component for energy in energies for total in energy.totals)
    for component in components:
        for evidence, limit in (("rails", 0.10), ("model", 0.25)):
            errors = joule_errors(energies, component, evidence, shares=True)
            if errors:
                rows.append((f"hooks, {evidence}: shares of methods, {component}, median %", median(errors), limit, 100))
        totals = [t for energy in energies for t in energy.totals if (t.component, t.evidence) == (component, "rails")]
        off = _median(abs(t.reported_j / t.rails_j - 1) for t in totals if t.rails_j and t.level == "rails")
        rows.append((f"hooks, rails: total of {component} against its rails %", off, _RAILS_LIMIT, 100))
    rows += [
        ("hooks: ratio of run time", cost_ratio(scores, "hooks", "wall_s"), 1.2, 1),
        ("hooks: ratio of CPU time", cost_ratio(scores, "hooks", "cpu_s"), 1.2, 1),
        ("hooks: ratio of small downloads", cost_ratio(scores, "hooks", "download_ns"), 1.2, 1),
        ("hooks: CPU ns of a call", added(scores, "hooks", "write_cpu_ns"), 1000, 1),
        (f"{tenth}: ratio of run time", cost_ratio(scores, tenth, "wall_s"), 1.02, 1),
        (f"{tenth}: ratio of CPU time", cost_ratio(scores, tenth, "cpu_s"), 1.02, 1),
    ]
    table = _table("Targets", "target", "measured", first="figure")
    known = [(name, value, limit, unit) for name, value, limit, unit in rows if value is not None]
    for name, value, limit, unit in known:
        table.add_row(name, f"{unit * limit:g}", f"{unit * value:.3g}{' (missed)' if value > limit else ''}")
    return table, all(value <= limit for _, value, limit, _ in known)

"""Fit coefficients of components to the power that rails or a power meter measured, over several recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from pydantic import ValidationError

from navitas import __version__
from navitas.base.errors import UsageError
from navitas.energy.analyze.fitting.least_squares import LeastSquares, TooFewRowsError, least_squares
from navitas.energy.analyze.fitting.measured_energy import MeterReadings, interval_edges, metered_energy, rail_energy
from navitas.energy.analyze.fitting.parameters import PARAMETERS, FitParameter, rates, uses_of
from navitas.energy.analyze.load import Loaded
from navitas.energy.attribute.analysis_settings import MODEL_ONLY
from navitas.energy.attribute.component import RailUse
from navitas.energy.attribute.component_registry import COMPONENTS
from navitas.energy.attribute.curves import EMPTY_CURVE, Curve
from navitas.energy.attribute.measured_runs import MeasuredRuns
from navitas.energy.attribute.scaling import RailGroup, rail_groups
from navitas.power.defects import MOST_W
from navitas.power.fitted_model import FittedCoefficient, FittedGroup, FittedModel, listed
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.tables import RunTables

TOTAL = "all rails"
_DAMAGED = "The readings are damaged: record again."
_NO_USE = "Record with --record hooks or --record sampling, while the components are used."


class _ImpossibleError(UsageError):
    """The measured power, or what follows from it, is impossible."""


@dataclass(frozen=True, slots=True)
class FitRequest:
    """What to fit to. `interval_s`: the least length of an interval.

    `total`: fit all components to the sum of all rails, instead of each one to its own rails. `meter`: fit all to this meter.
    """

    interval_s: float = 1.0
    total: bool = False
    meter: MeterReadings | None = None


@dataclass(slots=True)
class _UsedRun:
    """A run, its number among all runs, and the cumulative use of each known parameter."""

    tables: RunTables
    name: str
    recording: int
    uses: Mapping[str, Curve]


@dataclass(frozen=True, slots=True)
class _Measurement:
    """Cumulative measured energy of each run, and the parameters that may explain it. `base_of` is as in `FittedGroup`."""

    by: tuple[str, ...]
    energy: Mapping[int, Curve]
    parameters: tuple[FitParameter, ...]
    base_of: str | None = None


@dataclass(slots=True)
class ComponentFit:
    """The fitted model, and what could not be fitted, with the reason."""

    model: FittedModel
    notes: list[str] = field(default_factory=list)


def fit_components(loaded: Sequence[Loaded], request: FitRequest) -> ComponentFit:
    """Fit a model to all recordings, which must be of one model of phone.

    Raises `UsageError` if nothing was measured, no use was recorded, or there are too few intervals.
    """
    devices = {one.manifest.device.model for one in loaded}
    if len(devices) > 1:
        raise UsageError(f"the recordings are of different devices: {', '.join(sorted(devices))}", "fit each device by itself")
    runs = [run for number, one in enumerate(loaded) for run in _used_runs(one, number)]
    notes: list[str] = []
    measurements = _measurements(runs, request, notes)
    if not measurements:
        raise UsageError(
            f"{_names(loaded)}: no power was measured while components were used",
            "give recordings of a phone with power rails (navitas doctor), or --meter FILE",
        )
    groups, failures = [], []
    for measurement in measurements:
        try:
            group = _fit(runs, measurement, request)
        except (TooFewRowsError, _ImpossibleError) as error:
            failures.append(error)
            notes.append(error.message)
            continue
        if isinstance(group, FittedGroup):
            groups.append(group)
        else:
            notes.append(f"{listed(measurement.by)}: {group}")
    if not groups:
        raise failures[0] if failures else UsageError(f"{_names(loaded)}: no use of components was recorded", _NO_USE)
    device = loaded[0].manifest.device
    model = FittedModel(
        navitas_version=__version__,
        source=[one.path.resolve().name[:200] for one in loaded],
        device=device.model[:200],
        fingerprint=device.fingerprint[:200],
        groups=groups,
    )
    return ComponentFit(model, notes)


def _names(loaded: Sequence[Loaded]) -> str:
    return ", ".join(str(one.path) for one in loaded)


def _used_runs(loaded: Loaded, number: int) -> Iterator[_UsedRun]:
    measured = MeasuredRuns(loaded.parsed, loaded.manifest, loaded.model, MODEL_ONLY)
    for run in loaded.parsed.runs:
        inputs = measured.inputs(run)
        cpu = COMPONENTS[0].curves(run, inputs)
        yield _UsedRun(run, f"{loaded.path.name} run {run.run_id}", number, uses_of(run, inputs, cpu))


def _measurements(runs: Sequence[_UsedRun], request: FitRequest, notes: list[str]) -> list[_Measurement]:
    everything = tuple(each for each in PARAMETERS if not each.alone)
    if request.meter is not None:
        meter = request.meter
        estimates = [run.uses.get("cpu.estimate", EMPTY_CURVE) for run in runs]
        energy = {
            number: metered_energy(run.tables, run.name, estimates[number], meter, notes) for number, run in enumerate(runs)
        }
        return [_Measurement((request.meter.name,), energy, everything)]
    if request.total:
        known = _rail_energies(runs, lambda _: True)
        return [_Measurement((TOTAL,), known, everything)] if known else []
    names = dict.fromkeys(name for run in runs if run.tables.devices.rails is not None for name in run.tables.devices.rails.names)
    groups = rail_groups(names, COMPONENTS, {RailUse.TOTAL, RailUse.ACTIVE})
    return [found for group in groups if (found := _by_rails(runs, group)).energy]


def _by_rails(runs: Sequence[_UsedRun], group: RailGroup) -> _Measurement:
    """Components that share a rail are fitted together."""
    measured = [COMPONENTS[member].name for member in group.members]
    parameters = tuple(each for each in PARAMETERS if each.component in measured)
    base_of = measured[0] if len(measured) == 1 else None
    return _Measurement(tuple(sorted(group.rails)), _rail_energies(runs, group.rails.__contains__), parameters, base_of)


def _rail_energies(runs: Sequence[_UsedRun], is_wanted: Callable[[str], bool]) -> dict[int, Curve]:
    """The cumulative energy of rails in each run that has at least two readings of them."""
    found = {number: rail_energy(run.tables, is_wanted) for number, run in enumerate(runs)}
    return {number: energy for number, energy in found.items() if energy is not None}


def _fit(runs: Sequence[_UsedRun], measurement: _Measurement, request: FitRequest) -> FittedGroup | str:
    """Fit one measurement, or return why there is nothing to fit. Raises `TooFewRowsError` or `_ImpossibleError`."""
    known = [
        parameter
        for parameter in measurement.parameters
        if all(parameter.name in runs[number].uses for number in measurement.energy)
    ]
    partly = [
        parameter.name
        for parameter in measurement.parameters
        if parameter not in known and any(parameter.name in runs[number].uses for number in measurement.energy)
    ]
    if not known:
        return "no use of its components was recorded"
    names = [parameter.name for parameter in known]
    steps = [_Steps.of(runs[number], energy, names, request.interval_s) for number, energy in measurement.energy.items()]
    use, power_w, seconds, part = (np.concatenate([getattr(each, name) for each in steps]) for name in _Steps.__slots__)
    if power_w.max(initial=0.0) > MOST_W:
        raise _ImpossibleError(f"{listed(measurement.by)}: {power_w.max():,.0f} W were measured, which is impossible", _DAMAGED)
    fit = least_squares(use, power_w, seconds, part, names, what=listed(measurement.by))
    if not fit.kept:
        return f"the use of its components never changed ({listed(names)})"
    notes = [*fit.notes, *(f"{name}: was not recorded in every run, so it is left out" for name in partly)]
    try:
        return _group(measurement, known, fit, len(power_w), notes)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        message = f"{listed(measurement.by)}: the fit gives an impossible figure, {first['input']}: {first['msg']}"
        raise _ImpossibleError(message, _DAMAGED) from None


def _group(
    measurement: _Measurement, known: Sequence[FitParameter], fit: LeastSquares, intervals: int, notes: Sequence[str]
) -> FittedGroup:
    chosen = [known[column] for column in fit.kept]
    return FittedGroup(
        components=list(dict.fromkeys(parameter.component for parameter in chosen)),
        measured_by=[name[:200] for name in measurement.by],
        base_of=measurement.base_of,
        intervals=intervals,
        base_w=fit.base,
        base_error_w=fit.base_error,
        coefficients=[
            FittedCoefficient(
                parameter=parameter.name,
                unit=parameter.unit,
                value=float(fit.coefficient[number]),
                standard_error=float(fit.error[number]),
                inflation=float(fit.inflation[number]) if len(chosen) > 1 else None,
            )
            for number, parameter in enumerate(chosen)
        ],
        r2=fit.r2,
        rmse_w=fit.rmse,
        held_out_error=float(np.median(np.abs(fit.held_out))) if len(fit.held_out) else None,
        notes=list(notes),
    )


@dataclass(frozen=True, slots=True)
class _Steps:
    """The intervals of a run: mean rate of each use, mean power, length, and number of the recording."""

    use: F64
    power_w: F64
    seconds: F64
    part: I64

    @classmethod
    def of(cls, run: _UsedRun, energy: Curve, names: Sequence[str], interval_s: float) -> _Steps:
        edges_ns = interval_edges(energy, interval_s)
        seconds = np.diff(edges_ns) / 1e9
        power_w = np.diff(energy.at(edges_ns)) / seconds
        return cls(rates(run.uses, names, edges_ns), power_w, seconds, np.full(len(seconds), run.recording))

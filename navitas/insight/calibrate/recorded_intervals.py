"""Intervals of recordings with measured power, and how much of each coefficient of the CPU they used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from navitas.base.errors import UsageError
from navitas.energy.analyze.fitting.measured_energy import MeterReadings, interval_edges, metered_energy, rail_energy
from navitas.energy.analyze.fitting.parameters import estimate_at
from navitas.energy.analyze.load import Loaded
from navitas.energy.attribute.analysis_settings import MODEL_ONLY
from navitas.energy.attribute.component import RailUse
from navitas.energy.attribute.component_registry import COMPONENTS
from navitas.energy.attribute.curves import Curve, distinct
from navitas.energy.attribute.measured_runs import MeasuredRuns
from navitas.insight.calibrate.cpu_coefficients import CpuCoefficients
from navitas.insight.calibrate.fit_rows import IntervalSource
from navitas.insight.calibrate.operating_points import LEAST_MW
from navitas.power.model import CpuPower, PowerModel
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.tables import RunTables

_STEP = 1e-3
"""The relative change of a coefficient that shows its use. It is small, so that estimates place threads as before."""
_ESTIMATE_STEPS = 20_000


def intervals_of(
    loaded: Loaded,
    coefficients: CpuCoefficients,
    model: PowerModel,
    *,
    interval_s: float,
    meter: MeterReadings | None,
    notes: list[str],
) -> IntervalSource:
    """Return the intervals of a recording whose power its rails, or a meter, measured.

    `model` is the start for the phone, and `interval_s` the least length of intervals. Without a meter, the CPU's rails count.
    `notes` gets what users should know about the alignment. Raises `UsageError` if no power was measured.
    """
    measured = MeasuredRuns(loaded.parsed, loaded.manifest, model, MODEL_ONLY)
    uses, powers = [], []
    for run in loaded.parsed.runs:
        name = f"{loaded.path.name} run {run.run_id}"
        energy = _energy(measured, run, name, meter, notes)
        if energy is None:
            continue
        edges_ns = interval_edges(energy, interval_s)
        seconds = np.diff(edges_ns) / 1e9
        power_mw = np.diff(energy.at(edges_ns)) / seconds * 1e3
        kept = power_mw > LEAST_MW
        uses.append(_uses(measured, run, coefficients, edges_ns, seconds)[kept])
        powers.append(power_mw[kept])
    if not uses or not sum(map(len, powers)):
        raise UsageError(
            f"{loaded.path}: no power of the CPU was measured",
            "Give recordings of a phone with power rails (navitas doctor), or --meter FILE.",
        )
    return IntervalSource(loaded.path.name, np.concatenate(uses), np.concatenate(powers))


def _energy(measured: MeasuredRuns, run: RunTables, name: str, meter: MeterReadings | None, notes: list[str]) -> Curve | None:
    """The energy of the CPU's rails without their base, or of the whole phone by a meter."""
    cpu = COMPONENTS[0]
    if meter is None:
        return rail_energy(run, lambda rail: cpu.rail_use(rail) is RailUse.ACTIVE)
    t_ns = distinct(np.linspace(run.start_ns, run.end_ns, _ESTIMATE_STEPS + 1).astype(np.int64))
    return metered_energy(run, name, Curve(t_ns, _estimate(measured, run, measured.model.cpu, t_ns)), meter, notes)


def _uses(measured: MeasuredRuns, run: RunTables, coefficients: CpuCoefficients, edges_ns: I64, seconds: F64) -> F64:
    """The estimate is linear in the coefficients: a small change of one of them shows how much of it was used."""
    plain = _estimate(measured, run, coefficients.scaled(coefficients.target), edges_ns)
    columns = []
    for place in range(len(coefficients.target)):
        scales = coefficients.target.copy()
        scales[place] += _STEP
        grown = _estimate(measured, run, coefficients.scaled(scales), edges_ns)
        columns.append(np.diff(grown - plain) / _STEP / seconds * 1e3)
    return np.maximum(np.stack(columns, axis=1), 0.0)


def _estimate(measured: MeasuredRuns, run: RunTables, cpu: CpuPower, t_ns: I64) -> F64:
    """The cumulative energy of the CPU by these coefficients, without base."""
    inputs = measured.inputs(run)
    curves = COMPONENTS[0].curves(run, replace(inputs, model=replace(inputs.model, cpu=cpu)))
    if curves is None:
        return np.zeros(len(t_ns))
    return estimate_at(curves, t_ns)


def policies_of(loaded: Sequence[Loaded]) -> tuple[list[tuple[int, list[int]]], dict[int, list[int]]]:
    """Return the policies of the recordings' phone, and their frequencies. Raises `UsageError` if phones differ."""
    devices = {one.manifest.device.model for one in loaded}
    if len(devices) > 1:
        raise UsageError(f"the recordings are of different devices: {', '.join(sorted(devices))}", "Calibrate each by itself.")
    policies = [(policy.id, policy.cpus) for policy in loaded[0].manifest.device.policies]
    runs = [run for one in loaded for run in one.parsed.runs]
    return policies, {table.policy: table.freq_khz.tolist() for run in runs for table in run.cpu.time_in_state}

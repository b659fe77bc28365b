"""Storage and the GPU, which no power profile names: their energy is known from rails or a fitted model only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from navitas.energy.attribute.component import ComponentCurves, ComponentInputs
from navitas.energy.attribute.curves import Curve, added, constant_power, during, flow_of, merged
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.hardware.call_bytes import shared_by_weight
from navitas.energy.attribute.hardware.levels import HardwareComponent
from navitas.energy.attribute.hardware.traffic import APP, CALL, OTHERS, Traffic, charges_of_bytes, traffic_of
from navitas.energy.attribute.scaling import RAILS, floor_of, measured_only, rail_curve
from navitas.recording.parse.arrays import cumulative
from navitas.recording.parse.hook_calls import STORAGE
from navitas.recording.parse.tables import RunTables

_BYTES_PER_MB = 1e6


class Gpu(HardwareComponent):
    """The GPU: what its rail measured, or what a fitted model says of the lit screen. Who used it is unknown."""

    name = "gpu"

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        rail = rail_curve(run, self) if inputs.settings.use_rails else None
        fitted = _fitted_gpu(run, inputs)
        return fitted if rail is None else _measured(rail, fitted)


class Storage(HardwareComponent):
    """Storage: in each interval between readings of its rail, calls share its energy by the bytes that they read and wrote.

    The rail's lowest power is base. Intervals without bytes are unattributed: the kernel writes in the background.
    Without a rail, a fitted model gives the energy of each byte.
    """

    name = "storage"

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        rail = rail_curve(run, self) if inputs.settings.use_rails else None
        traffic = traffic_of(run, inputs, STORAGE, ("storage",), counters_are_total=True)
        fitted = _fitted_storage(run, inputs, traffic)
        if rail is None:
            return fitted
        measured = _measured(rail, fitted)
        if traffic is None:
            return measured
        base = floor_of(rail)
        above_j = np.diff(rail.value - base.value)
        moved = traffic.received + traffic.sent
        shared = shared_by_weight(traffic.begin_ns, traffic.end_ns, moved, rail.t_ns, np.maximum(above_j, 0.0))
        energy_j = np.bincount(shared.call, shared.amount, len(traffic)).astype(np.float64)
        charges = charges_of_bytes(traffic, energy_j)

        def interval_curve(who: int) -> Curve:
            rows = traffic.owner[shared.call] == who
            joules = binned(shared.interval[rows], shared.amount[rows], len(above_j))
            return Curve(rail.t_ns, cumulative(joules))

        others, calls = interval_curve(OTHERS), interval_curve(CALL)
        rest = Curve(rail.t_ns, np.maximum.accumulate(rail.value - base.value - others.value - calls.value))
        flow = added([base, others, calls, rest])
        return replace(
            measured,
            level=RAILS,
            reasons=traffic.reasons,
            charges=charges,
            base=base,
            other_processes=others,
            unattributed=rest,
            flow=flow,
        )


def _measured(rail: Curve, fitted: ComponentCurves | None) -> ComponentCurves:
    """What the rail measured, and what a fitted model alone estimates for the same time."""
    measured = measured_only(rail)
    return measured if fitted is None else replace(measured, unscaled_j=fitted.during(int(rail.t_ns[0]), int(rail.t_ns[-1])))


def _fitted_gpu(run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
    """The power of the lit screen, and the base power at all times. None without a fitted model or the screen's state."""
    values = {} if inputs.model.fitted is None else inputs.model.fitted.values("gpu")
    states = run.devices.states
    if "screen" not in values or states is None or not states.has("screen") or run.end_ns <= run.start_ns:
        return None
    run_ns = run.start_ns, run.end_ns
    rest = during(*merged(*states.on("screen", run_ns)), constant_power(values["screen"], run_ns))
    return ComponentCurves("states", (), base=constant_power(values.get("base", 0.0), run_ns), unattributed=rest)


def _fitted_storage(run: RunTables, inputs: ComponentInputs, traffic: Traffic | None) -> ComponentCurves | None:
    """The energy of each byte, and the base power at all times. None without a fitted model or traffic."""
    values = {} if inputs.model.fitted is None else inputs.model.fitted.values("storage")
    if not values or traffic is None or run.end_ns <= run.start_ns:
        return None
    run_ns = run.start_ns, run.end_ns
    energy_j = (traffic.received * values.get("read", 0.0) + traffic.sent * values.get("written", 0.0)) / _BYTES_PER_MB

    def flow(who: int) -> Curve:
        rows = traffic.owner == who
        return flow_of(traffic.begin_ns[rows], traffic.end_ns[rows], energy_j[rows], run_ns)

    base, calls, app, others = constant_power(values.get("base", 0.0), run_ns), flow(CALL), flow(APP), flow(OTHERS)
    charges = charges_of_bytes(traffic, energy_j)
    return ComponentCurves(
        traffic.level,
        traffic.reasons,
        charges=charges,
        base=base,
        other_processes=others,
        unattributed=app,
        flow=added([base, calls, app, others]),
    )

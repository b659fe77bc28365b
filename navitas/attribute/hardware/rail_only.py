"""Storage and the GPU, which no power profile names: their energy is known from rails only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from navitas.attribute.component import ComponentCurves, ComponentInputs, RailUse
from navitas.attribute.curves import Curve, added
from navitas.attribute.hardware.io_sharing import shared_by_weight
from navitas.attribute.hardware.levels import LEVELS
from navitas.attribute.hardware.traffic import CALL, OTHERS, charges_of_bytes, traffic_of
from navitas.attribute.pixel_rails import total_of
from navitas.attribute.scaling import RAILS, floor_of, measured_only, rail_curve
from navitas.parse.hook_calls import STORAGE
from navitas.parse.tables import RunTables


class Gpu:
    """The GPU: what its rail measured. Who used it is unknown."""

    name = "gpu"
    levels = LEVELS

    def rail_use(self, rail: str) -> RailUse | None:
        """As `Component.rail_use`."""
        return total_of(self.name, rail)

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        """As `Component.curves`."""
        rail = rail_curve(run, self) if inputs.use_rails else None
        return None if rail is None else measured_only(rail)


class Storage:
    """Storage: in each interval between readings of its rail, calls share its energy by the bytes that they read and wrote.

    The rail's lowest power is base. Intervals without bytes are unattributed: the kernel writes in the background.
    """

    name = "storage"
    levels = LEVELS

    def rail_use(self, rail: str) -> RailUse | None:
        """As `Component.rail_use`."""
        return total_of(self.name, rail)

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        """As `Component.curves`."""
        rail = rail_curve(run, self) if inputs.use_rails else None
        if rail is None:
            return None
        traffic = traffic_of(run, inputs, STORAGE, ("storage",), counters_are_total=True)
        measured = measured_only(rail)
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
            joules = np.bincount(shared.interval[rows], shared.amount[rows], len(above_j))
            return Curve(rail.t_ns, np.concatenate([[0.0], np.cumsum(joules)]))

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

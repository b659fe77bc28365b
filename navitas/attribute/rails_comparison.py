"""Compare the estimate with the device's power rails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.component import Component, ComponentCurves, RailUse
from navitas.attribute.scaling import floor_of, measured_curve
from navitas.attribute.shared_rails import rail_groups
from navitas.parse.tables import RunTables


def rails_comparison(
    run: RunTables, components: Sequence[Component], curves: Sequence[ComponentCurves | None]
) -> tuple[float, float] | None:
    """Estimated and measured joules from the first to the last reading of the rails within the run.

    Both sums cover the same consumers: components with an estimate and a rail. Base power counts if it has a rail. Components
    that are scaled to their rails (`RailUse.TOTAL`) are not compared: `Evidence` has their figures. None if
    there is no such rail, or fewer than two readings.
    Readings are not interpolated, because interpolation would spread the energy of the process's last moments over the time
    after its end.
    """
    rails = run.rails
    if rails is None:
        return None
    inside = np.flatnonzero((rails.t_ns >= run.start_ns) & (rails.t_ns <= run.end_ns))
    if len(inside) < 2:
        return None
    first, last = inside[0], inside[-1]
    from_ns, to_ns = int(rails.t_ns[first]), int(rails.t_ns[last])
    used_j = rails.energy_j[last] - rails.energy_j[first]
    compared, estimate_j, measured_j = False, 0.0, 0.0
    for component, known in zip(components, curves, strict=True):
        uses = [use if use is not RailUse.TOTAL else None for use in map(component.rail_use, rails.names)]
        if known is None or not any(uses):
            continue
        base_j = known.base.between(from_ns, to_ns)
        if RailUse.ACTIVE in uses:
            estimate_j += known.between(from_ns, to_ns) - base_j
        if RailUse.BASE in uses:
            estimate_j += base_j
        measured_j += float(used_j[[use is not None for use in uses]].sum())
        compared = True
    return (estimate_j, measured_j) if compared else None


def unrecorded_uses(run: RunTables, components: Sequence[Component]) -> tuple[tuple[str, float], ...]:
    """What the rails of components measured above their lowest power, in joules, if the use of components was not recorded.

    Of components that share a rail, the first one has it. Empty if their use was recorded.
    """
    found = []
    names = () if run.has_components or run.rails is None else run.rails.names
    for group in rail_groups(names, components, {RailUse.TOTAL}):
        curve = measured_curve(run, group.rails)
        if curve is not None:
            found.append((components[group.members[0]].name, float(curve.value[-1] - floor_of(curve).value[-1])))
    return tuple(found)

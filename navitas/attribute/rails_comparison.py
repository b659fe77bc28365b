"""The estimate beside the device's own power rails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.component import ComponentCurves
from navitas.parse.tables import RunTables


def rails_comparison(run: RunTables, components: Sequence[ComponentCurves | None]) -> tuple[float, float] | None:
    """Estimated and measured joules from the first to the last reading of the rails within the run; None without rails.

    All rails are summed: those of the virtual phone are the CPU's and its base power's. Nothing is interpolated between readings:
    what the process spends in its last moments would be spread over the time after its end.
    """
    rails = run.rails
    if rails is None:
        return None
    inside = np.flatnonzero((rails.t_ns >= run.start_ns) & (rails.t_ns <= run.end_ns))
    if len(inside) < 2:
        return None
    first, last = inside[0], inside[-1]
    measured_j = float(rails.energy_j[last].sum() - rails.energy_j[first].sum())
    from_ns, to_ns = int(rails.t_ns[first]), int(rails.t_ns[last])
    return sum(curves.between(from_ns, to_ns) for curves in components if curves is not None), measured_j

"""The estimate beside the device's own power rails."""

from __future__ import annotations

import numpy as np

from navitas.attribute.curves import Curve
from navitas.attribute.energy import RunEnergy
from navitas.parse.tables import RunTables


def rails_comparison(run: RunTables, energy: RunEnergy) -> tuple[float, float] | None:
    """Estimated and measured joules over the time that both cover; None without rails.

    All rails are summed: those of the virtual phone are the CPU's and its base power's.
    """
    rails = run.rails
    if rails is None or len(rails.t_ns) < 2:
        return None
    start_ns = max(int(rails.t_ns[0]), run.start_ns)
    end_ns = min(int(rails.t_ns[-1]), run.end_ns)
    if end_ns <= start_ns:
        return None
    t_ns, first = np.unique(rails.t_ns, return_index=True)
    measured = Curve(t_ns, rails.energy_j.sum(axis=1)[first])
    return energy.between(start_ns, end_ns), measured.between(start_ns, end_ns)

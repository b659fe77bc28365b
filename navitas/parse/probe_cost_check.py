"""Check that the probe cost in a recording is physically possible."""

from __future__ import annotations

from typing import Final

from navitas.parse.findings import Findings
from navitas.parse.tables import CallCost, ProbeCost

_MAX_NS: Final = 100_000
"""The two probes of a call take about 40 ns, and up to a hundred times as much on slow phones."""
_REMEDY = "The energy of methods includes the energy of probes. If the recording's files may be damaged, record again."


def check_probe_cost(cost: ProbeCost | None, findings: Findings) -> ProbeCost | None:
    """Return the cost, or add a warning and return None if no probe can have this cost."""
    if cost is None:
        return None
    found = [each for call in (cost.events, cost.folded) for each in _sums(call)]
    impossible = [ns for ns in found if not 0.0 <= ns <= _MAX_NS]
    if not impossible:
        return cost
    findings.warn(
        "probe_cost", f"the recorded probe cost of {impossible[0]:.4g} ns per call is impossible, so it is not used", _REMEDY
    )
    return None


def _sums(cost: CallCost) -> tuple[float, float]:
    return cost.inside_ns + cost.outside_ns, cost.thrown_inside_ns + cost.thrown_outside_ns

"""Whether what a recording says of its own probes can be."""

from __future__ import annotations

from typing import Final

from navitas.parse.findings import Findings
from navitas.parse.tables import CallCost, ProbeCost

_MOST_NS: Final = 100_000
"""A call's two probes take some 40 ns, and a hundred times that on slow phones."""
_REMEDY = "Probes' energy stays in the figures of methods; record again where the recording's files may be damaged."


def credible(cost: ProbeCost | None, findings: Findings) -> ProbeCost | None:
    """The cost, or None and a warning where it is none that probes can have."""
    if cost is None:
        return None
    found = [each for call in (cost.events, cost.folded) for each in _sums(call)]
    impossible = [ns for ns in found if not 0.0 <= ns <= _MOST_NS]
    if not impossible:
        return cost
    findings.warn(
        "probe_cost", f"a call's probes are said to take {impossible[0]:.4g} ns, which cannot be: that is not used", _REMEDY
    )
    return None


def _sums(cost: CallCost) -> tuple[float, float]:
    return cost.inside_ns + cost.outside_ns, cost.thrown_inside_ns + cost.thrown_outside_ns

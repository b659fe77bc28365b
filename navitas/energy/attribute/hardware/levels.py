"""What components other than the CPU share: their levels of evidence, and the rails that measure all of their energy."""

from __future__ import annotations

from navitas.energy.attribute.component import EvidenceLevel, RailUse
from navitas.energy.attribute.pixel_rails import total_of
from navitas.energy.attribute.scaling import RAILS

LEVELS = (
    EvidenceLevel(RAILS, "its power rails; the model splits what they measured"),
    EvidenceLevel("hooks", "hooks of the calls that used it"),
    EvidenceLevel("counters", "counters of its traffic, shared among the calls that were open"),
    EvidenceLevel("states", "the time that it spent in each state"),
    EvidenceLevel("profile", "the power profile alone, with a constant state"),
)


class HardwareComponent:
    """A component other than the CPU. Its rails have all of its energy."""

    __slots__ = ()
    name: str
    levels = LEVELS

    def rail_use(self, rail: str) -> RailUse | None:
        return total_of(self.name, rail)

"""Levels of evidence that components other than the CPU share."""

from __future__ import annotations

from navitas.attribute.component import EvidenceLevel
from navitas.attribute.scaling import RAILS

LEVELS = (
    EvidenceLevel(RAILS, "its power rails; the model splits what they measured"),
    EvidenceLevel("hooks", "hooks of the calls that used it"),
    EvidenceLevel("counters", "counters of its traffic, shared among the calls that were open"),
    EvidenceLevel("states", "the time that it spent in each state"),
    EvidenceLevel("profile", "the power profile alone, with a constant state"),
)

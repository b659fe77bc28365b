"""Levels of evidence in words, with the errors to expect (docs/accuracy.md)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceWords:
    """What a level of evidence means, and the median errors of the total and of methods' self energy at it, in percent.

    The errors are those of docs/accuracy.md, world *model*: the power profile is off by up to 20 %.
    """

    meaning: str
    total_percent: float
    method_percent: float

    @property
    def expected(self) -> str:
        """The errors as a phrase."""
        return f"about {self.total_percent:.0f} % of the total, {self.method_percent:.0f} % of a method's self energy"


_CPU = {
    "sched": EvidenceWords(
        "The kernel's trace shows which thread ran on which core, at which frequency, at every instant.", 3.9, 5.4
    ),
    "thread-freq": EvidenceWords(
        "The kernel counted each thread's CPU time at each frequency; which core it ran on follows from that.", 4.4, 8.6
    ),
    "thread-time": EvidenceWords(
        "The kernel counted each thread's CPU time, and the time at each frequency for all threads together.", 4.5, 10.6
    ),
    "device": EvidenceWords(
        "Only the CPU time of the whole device is known: the total is sound, its split among threads and methods is coarse.",
        4.4,
        59.1,
    ),
}


def evidence_words(component: str, level: str) -> EvidenceWords | None:
    """The words for a component's level; None for those of other packages."""
    return _CPU.get(level) if component == "cpu" else None

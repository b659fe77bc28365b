"""Counts of lines: understood, recognized but not used, and those with something that was not understood."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MOST_REASONS = 1000
_MORE = "other reasons"
_SHOWN = 200


@dataclass(slots=True)
class LineCounts:
    """Each line counts once: `lines == understood + not_used + listed`.

    `reasons` counts what was not understood, by reason. A line may have more than one. `unused` counts lines that are
    recognized, and have nothing that Navitas uses. `examples` has the first text for each reason.
    """

    lines: int = 0
    understood: int = 0
    not_used: int = 0
    listed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def refuse(self, reason: str, text: bytes, count: int = 1) -> None:
        """Count a line that was not understood."""
        self.lines += count
        self.listed += count
        self.reasons[self.known(reason, text)] += count

    def skip(self, reason: str) -> None:
        """Count a line that is recognized and not used."""
        self.lines += 1
        self.not_used += 1
        self.unused[reason if reason in self.unused or len(self.unused) < MOST_REASONS else _MORE] += 1

    def accept(self, count: int = 1) -> None:
        """Count understood lines."""
        self.lines += count
        self.understood += count

    def known(self, reason: str, text: bytes) -> str:
        """Return the reason, or the common one if there are too many, and keep the first text as its example."""
        if reason not in self.examples and len(self.examples) >= MOST_REASONS:
            reason = _MORE
        self.examples.setdefault(reason, text[:_SHOWN].decode("utf-8", "replace"))
        return reason

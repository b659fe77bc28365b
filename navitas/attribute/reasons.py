"""Why evidence is not better: reasons as data, so that those of many runs can be merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a level of evidence was not reached. `share`: the fraction of the energy's basis that it concerns, None for all."""

    text: str
    share: float | None = None

    def __str__(self) -> str:
        return self.text if self.share is None else f"{self.share:.1%} {self.text}"


def merged(runs: Sequence[Sequence[Reason]]) -> tuple[str, ...]:
    """Every run's reasons, each once; where runs differ in a reason's share alone, its range and how many runs have it."""
    shares: dict[str, list[float]] = {}
    for reason in (reason for reasons in runs for reason in reasons):
        known = shares.setdefault(reason.text, [])
        if reason.share is not None:
            known.append(reason.share)
    return tuple(_merged(text, found, len(runs)) for text, found in shares.items())


def _merged(text: str, shares: Sequence[float], runs: int) -> str:
    if not shares:
        return text
    low, high = f"{min(shares):.1%}", f"{max(shares):.1%}"
    span = high if low == high else f"{low} to {high}"
    return f"{span} {text}" if len(shares) == 1 else f"{span} {text} (in {len(shares)} of {runs} runs)"

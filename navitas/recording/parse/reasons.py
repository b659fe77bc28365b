"""Reasons why the level of evidence is not higher: a code for scripts and a sentence for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a level of evidence was not reached. `share` is the affected fraction of the energy's basis; None means all of it.

    docs/json-report.md lists the codes.
    """

    code: str
    text: str
    share: float | None = None

    def __str__(self) -> str:
        return self.text if self.share is None else f"{self.share:.1%} {self.text}"


@dataclass(frozen=True, slots=True)
class MergedReason:
    """A reason that applies to `runs` of `of_runs` runs, with its smallest and largest share there (None: the whole basis)."""

    code: str
    text: str
    share_min: float | None = None
    share_max: float | None = None
    runs: int = 1
    of_runs: int = 1

    def __str__(self) -> str:
        if self.share_min is None or self.share_max is None:
            return self.text
        low, high = f"{self.share_min:.1%}", f"{self.share_max:.1%}"
        text = f"{high if low == high else f'{low} to {high}'} {self.text}"
        return text if self.runs == 1 else f"{text} (in {self.runs} of {self.of_runs} runs)"

"""What a fit finds."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.regress.costs import Term
from navitas.regress.families import Fitted
from navitas.regress.fit_options import LOSSES
from navitas.regress.noise import Growth, Noise
from navitas.regress.validation import FamilyScores


@dataclass(frozen=True, slots=True)
class FitLoss:
    """The loss of a fit, by the kind of noise that it is right for. `is_wanted`: the user named it.

    `growth`: that of errors of left-out cases.
    """

    noise: Noise
    growth: Growth
    is_wanted: bool

    @property
    def name(self) -> str:
        """Its name in files and options."""
        return next(name for name, noise in LOSSES.items() if noise is self.noise)

    @property
    def reason(self) -> str:
        """Why it is used, as a sentence."""
        one = self.growth
        interval = f"95 % interval: {one.low:.2f} to {one.high:.2f}; 0: equal in joules, 1: equal in percent"
        power = f"of left-out cases grow with the energy to the power of {one.exponent:.2f} ({interval})"
        return f"It was requested; errors {power}." if self.is_wanted else f"Errors {power}."


@dataclass(frozen=True, slots=True)
class FitFindings:
    """All results of a fit: the family, the errors of all families and of simple predictions, costs and intervals.

    `noise` is that of the fit's errors in left-out cases.

    `source` is the table's name; `width` the half width of intervals (navitas/regress/intervals.py). The fitted columns
    are the sums of these `groups` of features.
    """

    source: str
    target: str
    level: float
    fitted: Fitted
    scores: dict[str, FamilyScores]
    baselines: dict[str, FamilyScores]
    loss: FitLoss
    noise: Noise
    terms: list[Term]
    width: float
    groups: list[list[int]]

"""What a fit finds."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.regress.costs import Term
from navitas.regress.families import Fitted
from navitas.regress.noise import Noise
from navitas.regress.validation import FamilyScores


@dataclass(frozen=True, slots=True)
class FitFindings:
    """All results of a fit: the family, the errors of all families and of simple predictions, costs and intervals.

    `source` is the table's name; `width` the half width of intervals (navitas/regress/intervals.py). The fitted columns
    are the sums of these `groups` of features.
    """

    source: str
    target: str
    level: float
    fitted: Fitted
    scores: dict[str, FamilyScores]
    baselines: dict[str, FamilyScores]
    noise: Noise
    terms: list[Term]
    width: float
    groups: list[list[int]]

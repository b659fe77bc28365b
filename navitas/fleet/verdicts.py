"""What the samples support about each app: a hog, clean, unclear, or not to be judged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.app_evidence import AppEvidence
from navitas.fleet.statistics import F64, I64, Bool

FDR_LIMIT = 0.05
"""False discovery rate of hogs."""
MIN_CLIENTS = 3
_ALWAYS = 0.05
"""An app always runs if its clients ran it for all but this share of its time."""
_SCREEN_KNOWN = 0.9
"""With less of the evidence from pairs whose screen time is known, the screen may explain an app's drain."""
_INSEPARABLE = 0.9
"""Apps whose running times correlate by more than this cannot be separated."""


class Claim(StrEnum):
    """What is said about an app."""

    HOG = "hog"
    CLEAN = "clean"
    UNCLEAR = "unclear"
    SCREEN = "not separable from the screen"
    PARTNER = "not separable from another app"
    ALWAYS = "not judged: it always runs"
    FEW = "not judged: too few clients"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The claim about each app."""

    claim: NDArray[np.object_]

    def are(self, claim: Claim) -> Bool:
        """Whether each app has this claim."""
        return np.asarray(self.claim == claim, bool)


@dataclass(frozen=True, slots=True)
class AppEstimates:
    """What verdicts are based on, by app: false discovery rates, those if the screen's time were known, 95 % intervals in ppm/s,
    numbers of clients with a contrast, running time, the significance of a regression on the app alone, and the largest
    correlation with another app.
    """

    false_rate: F64
    known_rate: F64
    low: F64
    high: F64
    contrasted: I64
    seconds: F64
    alone_false_rate: F64
    overlap: F64


def verdicts_of(made: AppEstimates, evidence: AppEvidence, least_ppm_s: float) -> Verdicts:
    """Judge each app. A hog's whole interval is above `least_ppm_s`.

    Where the screen's time between samples is unknown, an app that comes with the screen may be charged for it: at most the
    screen's drain times the difference that the app makes to it. Such an app is a hog only if it drains more than that.
    """
    claim = np.full(len(made.false_rate), Claim.UNCLEAR, object)
    if least_ppm_s > 0:  # Without any drain, nothing is known.
        claim[made.high <= least_ppm_s] = Claim.CLEAN
    claim[(made.alone_false_rate <= FDR_LIMIT) & (made.overlap > _INSEPARABLE) & (made.high > least_ppm_s)] = Claim.PARTNER
    significant = (made.false_rate <= FDR_LIMIT) & (made.low > least_ppm_s)
    claim[significant] = Claim.HOG
    covered = made.low - evidence.charged_ppm_s <= least_ppm_s
    claim[(made.known_rate <= FDR_LIMIT) & (evidence.screen_known < _SCREEN_KNOWN) & covered] = Claim.SCREEN
    few = made.contrasted < MIN_CLIENTS
    claim[few] = Claim.FEW
    claim[few & (evidence.varied_s <= _ALWAYS * made.seconds)] = Claim.ALWAYS
    return Verdicts(claim)

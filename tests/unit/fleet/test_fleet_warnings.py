"""Warnings about the hogs of a fleet as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from navitas.fleet.findings.hogs import Claim, Hogs, warnings_of


def hogs(claims: Sequence[Claim], *, screen_known: float = 1.0, reliability: float = 1.0) -> Hogs:
    """Apps with these verdicts."""
    count = len(claims)
    claim = np.array(claims, object)
    evidence = SimpleNamespace(screen_known=np.full(count, screen_known), reliability=np.full(count, reliability))
    made = SimpleNamespace(
        false_rate=np.zeros(count), is_hog=claim == Claim.HOG, claim=claim, evidence=evidence, overlap=np.zeros(count)
    )
    return cast("Hogs", made)


@pytest.mark.parametrize(
    ("found", "part"),
    [
        (hogs([Claim.SCREEN, Claim.SCREEN, Claim.CLEAN]), "2 apps cannot be separated from the screen. Samples with screen_on_s"),
        (hogs([Claim.SCREEN]), "1 app cannot be separated from the screen"),
        (hogs([Claim.HOG] * 6 + [Claim.CLEAN] * 4, screen_known=0.0), "6 of 10 apps that can be judged are named"),
        (hogs([Claim.HOG] * 6 + [Claim.CLEAN] * 4, screen_known=0.0), "Most samples lack screen_on_s"),
        (hogs([Claim.HOG], reliability=0.3), "1 hog runs for short times between samples"),
    ],
)
def test_what_limits_the_results_is_said(found: Hogs, part: str) -> None:
    assert any(part in text for text in warnings_of(found))


def test_plausible_results_have_no_warning() -> None:
    assert warnings_of(hogs([Claim.HOG] * 6 + [Claim.CLEAN] * 60)) == []

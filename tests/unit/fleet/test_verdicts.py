"""What is said about apps by their estimates and their evidence."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.fleet.findings.hogs import Claim, claims_of
from navitas.fleet.findings.single_apps import AppEvidence
from navitas.fleet.regression.exposure import CLASSES

_LEAST = 0.5


def claim_of(
    low: float, high: float, *, false_rate: float = 0.001, clients: int = 30, contrasted: int = 30,
    screen_known: float = 1.0, link: float = 0.0, overlap: float = 0.0, varied_s: float = 5e5,
    known_rate: float | None = None, is_dark: bool = False, shown: float = 1.0,
) -> Claim:  # fmt: skip
    one = lambda value: np.array([value], float)  # noqa: E731
    evidence = AppEvidence(
        app=np.array([1]), by_class=np.full((1, CLASSES), shown), plain=np.ones((1, CLASSES - 1)), weight_s=np.ones((1, CLASSES)),
        seen_error=np.zeros(1), slow_share=np.zeros(1), screen_known=one(screen_known),
        link=one(link), varied_s=one(varied_s), screen_ppm_s=25.0,
        needs_brightness=np.zeros(1, bool), is_dark=np.array([is_dark]),
    )  # fmt: skip
    known = false_rate if known_rate is None else known_rate
    return claims_of(  # type: ignore[no-any-return]
        low=one(low), high=one(high), false_rate=one(false_rate), known_rate=one(known), alone_rate=one(0.001),
        clients=np.array([clients]), contrasted=np.array([contrasted]), seconds=one(1e6), overlap=one(overlap),
        evidence=evidence, least_ppm_s=_LEAST,
    )[0]  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "more", "claim"),
    [
        (1.0, 2.0, {}, Claim.HOG),
        (1.0, 2.0, {"false_rate": 0.2}, Claim.UNCLEAR),
        (-0.1, 2.0, {}, Claim.UNCLEAR),
        (-0.3, 0.4, {}, Claim.CLEAN),
        (-0.3, 0.4, {"contrasted": 2}, Claim.FEW),
        (1.0, 2.0, {"contrasted": 2, "varied_s": 1e3}, Claim.ALWAYS),
        (np.nan, np.nan, {"contrasted": 0, "link": 0.99}, Claim.SCREEN),
        (np.nan, np.nan, {"contrasted": 0, "link": 0.99, "clients": 2}, Claim.FEW),
        # The screen may explain 25 ppm/s · 0.1 of the drain.
        (1.0, 2.0, {"screen_known": 0.0, "link": 0.1}, Claim.SCREEN),
        (4.0, 5.0, {"screen_known": 0.0, "link": 0.1}, Claim.HOG),
        (-1.0, 5.0, {"screen_known": 0.0, "link": 0.1, "false_rate": 0.2, "known_rate": 0.001}, Claim.SCREEN),
        (1.0, 2.0, {"screen_known": 0.0, "link": -0.1}, Claim.HOG),
        (1.0, 2.0, {"screen_known": 1.0, "link": 0.5}, Claim.HOG),
        # The screen's time is known, and its brightness is not.
        (1.0, 2.0, {"screen_known": 1.0, "link": 0.6, "is_dark": True}, Claim.SCREEN),
        (20.0, 25.0, {"screen_known": 1.0, "link": 0.6, "is_dark": True}, Claim.HOG),
        (-0.3, 0.4, {"shown": 0.2}, Claim.SHORT),
        (-0.3, 0.4, {"shown": 0.5}, Claim.CLEAN),
        (1.0, 2.0, {"shown": 0.2}, Claim.HOG),
        (-1.0, 3.0, {"overlap": 0.95, "false_rate": 0.4}, Claim.PARTNER),
        (-1.0, 0.4, {"overlap": 0.95, "false_rate": 0.4}, Claim.CLEAN),
    ],
)
def test_the_claim_about_an_app(low: float, high: float, more: dict[str, float], claim: Claim) -> None:
    assert claim_of(low, high, **more) == claim  # type: ignore[arg-type]

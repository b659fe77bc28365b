"""What to fit, and by which loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from navitas.regress.noise import Noise

AUTO, RELATIVE = "auto", "relative"
LOSSES = {"squared": Noise.CONSTANT, "between": Noise.ROOT, RELATIVE: Noise.PROPORTIONAL}
"""Losses, and the kind of noise for which each is right: it weighs squared errors by the inverse of the noise's variance."""
LOSS_CHOICES = (AUTO, "squared", RELATIVE)


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What to fit. `family`: None selects one by cross-validation. `level`: the share of cases that intervals contain.

    `loss`: one of `LOSS_CHOICES`; `auto` selects one of `LOSSES` by the errors of left-out cases.
    """

    target: str
    group: str | None = None
    ignore: Sequence[str] = ()
    time: str | None = None
    family: str | None = None
    level: float = 0.9
    drop_missing: bool = False
    loss: str = AUTO

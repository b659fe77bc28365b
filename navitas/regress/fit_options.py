"""What to fit, and by which loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from navitas.errors import UsageError
from navitas.regress.families import NAMES
from navitas.regress.noise import Noise

AUTO = "auto"
LOSSES = {"squared": Noise.CONSTANT, "between": Noise.ROOT, "relative": Noise.PROPORTIONAL}
"""Losses, and the kind of noise for which each is right: it weighs squared errors by the inverse of the noise's variance."""
LOSS_CHOICES = (AUTO, *LOSSES)


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What to fit. `family`: None selects one by cross-validation. `level`: the share of cases that intervals contain.

    `loss`: one of `LOSS_CHOICES`; `auto` selects one of `LOSSES` by the errors of left-out cases.

    Raises `UsageError` for a family or loss that does not exist.
    """

    target: str
    group: str | None = None
    ignore: Sequence[str] = ()
    time: str | None = None
    family: str | None = None
    level: float = 0.9
    drop_missing: bool = False
    loss: str = AUTO

    def __post_init__(self) -> None:
        for kind, name, names in (("family", self.family or NAMES[0], NAMES), ("loss", self.loss, LOSS_CHOICES)):
            if name not in names:
                raise UsageError(f"no {kind} {name!r}", f"Use {', '.join(names)}.")

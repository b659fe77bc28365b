"""Bugs of a world: apps that drain the battery on a few phones only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from world.catalog import CatalogApp
from world.regimes import Regime
from world.roster import MODELS, OS_VERSIONS, Handset
from world.streams import log_uniform, stream

_MOST_PHONES = 12
_TRIES = 20_000


@dataclass(frozen=True, slots=True)
class Defect:
    """An app's extra drain on one phone while it runs and the condition is true.

    The condition is `phone` (always), `mobile` (on a mobile network), `model=…` or `os=…`.
    """

    app: int
    condition: str
    percent_h: float


def make_defects(
    regime: Regime, catalog: tuple[CatalogApp, ...], roster: tuple[Handset, ...], seed: int
) -> dict[int, tuple[Defect, ...]]:
    """Draw bugs until at least `regime.bugs` pairs of phone and app have one; return them by phone.

    An app has at most one bug. In a world that is too small for the number, there are fewer.
    """
    rng = stream(seed, "defects")
    found: dict[int, list[Defect]] = {}
    hogs = [app.index for app in catalog if app.hog_percent_h > 0]
    others = [app.index for app in catalog if app.role is None and app.way != "companion" and app.hog_percent_h == 0]
    owners = {app.index: [phone for phone in roster if app.index in phone.adopted_s] for app in catalog}
    used: set[tuple[int, int]] = set()
    for _ in range(_TRIES):
        if len(used) >= regime.bugs:
            break
        pool = hogs if hogs and rng.random() < 0.2 else others
        app = int(rng.choice(pool)) if pool else -1
        condition, phones = _condition(owners.get(app, []), rng)
        percent_h = log_uniform(rng, 1.0, 10.0)
        new = [phone.index for phone in phones if (phone.index, app) not in used]
        if len(new) == len(phones) <= _MOST_PHONES:
            used.update((phone, app) for phone in new)
            for phone in new:
                found.setdefault(phone, []).append(Defect(app, condition, percent_h))
    return {phone: tuple(defects) for phone, defects in found.items()}


def _condition(owners: list[Handset], rng: np.random.Generator) -> tuple[str, list[Handset]]:
    kind = str(rng.choice(["phone", "mobile", "model", "os"], p=[0.4, 0.2, 0.2, 0.2]))
    if kind == "model":
        model = str(rng.choice(MODELS))
        return f"model={model}", [phone for phone in owners if phone.model == model]
    if kind == "os":
        os = str(rng.choice(OS_VERSIONS))
        return f"os={os}", [phone for phone in owners if os in (phone.os_before, phone.os_after)]
    count = min(len(owners), int(rng.integers(1, 4)))
    return kind, [owners[int(index)] for index in rng.permutation(len(owners))[:count]]

"""What is wrong on few phones of a world: apps that drain the battery there only, and samples that contradict themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from world.catalog import CatalogApp
from world.people import HOUR_S
from world.regimes import Regime
from world.roster import MODELS, OS_VERSIONS, Handset
from world.spans import Floats
from world.streams import log_uniform, stream

_MOST_PHONES = 12
_TRIES = 20_000
_BAD = ("garbage", "clock", "relearning", "worn")


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


def bad_phones(regime: Regime, seed: int) -> dict[int, str]:
    """Draw what is wrong with the samples of some phones; each kind has about as many phones."""
    chosen = stream(seed, "bad phones").permutation(regime.phones)[: round(regime.bad_share * regime.phones)]
    return {int(phone): _BAD[(number + seed) % len(_BAD)] for number, phone in enumerate(chosen)}


def spoiled(samples: pa.Table, kind: str, rng: np.random.Generator) -> pa.Table:
    """Return the samples of a bad phone.

    `garbage`: 30 % of the levels are random. `clock`: the clock jumps by up to 6 hours, twice a day. `relearning`: the gauge
    jumps by up to 25 %, three times a day. `worn`: the level falls to 0 while the true one falls from 40 to 30 %.
    """
    times_s, level = samples["time"].to_numpy(), samples["level"].to_numpy()
    if kind == "garbage":
        level = np.where(rng.random(len(level)) < 0.3, rng.integers(0, 101, len(level)), level)
    elif kind == "clock":
        times_s = times_s + np.round(_jumps(times_s, 12.0, 6 * HOUR_S, rng), 3)
    elif kind == "relearning":
        level = np.clip(level + np.round(_jumps(times_s, 8.0, 25.0, rng)), 0.0, 100.0)
    else:
        level = np.where(level < 40.0, np.maximum(40.0 - 4.0 * (40.0 - level), 0.0), level)
    columns = {"time": times_s, "level": level}
    for name, values in columns.items():
        samples = samples.set_column(samples.schema.get_field_index(name), name, pa.array(values, pa.float64()))
    return samples


def _jumps(times_s: Floats, every_h: float, largest: float, rng: np.random.Generator) -> Floats:
    """An offset at each time, which changes at random times."""
    if not len(times_s):
        return times_s
    count = max(int((times_s[-1] - times_s[0]) / HOUR_S / every_h), 1)
    changes_s = np.sort(rng.uniform(times_s[0], times_s[-1], count))
    offsets = np.append(0.0, rng.uniform(-largest, largest, count))
    return np.asarray(offsets[np.searchsorted(changes_s, times_s)], np.float64)

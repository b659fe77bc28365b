"""An app that comes or goes with an OS upgrade is not charged for what the upgrade changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from navitas.fleet.regression.usage import COLUMNS, USAGE, usage_of
from navitas.fleet.schema import SAMPLES, State

_WEIGHTS = [name for name in USAGE.names if name.startswith("w")]


def effect_and_weight(versions: tuple[str | None, ...], *, runs: float = 1.0) -> tuple[float, float]:
    """The effect in %/h and the weight of an app that runs from the first sample with the last OS on, for a share of the time.

    The phone drains 1 %/h with its first OS, and 2 %/h with the last one. `versions` are those that samples name, in order.
    """
    chance = np.random.default_rng(3)
    level, rows = 90.0, list[dict[str, Any]]()
    for number in range(600):
        upgraded = number >= 300
        app = [0] if upgraded and chance.random() < runs else []
        level = 90.0 if level < 10 else level
        system = versions[number * len(versions) // 600]
        shown = {"level_ppm": round(level * 10_000), "state": int(State.DISCHARGING), "apps": app, "os": system}
        rows.append(dict.fromkeys(SAMPLES.names) | {"client": 1, "time_s": 1_772_000_000 + 1800 * number} | shown)
        level -= 1.0 if upgraded else 0.5
    made = usage_of(pa.Table.from_pylist(rows, SAMPLES).select(COLUMNS), np.zeros(1, np.int32)).usage
    weight = sum(made[name][0].as_py() for name in _WEIGHTS)
    return made["s"][0].as_py() / weight * 0.36, weight


def test_an_app_that_runs_always_since_the_upgrade_is_not_compared() -> None:
    _, known = effect_and_weight(("14", "15"))
    effect, unknown = effect_and_weight((None, None))
    assert effect == pytest.approx(1.0, abs=0.3)
    assert known < 1e-3 * unknown


@pytest.mark.parametrize("versions", [("14", "15"), (None, "14", "15", None)])
def test_an_app_that_also_stops_is_compared_with_one_os(versions: tuple[str | None, ...]) -> None:
    """A sample that names no OS has the one before it."""
    assert effect_and_weight(versions, runs=0.5)[0] == pytest.approx(0.0, abs=0.02)
    assert effect_and_weight((None,), runs=0.5)[0] > 0.2

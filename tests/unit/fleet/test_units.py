"""Units of a month: a pair that spans two units counts once, in the later one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from support.open_fleet import fleet_of

from navitas.fleet.schema import SAMPLES, State
from navitas.fleet.store import Store, Unit

BORDER_S = int(np.datetime64("2026-02-01", "s").astype(np.int64))


def sample(client: int, at_s: int, percent: int, state: State = State.DISCHARGING) -> dict[str, object]:
    return {"client": client, "time_s": BORDER_S + at_s, "level_ppm": percent * 10_000, "state": int(state), "apps": []}


def test_pairs_at_a_months_border_are_counted_and_refused_once(tmp_path: Path) -> None:
    january = [
        sample(1, -9000, 90), sample(1, -7200, 89), sample(1, -3600, 88, State.CHARGING), sample(1, -1800, 87),
        sample(2, -40_000, 50),
        sample(3, -300, 50), sample(4, -90, 50),
    ]  # fmt: skip
    february = [sample(1, 1800, 86), sample(2, 3600, 40), sample(3, 300, 49), sample(5, 600, 70)]
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    for month, rows in (("2026-01", january), ("2026-02", february)):
        store.write_part(Unit(0, month), "1", pa.Table.from_pylist(rows, SAMPLES))
    fleet = fleet_of(store)
    assert fleet.totals() == (3, 1800 + 3600 + 600, 30_000)
    assert fleet.refused() == {"the battery was not discharging": 2, "more than six hours apart": 1}

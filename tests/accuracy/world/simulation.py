"""Makes a world: samples of all its phones, then the truth about them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from world.catalog import make_catalog
from world.defects import make_defects
from world.phone import live_phone
from world.readings import reading_times
from world.regimes import Regime
from world.roster import make_roster
from world.rows import sample_rows
from world.streams import stream
from world.truth import Truth


class World:
    """A world. Its truth is known after the last sample: tables of apps, effects (by phone and app), bugs and phones."""

    apps: pa.Table
    effects: pa.Table
    bugs: pa.Table
    phones: pa.Table

    def __init__(self, regime: Regime, seed: int) -> None:
        self._regime = regime
        self._seed = seed

    def samples(self) -> Iterator[pa.Table]:
        """Yield the samples of each phone, in order of time."""
        regime, seed = self._regime, self._seed
        catalog = make_catalog(regime, seed)
        roster = make_roster(regime, catalog, seed)
        defects = make_defects(regime, catalog, roster, seed)
        truth = Truth()
        for handset in roster:
            own = defects.get(handset.index, ())
            phone = live_phone(regime, catalog, handset, own, seed)
            times_s, level = reading_times(regime, phone, stream(seed, handset.index, "readings"))
            truth.add(phone, own)
            yield sample_rows(regime, phone, times_s, level)
        self.apps, self.effects, self.bugs, self.phones = truth.tables(catalog)


def simulate(regime: Regime, seed: int) -> World:
    """Return the world of a regime and a seed: the same ones give the same world."""
    return World(regime, seed)

"""Makes a world: samples of all its phones, then the truth about them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa

from world.catalog import make_catalog
from world.defects import bad_phones, make_defects, spoiled
from world.histories import history_text
from world.phone import Phone, live_phone
from world.readings import reading_times
from world.regimes import Regime
from world.roster import make_roster
from world.rows import sample_rows
from world.spans import Floats
from world.streams import stream
from world.truth import Truth


class World:
    """A world. Its truth is known after the last sample: tables of apps, effects (by phone and app), and bugs."""

    apps: pa.Table
    effects: pa.Table
    bugs: pa.Table

    def __init__(self, regime: Regime, seed: int) -> None:
        self._regime = regime
        self._seed = seed

    def samples(self) -> Iterator[pa.Table]:
        """Yield the samples of each phone, in order of time."""
        bad = bad_phones(self._regime, self._seed)
        for phone, times_s, level in self._lives():
            index = phone.handset.index
            samples = sample_rows(self._regime, phone, times_s, level)
            yield spoiled(samples, bad[index], stream(self._seed, index, "bad")) if index in bad else samples

    def histories(self) -> Iterator[tuple[str, str]]:
        """Yield each client and the history of its phone, as batterystats prints it."""
        for phone, times_s, level in self._lives():
            yield phone.handset.client, history_text(phone, times_s, level)

    def _lives(self) -> Iterator[tuple[Phone, Floats, Floats]]:
        """Yield each phone with its reading times and levels."""
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
            yield phone, times_s, level
        self.apps, self.effects, self.bugs = truth.tables(catalog)

    @cached_property
    def true_extra_percent_h(self) -> dict[str, float]:
        """Each app's mean extra drain over its phones, weighted by the share of time with the app times that without it.

        Phones on which it has a bug do not count: the fleet leaves them out, and reports their bugs.
        """
        share, extra = (self.effects[name].to_numpy() for name in ("run_share", "extra_percent_h"))
        bugs = set(zip(self.bugs["client"].to_pylist(), self.bugs["app"].to_pylist(), strict=True))
        pairs = zip(self.effects["client"].to_pylist(), self.effects["app"].to_pylist(), strict=True)
        weight = share * (1 - share) * np.array([pair not in bugs for pair in pairs])
        sums = pa.table({"app": self.effects["app"], "weight": weight, "drain": weight * extra})
        rows = sums.group_by("app").aggregate([("weight", "sum"), ("drain", "sum")]).to_pylist()
        return {row["app"]: row["drain_sum"] / row["weight_sum"] if row["weight_sum"] else 0.0 for row in rows}


def simulate(regime: Regime, seed: int) -> World:
    """Return the world of a regime and a seed: the same ones give the same world."""
    return World(regime, seed)

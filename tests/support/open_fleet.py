"""Fleets of tests, computed in the test's process."""

from __future__ import annotations

from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.stages import Fleet, bring_up_to_date
from navitas.fleet.store import Store


def fleet_of(store: Store) -> Fleet:
    """Return the fleet of a store, with its stages up to date."""
    return bring_up_to_date(store, DuckDbEngine(store.work / "spill", threads=1))

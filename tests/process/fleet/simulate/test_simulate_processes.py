"""The tests of tests/unit/fleet/simulate/test_simulate.py that start processes."""

from __future__ import annotations

from pathlib import Path

from test_simulate import MODEL, contents, store

from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.store import Store


def test_the_same_seed_gives_the_same_files_with_any_number_of_processes(store: Store, tmp_path: Path) -> None:
    again = Store.create(tmp_path / "again", buckets=3, salt="x")
    simulate(again, MODEL, 7, jobs=2)
    assert contents(again) == contents(store)

"""The tests of tests/unit/fleet/simulate/test_simulate.py that start processes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from test_simulate import MODEL, contents, store

from navitas.fleet.files import FleetError
from navitas.fleet.simulate import simulate
from navitas.fleet.simulate.bucket import Members
from navitas.fleet.simulate.simulation import _mapped
from navitas.fleet.store import Store


def test_the_same_seed_gives_the_same_files_with_any_number_of_processes(store: Store, tmp_path: Path) -> None:
    again = Store.create(tmp_path / "again", buckets=3, salt="x")
    simulate(again, MODEL, 7, jobs=2)
    assert contents(again) == contents(store)


def _killed(members: Members) -> int:
    os._exit(members.bucket)


def test_a_killed_process_is_reported() -> None:
    with pytest.raises(FleetError, match="was killed"):
        list(_mapped(_killed, [Members(1, np.zeros(0, np.int64), np.zeros(0, np.int64))], 2))

"""The energy of all components is conserved, whatever was recorded of them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hardware_maker import profile_of, random_hardware_run
from hypothesis import given, settings
from hypothesis import strategies as st
from support.run_tables import changed

from navitas.energy.analyze.conserve import check
from navitas.energy.attribute.component_registry import COMPONENTS

randoms = st.integers(0, 1 << 32).map(Random)


@settings(max_examples=150, deadline=None)
@given(randoms)
def test_energy_is_conserved_by_component(random: Random) -> None:
    run = random_hardware_run(random)
    api_kinds = [random.choice([0, 0, 1, 2, 3, 4]) for _ in range(5)]
    made = profile_of(run, components=random.choice([None, COMPONENTS]), use_rails=random.random() < 0.7, api_kinds=api_kinds)
    assert check(made) == []
    ledger = made.ledger
    assert np.isfinite(ledger.energy.exclusive_j).all() and (ledger.run_energy_j >= 0).all()
    moved = ledger.transfers
    assert (moved.received_bytes >= 0).all() and (moved.sent_bytes >= 0).all()
    assert set(moved.owner.tolist()) <= set(range(len(ledger.owners))) and set(moved.test.tolist()) <= set(range(-1, 9))
    for number, name in enumerate(ledger.components):
        steps = made.timeline(name, run=0, step_ns=7_000_000)
        assert steps.energy_j.sum() == pytest.approx(ledger.run_energy_j[0, number], rel=1e-9, abs=1e-15)
        assert (steps.energy_j >= -1e-12).all()


@settings(max_examples=40, deadline=None)
@given(randoms)
def test_other_components_change_no_figure_of_the_cpu_but_its_base(random: Random) -> None:
    run = random_hardware_run(random)
    plain = changed(run, hooks=None, io_counters=(), states=None)
    with_all, alone = profile_of(run).ledger, profile_of(plain).ledger

    def threads_j(ledger: object) -> list[tuple[int, int, float]]:
        energy = ledger.energy  # type: ignore[attr-defined]
        rows = (energy.component == 0) & (ledger.owners.kind[energy.owner] < 2)  # type: ignore[attr-defined]
        key = zip(energy.test[rows].tolist(), energy.path[rows].tolist(), energy.exclusive_j[rows].tolist(), strict=True)
        return sorted(row for row in key if row[2])

    assert alone.components == ("cpu",)
    assert sum(row[2] for row in threads_j(with_all)) == pytest.approx(sum(row[2] for row in threads_j(alone)), rel=1e-12)
    wake_j = with_all.run_energy_j[0, with_all.components.index("wakelock")] if "wakelock" in with_all.components else 0.0
    assert with_all.run_energy_j[0, 0] + wake_j == pytest.approx(alone.run_energy_j[0, 0], rel=1e-12)

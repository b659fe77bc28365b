"""The energy of calls over time: its sums are the energy of the calls, for events and for folded calls."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hardware_maker import profile_of, random_hardware_run
from hypothesis import given
from hypothesis import strategies as st
from support.recording_maker import make_recording
from support.scenario import Call, Scenario, TestSpec, ThreadSpec

import navitas
from navitas.energy.attribute import measured_runs
from navitas.energy.attribute.calls import step_totals
from navitas.energy.attribute.calls.paths import PROBES
from navitas.energy.attribute.calls.step_totals import STEPS, StepTotals
from navitas.energy.attribute.ledger import Ledger
from navitas.recording.parse.hook_calls import HookKind


def sums(ledger: Ledger) -> tuple[dict[tuple[int, ...], float], dict[tuple[int, ...], float]]:
    """Return the energy of each test, owner and path, by the steps and by the ledger."""
    by_step: dict[tuple[int, ...], float] = {}
    steps, energy = ledger.call_steps, ledger.energy
    assert steps is not None
    for *key, joules in zip(steps.test.tolist(), steps.owner.tolist(), steps.path.tolist(), steps.raw_j.tolist(), strict=True):
        by_step[tuple(key)] = by_step.get(tuple(key), 0.0) + joules
    in_calls = (energy.path > PROBES) & (energy.raw_j != 0)
    columns = (energy.test, energy.owner, energy.path, energy.raw_j)
    whole: dict[tuple[int, ...], float] = {}
    for *key, joules in zip(*(column[in_calls].tolist() for column in columns), strict=True):
        whole[tuple(key)] = whole.get(tuple(key), 0.0) + joules
    return by_step, whole


@given(st.integers(0, 2**32 - 1))
def test_the_steps_add_up_to_the_calls(seed: int) -> None:
    """Of events, folded calls and charges of hardware, in runs with any damage."""
    ledger = profile_of(random_hardware_run(Random(seed)), api_kinds=[int(kind) for kind in HookKind][:3]).ledger
    by_step, whole = sums(ledger)
    assert by_step == pytest.approx(whole, rel=1e-9, abs=1e-15)
    assert ledger.call_steps is not None
    assert ((ledger.call_steps.step >= 0) & (ledger.call_steps.step < STEPS)).all()


def test_energy_is_in_the_steps_in_which_the_calls_ran(tmp_path: Path) -> None:
    threads = (
        ThreadSpec("main", (Call("a.Work#early", 10, 30), Call("a.Work#late", 60, 80)), busy=((10, 30, 1.0), (60, 80, 1.0))),
    )
    scenario = Scenario(100, threads, (TestSpec("a.WorkTest#works", 5, 95),))
    ledger = navitas.load(make_recording(tmp_path / "recording", scenario).path, call_steps=True).ledger
    run, steps = ledger.runs[0], ledger.call_steps
    assert steps is not None
    names = [ledger.methods.methods[ledger.paths.method[path]].name for path in steps.path.tolist()]
    start_ms = steps.step * run.call_step_ns / 1e6
    for name, low, high in (("early", 10, 30), ("late", 60, 80)):
        own = np.array([each == name for each in names])
        assert own.any() and low - 2 <= start_ms[own].min() and start_ms[own].max() <= high + 2


def test_steps_of_many_events_are_computed_only_if_they_are_requested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = Scenario(100, (ThreadSpec("main", (Call("a.Work#run", 10, 30),)),), (TestSpec("a.WorkTest#works", 5, 95),))
    path = make_recording(tmp_path / "recording", scenario).path
    monkeypatch.setattr(measured_runs, "FEW_EVENTS", 2)
    assert navitas.load(path).ledger.call_steps is not None
    monkeypatch.setattr(measured_runs, "FEW_EVENTS", 1)
    requested = navitas.load(path, call_steps=True).ledger
    monkeypatch.setattr(step_totals.StepTotals, "__init__", lambda *_: pytest.fail("steps are computed"))
    ledger = navitas.load(path).ledger
    assert ledger.call_steps is None and requested.call_steps is not None
    assert ledger.energy.raw_j == pytest.approx(requested.energy.raw_j, rel=1e-12)


def test_few_rows_remain_those_with_the_most_energy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_totals, "_MAX_ROWS", 10)
    totals = StepTotals(0, 256_000)
    random = np.random.default_rng(1)
    for _ in range(8):
        joules = random.random(40) * 1e-6
        joules[0] = 1.0
        t_ns = random.integers(0, 256_000, 40)
        t_ns[0] = 5_500
        path = np.arange(40) + 2
        totals.add_at(t_ns, np.zeros(40, np.int64), np.zeros(40, np.int64), path, joules)
    rows = totals.take()
    assert len(rows) <= 10
    (largest,) = np.flatnonzero(rows.joules > 0.5)
    assert (rows.path[largest], rows.step[largest], rows.joules[largest]) == (2, 5, pytest.approx(8.0))
    assert len(totals.take()) == 0

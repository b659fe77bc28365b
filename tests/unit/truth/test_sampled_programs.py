"""Shares by stack samples, against the truth of simulated programs (the table: tests/accuracy/sampled_shares.py)."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from sampled_shares import MOST_UNEQUAL, PERIOD_NS, Score, analyzed, figures, scores
from truth.energy import integrate
from truth.methods import truth_of
from truth.programs import PROGRAMS
from truth.record import Record
from truth.samples import PID, T0_NS
from truth.stacks import ROOT, at_random, from_start, perf_script, regular, sampled_by_cores, sampled_by_threads
from truth.workloads import simulate

REGULAR = ("cores", "threads")


@pytest.fixture(scope="module")
def waits() -> Record:
    return simulate("waits", 1, workloads=PROGRAMS)


def test_timers_fire_once_in_each_period_or_at_random() -> None:
    random = np.random.default_rng(1)
    assert from_start(random, 3_500_000, 1e6).tolist() == [1_000_000, 2_000_000, 3_000_000]
    assert set(np.diff(regular(random, 10**9, 1e6)).tolist()) <= {999_999, 1_000_000, 1_000_001}
    assert 900 < len(at_random(random, 10**9, 1e6)) < 1100


@pytest.mark.parametrize("sampler", [sampled_by_cores, sampled_by_threads])
def test_samples_are_of_running_threads_and_of_their_open_calls(waits: Record, sampler: type) -> None:
    taken = sampler(waits, 1e6, 7)
    cpu_ns = sum(thread.cpu_ns for thread in waits.threads if thread.app)
    assert len(taken) == pytest.approx(cpu_ns / 1e6, rel=0.05)
    paths = {sample.methods for sample in taken}
    assert all(path[0] == ROOT for path in paths)
    assert (ROOT, "org.example.Consumer#digest", "org.example.Consumer#log") in paths


def test_a_sample_of_a_thread_is_at_a_multiple_of_its_cpu_time(waits: Record) -> None:
    of_threads = {sample.thread for sample in sampled_by_threads(waits, 1e6, 1, from_start)}
    assert of_threads == {thread for thread in waits.threads if thread.app and thread.cpu_ns > 1_000_000}


def check(score: Score, least: float) -> None:
    within = [abs(error) <= 2 for _, error in chain.from_iterable(score.errors.values())]
    assert np.mean(within) >= least
    assert score.unequal <= MOST_UNEQUAL


@pytest.mark.parametrize("sampler", REGULAR)
def test_shares_lie_within_their_errors_where_threads_wait(sampler: str) -> None:
    check(scores("I/O", 3, 1, [sampler])[sampler], 0.9)


@pytest.mark.extended
@pytest.mark.parametrize("program", PROGRAMS)
def test_shares_of_all_programs_lie_within_their_errors(program: str) -> None:
    totals = {sampler: Score() for sampler in REGULAR}
    for seed in (1, 2):
        for sampler, score in scores(program, seed, 2, REGULAR).items():
            totals[sampler].add(score)
    for total in totals.values():
        check(total, 0.85)
        assert np.mean(total.agree or [True]) >= 0.85


@pytest.mark.extended
def test_where_cores_differ_shares_of_energy_are_not_those_of_samples() -> None:
    record = simulate("allocation", 1, workloads=PROGRAMS)
    truth = truth_of(record, integrate(record))
    taken = sampled_by_threads(record, PERIOD_NS, 1)
    _, profile = analyzed(record, [perf_script(taken, PID, T0_NS, PERIOD_NS)])
    name = "org.example.Collector#collect"
    by_samples = sum(name in sample.methods for sample in taken) / len(taken)
    energy_j, _ = figures(profile, "inclusive")[name]
    assert energy_j == pytest.approx(truth.methods[name].inclusive_j, rel=0.01)
    assert energy_j / truth.app_j > by_samples + 0.05

"""Properties for any trace: energy is conserved, a reference implementation agrees, folding changes no result."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from attribution_maker import MODEL, POLICIES, manifest, parsed
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_integrator import SlowRun
from support.run_tables import changed
from traces import METHODS, as_folded, random_run

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import MethodEnergy, ThreadEnergy
from navitas.energy.analyze.records import TestEnergy as OneTest
from navitas.power.model import ClusterPower, CpuPower, PowerModel
from navitas.recording.parse.tables import CallCost, CpuClock, ProbeCost, RunTables

randoms = st.integers(0, 1 << 32).map(Random)
flags = st.booleans()


# All cores and frequencies have the same power.
EVEN = [ClusterPower((first, first + 1), np.array([1_000_000]), np.array([100.0]), 0.0) for first in (0, 2)]
ONE_POWER = PowerModel("one power", 1.0, None, CpuPower(0.0, 0.0, 0.0, tuple(EVEN)))


def analyzed(run: RunTables, model: PowerModel = MODEL) -> Profile:
    return profile_of(parsed(run, methods=METHODS), manifest(3, policies=POLICIES), model)


def calibrated(random: Random, run: RunTables) -> RunTables:
    """The run with costs of probes, sometimes so high that methods have negative energy."""
    most_ns = random.choice([50.0, 500_000.0])
    cost = CallCost(*(random.uniform(0, most_ns) for _ in range(4)), spread_ns=random.uniform(0, most_ns))
    return changed(run, probe_cost=ProbeCost(cost, cost))


@settings(max_examples=60, deadline=None)
@given(randoms, flags, flags, flags)
def test_energy_is_conserved(random: Random, stat: bool, process: bool, cut: bool) -> None:
    run = random_run(random, with_stat=stat, with_process=process, cut=cut)
    raw, result = analyzed(run), analyzed(calibrated(random, run))
    for one, other in zip(raw.tests, result.tests, strict=True):
        assert other.energy_j == one.energy_j
        for before, after in zip(one.threads, other.threads, strict=True):
            # Raw energy is unchanged, and the difference is the probes' energy.
            figures = {method.method: (method.inclusive_j, method.exclusive_j) for method in before.methods}
            assert {method.method: (method.raw_inclusive_j, method.raw_exclusive_j) for method in after.methods} == figures
            assert after.energy_j == before.energy_j and before.probes_j == 0
            assert after.probes_j == 0 or any(method.calls or method.throws for method in after.methods)
    assert check(result) == []
    assert not [notice for notice in result.warnings if notice.code == "not_conserved"]
    assert result.totals.energy_j > 0


@settings(max_examples=60, deadline=None)
@given(randoms, flags)
def test_energy_is_conserved_without_thread_clocks(random: Random, process: bool) -> None:
    run = random_run(random, with_process=process)
    bare = tuple(replace(thread, anchors=empty(thread.anchors), samples=empty(thread.samples)) for thread in run.threads)
    result = analyzed(replace(run, threads=bare))
    assert result.evidence[0].level == "device"
    assert check(result) == []


def empty(clock: CpuClock) -> CpuClock:
    return CpuClock(clock.t_ns[:0], clock.cpu_ns[:0])


@settings(max_examples=40, deadline=None)
@given(randoms, flags, flags, flags)
def test_results_equal_those_of_the_slow_integrator(random: Random, stat: bool, process: bool, cut: bool) -> None:
    run = calibrated(random, random_run(random, with_stat=stat, with_process=process, cut=cut))
    expected = SlowRun(run, MODEL, {policy.id: policy.cpus for policy in POLICIES}).tests()
    for test in analyzed(run).tests:
        if test.wall_ns == 0:
            continue
        slow = expected[test.id]
        scale = 1e-6 * test.energy_j
        assert test.other_processes_j == pytest.approx(slow.other_processes_j, rel=1e-6, abs=scale)
        assert test.unattributed_j == pytest.approx(slow.unattributed_j, rel=1e-6, abs=scale)
        assert test.base_j == pytest.approx(slow.base_j, rel=1e-6)
        for thread in test.threads:
            wanted = slow.threads[thread.serial]
            assert thread.energy_j == pytest.approx(wanted.energy_j, rel=1e-6, abs=1e-12)
            assert thread.probes_j == pytest.approx(wanted.probes_j, rel=1e-6, abs=1e-12)
            assert thread.untraced_j == pytest.approx(wanted.untraced_j, rel=1e-6, abs=1e-6 * abs(thread.probes_j) + 1e-12)
            for method in thread.methods:
                found = wanted.methods[method.method]
                assert (method.calls, method.throws, method.cut) == (found.calls, found.throws, found.cut)
                rounding = 1e-6 * abs(thread.probes_j) + 1e-12
                assert method.inclusive_j == pytest.approx(found.inclusive_j, rel=1e-6, abs=rounding)
                assert method.exclusive_j == pytest.approx(found.exclusive_j, rel=1e-6, abs=rounding)
        shown = {thread.serial for thread in test.threads}
        assert all(abs(thread.energy_j) < 1e-15 for serial, thread in slow.threads.items() if serial not in shown)


@settings(max_examples=60, deadline=None)
@given(randoms, flags)
def test_folding_changes_nothing(random: Random, has_probes: bool) -> None:
    """Where the power changes, the energy of probes differs: folded calls have the mean power of their epoch."""
    run = random_run(random)
    run, model = (calibrated(random, run), ONE_POWER) if has_probes else (run, MODEL)
    run = changed(run, windows=(replace(run.app.windows[0], start_ns=run.start_ns, end_ns=run.end_ns),))
    folded = replace(run, threads=tuple(as_folded(thread) for thread in run.threads))
    first, second = analyzed(run, model).tests[0], analyzed(folded, model).tests[0]
    assert second.energy_j == pytest.approx(first.energy_j, rel=1e-9)
    assert by_path(second).keys() == by_path(first).keys()
    for path, (calls, wall, inclusive, exclusive) in by_path(first).items():
        found = by_path(second)[path]
        assert found[0] == calls
        assert abs(found[1] - wall) <= 1
        assert found[2] == pytest.approx(inclusive, rel=1e-9, abs=1e-9 * first.energy_j)
        assert found[3] == pytest.approx(exclusive, rel=1e-9, abs=1e-9 * first.energy_j)
    for one, other in zip(first.threads, second.threads, strict=True):
        assert other.probes_j == pytest.approx(one.probes_j, rel=1e-9)
        assert [(m.method, m.calls, m.throws) for m in sorted_methods(one)] == [
            (m.method, m.calls, m.throws) for m in sorted_methods(other)
        ]


def sorted_methods(thread: ThreadEnergy) -> list[MethodEnergy]:
    return sorted(thread.methods, key=lambda method: method.method)


def by_path(test: OneTest) -> dict[tuple[int, ...], tuple[int, int, float, float]]:
    found = {}
    for thread in test.threads:
        paths: list[tuple[int, ...]] = []
        for node in thread.nodes:
            paths.append((*(paths[node.parent] if node.parent >= 0 else (thread.serial,)), node.method))
            found[paths[-1]] = (node.calls, node.wall_ns, node.inclusive_j, node.exclusive_j)
    return found

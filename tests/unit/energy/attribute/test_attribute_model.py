"""The CPU model in isolation: shared power, and the choice of clusters and frequencies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from attribution_maker import BIG, LITTLE, MODEL, PLAIN, T0, cpu_stat, manifest, nested, ns, parsed, residency, run, thread
from hypothesis import given
from hypothesis import strategies as st

from navitas.base.errors import RecordingError
from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.cpu.placement import cpu_shares, place, slot_shares
from navitas.energy.attribute.cpu.rate import Cluster, Load, clusters_of, core_watts, mix_per_slot, running_mix
from navitas.energy.attribute.curves import Knots, monotone, time_span
from navitas.recording.manifest import Policy
from navitas.recording.parse.arrays import F64
from navitas.recording.parse.tables import CpuStat

SLOT = np.array([T0, T0 + 100_000_000])
LITTLE_LOW = Cluster((0, 1), LITTLE, residency(0, [500_000, 1_000_000], [(0, [0, 0]), (100, [100, 0])]))
BIG_HIGH = Cluster((2, 3), BIG, residency(2, [800_000, 2_000_000], [(0, [0, 0]), (100, [0, 100])]))


def watts(spent_ms: list[float], shares: list[float], rest_ms: float = 0.0) -> float:
    load = Load(
        SLOT, np.arange(len(spent_ms)), np.zeros(len(spent_ms), np.int64), np.array(spent_ms) * 1e6, np.array([rest_ms * 1e6])
    )
    found = core_watts(load, np.array([shares]), [LITTLE_LOW, BIG_HIGH], MODEL)
    return float(found.active[0] + (found.share * (found.core + found.shared))[0].sum())


def test_one_running_core_is_charged_all_shared_power() -> None:
    assert watts([50], [1, 0, 0, 0]) == pytest.approx((20 + 4 + 10) / 1e3)
    assert watts([100], [0, 0, 1, 0]) == pytest.approx((300 + 8 + 10) / 1e3)


def test_two_cores_of_one_cluster_share_it_and_cpu_active() -> None:
    assert watts([100, 100], [0.5, 0.5, 0, 0]) == pytest.approx((20 + 4 / 2 + 10 / 2) / 1e3)


def test_cores_of_two_clusters_share_only_cpu_active() -> None:
    per_core = watts([100, 100], [0.5, 0, 0.5, 0])
    assert 2 * per_core == pytest.approx((20 + 4 + 300 + 8 + 10) / 1e3, rel=1e-6)


def test_partly_busy_cores_overlap_as_if_they_were_independent() -> None:
    # Two threads with half a core each, on different cores: at least one runs for 0.75 of the time.
    assert watts([50, 50], [0.5, 0.5, 0, 0]) == pytest.approx((20 + (4 + 10) * 0.75) / 1e3)


def test_one_thread_on_two_cores_never_overlaps_itself() -> None:
    assert watts([100], [0.5, 0.5, 0, 0]) == pytest.approx((20 + 4 + 10) / 1e3)


def test_threads_that_alternate_on_one_core_do_not_overlap() -> None:
    assert watts([25, 25, 25, 25], [1, 0, 0, 0]) == pytest.approx((20 + 4 + 10) / 1e3)


def test_other_processes_share_power_too() -> None:
    assert watts([100], [0.5, 0.5, 0, 0], rest_ms=100) == pytest.approx((20 + 2 + 5) / 1e3)


def test_running_time_fills_the_frequencies_from_the_highest_down() -> None:
    freq = np.array([500_000, 1_000_000])
    mixed = np.array([[0.5, 0.5]] * 4)
    running = np.array([1.0, 0.75, 0.25, 0.0])
    found = running_mix(mixed, freq, running, np.full(4, 1e15))
    assert found == pytest.approx(np.array([[0.5, 0.5], [1 / 3, 2 / 3], [0.0, 1.0], [0.5, 0.5]]), abs=1e-6)
    # In half of the time that a frequency takes to follow, a third of the way.
    found = running_mix(mixed, freq, running, np.full(4, 16e6))
    assert found == pytest.approx(np.array([[0.5, 0.5], [4 / 9, 5 / 9], [1 / 3, 2 / 3], [0.5, 0.5]]), abs=1e-8)


def test_samples_without_growth_join_the_next_stretch() -> None:
    table = residency(0, [1, 2], [(0, [0, 0]), (20, [0, 0]), (40, [30, 10]), (60, [30, 10])])
    edges = np.array([ns(0), ns(20), ns(40), ns(60)])
    assert mix_per_slot(table, edges) == pytest.approx(np.array([[0.75, 0.25]] * 3))


def test_work_is_assigned_by_the_governors_frequencies() -> None:
    # For 200 ms, first the little cluster is fast, then the big one. Each ran for 100 ms.
    times = [0.0, 100.0, 200.0]
    little = residency(0, [500_000, 1_000_000], list(zip(times, [[0, 0], [0, 100], [100, 100]], strict=True)))
    big = residency(2, [800_000, 2_000_000], list(zip(times, [[0, 0], [100, 0], [100, 100]], strict=True)))
    clusters = [Cluster((0, 1), LITTLE, little), Cluster((2, 3), BIG, big)]
    edges = np.array([ns(t) for t in times])
    stat = cpu_stat([(0, [0, 0, 0, 0]), (200, [100, 0, 0, 100])])
    load = Load(edges, np.zeros(2, np.int64), np.array([0, 1]), np.array([1e8, 1e8]), np.zeros(2))
    knots, cpu_ns = Knots.from_columns(np.zeros(3, np.int64), edges, 1), np.array([0.0, 1e8, 2e8])

    def shares_with(known: CpuStat | None) -> F64:
        return cpu_shares(known, clusters, edges, slot_shares(place(known, clusters, load, knots, cpu_ns), load))

    shares = shares_with(stat)
    assert shares.sum(axis=1) == pytest.approx([1, 1])
    assert shares[0, 0] > 0.9
    assert shares[1, 3] > 0.9
    assert shares[:, 0] @ [0.5, 0.5] == pytest.approx(0.5, abs=3e-3)
    alone = shares_with(None)
    assert alone[0, 0] == pytest.approx(alone[0, 1]) == pytest.approx(0.5 * 0.52 / 0.54)


def test_a_light_thread_is_assigned_to_small_cores() -> None:
    # For 100 ms, both clusters were fast. They ran for 20 and 100 ms, for one thread of 100 ms and one of 20 ms.
    fast = [residency(0, [500_000, 1_000_000], [(0, [0, 0]), (100, [0, 100])])]
    fast.append(residency(2, [800_000, 2_000_000], [(0, [0, 0]), (100, [0, 100])]))
    clusters = [Cluster((0, 1), LITTLE, fast[0]), Cluster((2, 3), BIG, fast[1])]
    edges = np.array([ns(0), ns(100)])
    load = Load(edges, np.array([0, 1]), np.array([0, 0]), np.array([1e8, 2e7]), np.zeros(1))
    knots = Knots.from_columns(np.array([0, 0, 1, 1]), np.array([ns(0), ns(100)] * 2), 2)
    stat = cpu_stat([(0, [0, 0, 0, 0]), (100, [20, 0, 100, 0])])
    found = place(stat, clusters, load, knots, np.array([0.0, 1e8, 0.0, 2e7]))
    assert found.owner.tolist() == [0, 1]
    # With equal weights, both would have a sixth on the small cores.
    assert found.threads[0, 1] > 0.9 and found.threads[1, 0] > 0.7
    assert found.spent_ns @ found.threads == pytest.approx([2e7, 1e8], rel=1e-6)


def test_clusters_match_by_cpus_or_by_position() -> None:
    tables = run([])
    listed = [Policy(id=4, cpus=[2, 3]), Policy(id=0, cpus=[0])]
    assert [c.power.cluster_ma for c in clusters_of(tables, listed, MODEL.cpu)] == [4, 8]
    strange = [Policy(id=8, cpus=[8]), Policy(id=9, cpus=[9]), Policy(id=10, cpus=[10])]
    assert [c.power.cluster_ma for c in clusters_of(tables, strange, MODEL.cpu)] == [4, 8, 8]
    assert [c.cpus for c in clusters_of(tables, [], MODEL.cpu)] == [(0, 1), (2, 3)]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_isotonic_regression_has_the_least_squared_error(values: list[float]) -> None:
    fitted = monotone(np.array(values))
    assert np.all(np.diff(fitted) >= 0)
    assert fitted.sum() == pytest.approx(sum(values), abs=1e-6 * len(values))
    rising = np.maximum.accumulate(np.array(values))
    assert np.sum((fitted - values) ** 2) <= np.sum((rising - values) ** 2) * (1 + 1e-9) + 1e-9


def test_look_ups_beyond_the_ends_are_constant_for_each_curve() -> None:
    knots = Knots.from_columns(np.array([0, 0, 1]), np.array([10, 20, 15]), 2)
    value = np.array([1.0, 3.0, 7.0])
    owner, t_ns = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 10, 15, 99, 0, 99])
    assert knots.place(owner, t_ns).read(value).tolist() == [1, 1, 2, 3, 7, 7]


def test_times_too_far_apart_are_refused() -> None:
    with pytest.raises(RecordingError, match="days apart"):
        time_span(np.array([0, 1 << 61]), 100)


def test_a_violated_sum_is_named() -> None:
    fine = profile_of(parsed(run([thread(1, nested((0, 400, 1), (100, 300, 2)), [(0, 0), (500, 400)])])), manifest(), PLAIN)
    assert check(fine) == []
    energy, shares = fine.ledger.energy, fine.ledger.shares
    for raw in (False, True):
        column = energy.raw_j if raw else energy.exclusive_j
        broken = replace(energy, **{"raw_j" if raw else "exclusive_j": np.append(column[:-1], column[-1] * 1.001)})
        found = check(Profile(replace(fine.ledger, energy=broken), fine.about))
        assert len(found) == (1 if raw else 2) and "add up to" in found[0]
    tampered = replace(fine.ledger, shares=replace(shares, energy_j=shares.energy_j * 1.001))
    (problem,) = check(Profile(tampered, fine.about))
    assert "thread thread-1, cpu: energies of call paths" in problem
    lost = replace(fine.ledger, run_energy_j=fine.ledger.run_energy_j * np.nan)
    assert len(check(Profile(lost, fine.about))) == 2

"""The rails against sums worked out by hand, and against a slow integrator."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_truth import TaskEnergies

from navitas.virtual_phone.kernel.modelled_rails import ModelledRails
from navitas.virtual_phone.kernel.scheduler import KernelTask, Segment
from navitas.virtual_phone.kernel.spec import PhoneSpec, load_spec

MS = 1_000_000
DT = 10 * MS
A, B, C = KernelTask(1, 1), KernelTask(1, 2), KernelTask(2, 3)


class Split(ModelledRails):
    """Rails, and the same energy by task."""

    def __init__(self, spec: PhoneSpec) -> None:
        super().__init__(spec)
        self.energies = TaskEnergies(spec)
        self.tasks = self.energies.tasks

    def add(self, dt_ns: int, segments: Sequence[Segment], freq_index: Sequence[int]) -> None:
        self.energies.add(segments, freq_index)
        super().add(dt_ns, segments, freq_index)


def total(rails: ModelledRails) -> float:
    return sum(rails.energies_uj().values())


def test_on_times_are_unions_and_shared_parts_are_split(small_phone: PhoneSpec) -> None:
    rails = Split(small_phone)
    # A: 0 – 6 ms on core 0, B: 4 – 8 ms on core 1 (same cluster), C: 5 – 9 ms on the big core.
    rails.add(DT, [Segment(0, 6 * MS, 0, A), Segment(4 * MS, 8 * MS, 1, B), Segment(5 * MS, 9 * MS, 2, C)], [0, 1])
    assert (rails.cluster_ns, rails.active_ns) == ([8 * MS, 4 * MS], 9 * MS)
    assert rails.energies_uj() == pytest.approx(
        {
            "S4M_VDD_CPUCL0": 10 * 10 + 8 * 5,
            "S3M_VDD_CPUCL1": 4 * 400 + 4 * 20,
            "VDD_CPU_ACTIVE": 9 * 40,
            "VSYS_CPU_BASE": 80,
        }
    )
    third, half = 40 / 3, 40 / 2
    assert rails.tasks[A].energy_uj == pytest.approx(6 * 10 + (4 * 5 + 2 * 2.5) + 4 * 40 + half + third)
    assert rails.tasks[B].energy_uj == pytest.approx(4 * 10 + (2 * 2.5 + 2 * 5) + half + third + 2 * half)
    assert rails.tasks[C].energy_uj == pytest.approx(4 * 400 + 4 * 20 + third + 2 * half + 40)


def test_tasks_that_follow_each_other_on_a_core_leave_no_gap(small_phone: PhoneSpec) -> None:
    rails = ModelledRails(small_phone)
    rails.add(DT, [Segment(0, MS, 0, A), Segment(MS, 3 * MS, 0, B)], [0, 0])
    assert (rails.cluster_ns, rails.active_ns) == ([3 * MS, 0], 3 * MS)


def test_sums_do_not_drift() -> None:
    spec = load_spec()
    rails = ModelledRails(spec)
    step = [Segment(7, 3_333_340, 6, A)]
    for _ in range(2_000):
        rails.add(DT, step, [0, 0, 16])
    expected = 2_000 * 3_333_333 * (spec.clusters[2].core_mw[16] + spec.clusters[2].cluster_mw) * 1e-6
    assert rails.energies_uj()["S2M_VDD_CPUCL2"] == pytest.approx(expected, rel=1e-14)


def slow_energy_uj(spec: PhoneSpec, segments: list[Segment], index: list[int], dt: int) -> float:
    """Power moment by moment, over all stretches in which nothing changes."""
    edges = sorted({0, dt, *(s.start_ns for s in segments), *(s.end_ns for s in segments)})
    energy = 0.0
    for start, end in pairwise(edges):
        cores = [s.core for s in segments if s.start_ns <= start < s.end_ns]
        power = spec.base_mw + (spec.active_mw if cores else 0)
        for k, cluster in enumerate(spec.clusters):
            running = len(set(cores) & set(cluster.cpus))
            power += running * cluster.core_mw[index[k]] + (cluster.cluster_mw if running else 0)
        energy += power * (end - start) / 1e6
    return energy


_spans = st.lists(st.tuples(st.integers(0, DT), st.integers(0, DT)), min_size=8, max_size=8)


@given(_spans, st.lists(st.integers(0, 10), min_size=3, max_size=3))
def test_results_equal_those_of_the_slow_integrator(spans: list[tuple[int, int]], index: list[int]) -> None:
    spec = load_spec()
    segments = [Segment(min(s), max(s), core, KernelTask(1, core + 1)) for core, s in enumerate(spans) if s[0] != s[1]]
    rails = Split(spec)
    rails.add(DT, segments, index)
    assert total(rails) == pytest.approx(slow_energy_uj(spec, segments, index, DT), rel=1e-12)
    assert rails.energies.energy_uj + rails.energies_uj()["VSYS_CPU_BASE"] == pytest.approx(total(rails), rel=1e-12)

"""The clock of each core: events of one clock that cores share, of clocks of their own, and what the trace does not show."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from attribution_maker import BIG, LITTLE, MODEL, POLICIES, manifest, ns, parsed, residency
from hypothesis import given
from hypothesis import strategies as st
from test_attribute_sched import Change, Slice, by_instants, traced

from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.cpu.instants import CoreClocks, core_clocks
from navitas.energy.attribute.cpu.rate import Cluster
from navitas.recording.manifest import IMPORTED_FROM
from navitas.recording.parse.trace.trace_tables import Frequencies

SPEEDS = (300_000, 600_000, 900_000, 1_200_000, 1_500_000)
ALWAYS, NEVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def clocks(changes: list[Change], *, is_policy: bool = True, cluster: Cluster | None = None) -> CoreClocks:
    changes = sorted(changes)
    frequencies = Frequencies(
        np.array([cpu for cpu, _, _ in changes], np.int32),
        np.array([ns(t) for _, t, _ in changes], np.int64),
        np.array([khz for _, _, khz in changes], np.int64),
    )
    return core_clocks(frequencies, [cluster or Cluster((0, 1, 2, 3), LITTLE, None, is_policy)])


def changes_of_one_clock(random: Random, count: int) -> list[tuple[float, int]]:
    khz, found = 0, []
    for at in range(count):
        khz = random.choice([speed for speed in SPEEDS if speed != khz])
        found.append((at * 4 + random.random(), khz))
    return found


@given(st.integers(0, 1 << 32).map(Random), st.sampled_from(["any core", "all cores", "polls", "some cores"]))
def test_one_clock_of_all_cores(random: Random, way: str) -> None:
    """Old kernels name the core that changed it, newer ones all cores that are online."""
    changes = changes_of_one_clock(random, 60)
    named = {
        "any core": lambda: [random.randrange(4)],
        "polls": lambda: [random.randrange(4)],
        "all cores": lambda: [0, 1, 2, 3],
        "some cores": lambda: [0, 1, 2] if random.random() < 0.2 else [0, 1, 2, 3],
    }[way]
    events = [(cpu, t + 0.002 * cpu, khz) for t, khz in changes for cpu in named()]
    if way == "polls":
        polled = [next(khz for t, khz in reversed(changes) if t <= at) for at in range(30, 240, 60)]
        events += [(cpu, at, khz) for at, khz in zip(range(30, 240, 60), polled, strict=True) for cpu in range(4)]
    found = clocks(events)
    assert found.apart == ()
    at_ns = np.array([ns(t + 0.1) for t, _ in changes])
    for cpu in range(4):
        row = np.searchsorted(found.cores[cpu].t_ns, at_ns, side="right") - 1
        assert found.cores[cpu].khz[row][row >= 0].tolist() == [khz for (_, khz), r in zip(changes, row, strict=True) if r >= 0]
        assert found.cores[cpu].known_ns <= ns(300)


@given(st.integers(0, 1 << 32).map(Random), st.sampled_from(["changes", "repeats", "polls"]))
def test_clocks_of_their_own(random: Random, way: str) -> None:
    own = {cpu: changes_of_one_clock(random, 40) for cpu in (0, 1)}
    events = [(cpu, t, khz) for cpu, changes in own.items() for t, khz in changes]
    if way == "repeats":  # an idle core and a busy one, each named every 4 ms
        events = [(cpu, at * 4 + cpu * 2, khz) for at in range(40) for cpu, khz in ((0, 500_000), (1, 1_000_000))]
    if way == "polls":
        events += [(cpu, at, [khz for t, khz in own[cpu] if t <= at][-1]) for at in range(5, 160, 20) for cpu in (0, 1)]
    found = clocks(events, cluster=Cluster((0, 1), LITTLE, None, is_policy=False))
    assert len(found.apart) == 1
    for cpu in (0, 1):
        mine = sorted((ns(t), khz) for of, t, khz in events if of == cpu)
        assert list(zip(found.cores[cpu].t_ns.tolist(), found.cores[cpu].khz.tolist(), strict=True)) == mine


def test_the_clock_of_a_core_that_no_event_names() -> None:
    """That of its cluster is known only if the kernel says that they share it."""
    changes: list[Change] = [(0, 10, 300_000), (0, 20, 900_000)]
    assert clocks(changes).cores[1].known_ns == ns(10)
    guessed = clocks(changes, is_policy=False)
    assert (guessed.cores[0].known_ns, guessed.cores[1].known_ns) == (ns(10), NEVER)
    assert guessed.cores[1].khz.tolist() == [300_000, 900_000]


def test_before_the_first_event_only_a_single_speed_is_known() -> None:
    steady = residency(0, [500_000, 1_000_000], [(0, [0, 0]), (100, [0, 100])])
    mixed = residency(0, [500_000, 1_000_000], [(0, [0, 0]), (100, [40, 60])])
    for table, known_ns, before_ma in ((steady, ALWAYS, 50.0), (mixed, ns(100), 50.0)):
        clock = clocks([(0, 100, 500_000)], cluster=Cluster((0,), LITTLE, table)).cores[0]
        assert (clock.known_ns, clock.before_ma) == (known_ns, before_ma)


def level(changes: list[Change], *, imported: bool = False) -> Profile:
    slices: list[Slice] = [(1, 0, 60, 101), (0, 70, 72, 102)]
    made = manifest(1, policies=POLICIES)
    if imported:
        made = made.model_copy(update={"settings": {IMPORTED_FROM: "art-trace"}})
    return profile_of(parsed(traced(slices, changes, 100)), made, MODEL)


@pytest.mark.parametrize("imported", [False, True])
def test_the_busy_cores_own_clock_counts(imported: bool) -> None:
    changes: list[Change] = [(1, 0, 1_000_000), *((0, t, 500_000) for t in range(1, 100, 10))]
    result = level(changes, imported=imported)
    busy = next(row for row in result.tests[0].threads if row.serial == 1)
    assert busy.energy_j == pytest.approx((50 + 4 + 10) * 1e-3 * 0.06)
    (evidence,) = result.evidence
    assert evidence.level == "sched"
    assert [reason.code for reason in evidence.reasons] == ["trace_core_clocks"]
    assert "CPUs 0, 1 have different clocks" in str(evidence.reasons[0])


@pytest.mark.parametrize(("changes", "imported", "expected"), [
    ([(0, 0, 500_000)], False, "sched"),
    ([(0, 0, 500_000)], True, "device"),
    ([], False, "device"),
    ([(1, 20, 500_000)], True, "sched"),
    ([(1, 40, 500_000)], True, "device"),
])  # fmt: skip
def test_a_guessed_clock_is_no_evidence(changes: list[Change], imported: bool, expected: str) -> None:
    (evidence,) = level(changes, imported=imported).evidence
    assert evidence.level == expected
    codes = [reason.code for reason in evidence.reasons]
    assert ("trace_clock_guessed" in codes) == (changes != [(0, 0, 500_000)] or imported)


def test_energy_of_a_shared_clock_is_that_of_the_cluster() -> None:
    slices: list[Slice] = [(0, 0, 30, 101), (1, 10, 60, 102), (2, 0, 50, 103)]
    changes: list[Change] = [(0, 0, 500_000), (0, 25, 1_000_000), (2, 0, 2_000_000)]
    result = profile_of(parsed(traced(slices, changes, 100)), manifest(1, policies=POLICIES), MODEL)
    wanted = by_instants(slices, changes, {0: 0, 2: 0})
    found = {row.serial: row.energy_j for row in result.tests[0].threads}
    assert found == {serial: pytest.approx(wanted[100 + serial]) for serial in (1, 2, 3)}
    assert BIG.cpus == (2, 3)

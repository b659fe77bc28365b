"""Profiles for pprof, read by protobuf's own parser: their sums are those of the JSON report."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lamp import lit
from profile_maker import ABOUT, METHODS, one_run, profile, with_nodes, without_probes
from support.big_recording import make_deep_recording
from support.hostile_profile import HOSTILE, hostile_profile
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec
from support.pprof_reader import PprofSample, read_profile, read_samples
from support.reports import output_of

import navitas
from navitas.base.untrusted_text import is_printable
from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.tables import MethodTable
from navitas.report.bounded_stacks import DEEPER, MAX_DEPTH

SORTS, SORT, SWAP = "org.example.SortTest.sorts", "org.example.Sorter.sort", "org.example.Sorter.swap"


def samples_of(made: Profile) -> list[PprofSample]:
    return read_samples(output_of("pprof", made))


def energy_of(samples: list[PprofSample]) -> Counter[tuple[str, ...]]:
    energy: Counter[tuple[str, ...]] = Counter()
    for sample in samples:
        energy[sample.names] += sample.energy_uj
    return energy


def test_call_paths_have_energy_time_and_calls() -> None:
    timed = [NodeSpec(-1, 0, 1, 1.0, self_ns=5), NodeSpec(0, 1, 2, 4.0, self_ns=7), NodeSpec(1, 2, 1_000, 1.5, self_ns=9)]
    samples = samples_of(profile(with_nodes(one_run(0, 10.0), *timed)))
    assert {sample.names: (sample.energy_uj, sample.time_ns, sample.calls) for sample in samples} == {
        (SORTS,): (1_000_000, 5, 1),
        (SORTS, SORT): (4_000_000, 7, 2),
        (SORTS, SORT, SWAP): (1_500_000, 9, 1_000),
        ("(untraced)",): (100_000, 0, 0),
        ("(other processes)",): (1_000_000, 0, 0),
        ("(base)",): (1_250_000, 0, 0),
        ("(unattributed)",): (250_000, 0, 0),
    }
    (inner,) = [sample for sample in samples if sample.names == (SORTS, SORT)]
    assert inner.labels == {
        "test": "org.example.SortTest#sorts",
        "repeat": "0",
        "thread": "main",
        "component": "cpu",
    }


def test_functions_have_the_file_and_line_of_their_method() -> None:
    named = MethodTable((replace(METHODS.methods[0], file="SortTest.java"), *METHODS.methods[1:]), {})
    (sample,) = [sample for sample in samples_of(profile(methods=named)) if len(sample.stack) == 3]
    assert sample.stack == ((SORTS, "org/example/SortTest.java", 12), (SORT, "", 34), (SWAP, "", 0))


def test_sums_are_those_of_each_test_and_thread() -> None:
    samples = samples_of(profile(one_run(0, 10.0), one_run(1, 12.0000004)))
    for repeat, test_uj in (("0", 10_000_000), ("1", 12_000_000)):
        assert sum(sample.energy_uj for sample in samples if sample.labels["repeat"] == repeat) == test_uj
    pools = [sample for sample in samples if sample.labels.get("thread") == "pool-# ×3"]
    assert [(sample.names, sample.energy_uj) for sample in pools] == [(("(untraced)",), 750_000)] * 2


def test_components_have_samples_of_their_own_and_calls_count_once() -> None:
    made = lit()
    samples = samples_of(made)
    for number, component in enumerate(made.components):
        own = sum(sample.energy_uj for sample in samples if sample.labels["component"] == component)
        assert own == pytest.approx(sum(1e6 * test.components[number] for test in made.tests), abs=len(made.tests))
    calls = sum(node.calls for test in made.tests for thread in test.threads for node in thread.nodes)
    assert sum(sample.calls for sample in samples) == calls
    assert len({sample.labels["component"] for sample in samples}) == 2


def test_runs_without_probes_are_left_out() -> None:
    test = one_run(0, 10.0)
    assert sum(sample.energy_uj for sample in samples_of(profile(test, without_probes(test, 5.0)))) == 10_000_000


def test_the_profile_has_times_and_says_what_energies_are() -> None:
    message = read_profile(output_of("pprof", profile()))
    assert (message.time_nanos, message.duration_nanos) == (1_767_225_600 * 10**9, 10**9)
    comments = [message.string_table[number] for number in message.comment]
    assert any("sample" in comment for comment in comments) and any("estimates" in comment for comment in comments)


def test_a_date_that_the_profile_cannot_hold_is_the_latest() -> None:
    made = profile(about=replace(ABOUT, created_utc="9000-01-01T00:00:00+00:00"))
    assert read_profile(output_of("pprof", made)).time_nanos == (1 << 63) - 1


@settings(max_examples=40)
@given(
    st.lists(st.floats(-3e-6, 9e-6), min_size=3, max_size=3),
    st.lists(st.floats(-2e-6, 5e-6), min_size=2, max_size=2),
    st.floats(0, 1e-5),
)
def test_energy_below_zero_goes_to_callers_and_then_to_other_owners(
    nodes_j: list[float], outside_j: list[float], unattributed_j: float
) -> None:
    tree = [NodeSpec(number - 1, number, 1, joules) for number, joules in enumerate(nodes_j)]
    threads = (
        ThreadSpec(1, "main", sum(nodes_j) + outside_j[0], nodes=tree),
        ThreadSpec(2, "other", outside_j[1]),
    )
    made = profile(TestSpec("a.CTest", "t", 0, threads, base_j=2e-6, unattributed_j=unattributed_j))
    samples = samples_of(made)
    assert all(sample.energy_uj >= 0 for sample in samples)
    assert abs(sum(sample.energy_uj for sample in samples) - max(1e6 * made.tests[0].energy_j, 0)) <= 1


@settings(max_examples=40)
@given(st.lists(st.floats(0, 5e-6), min_size=3, max_size=3))
def test_inclusive_energy_is_right_to_a_microjoule(nodes_j: list[float]) -> None:
    tree = [NodeSpec(number - 1, number, 1, joules) for number, joules in enumerate(nodes_j)]
    energy = energy_of(samples_of(profile(with_nodes(one_run(0, 10.0), *tree))))
    for depth in range(3):
        inclusive_uj = sum(uj for names, uj in energy.items() if len(names) > depth and names[0] == SORTS)
        assert -1e-6 <= 1e6 * sum(nodes_j[depth:]) - inclusive_uj < 1 + 1e-6


def test_energy_beyond_the_exact_numbers_of_readers_is_cut() -> None:
    huge = replace(one_run(0, 10.0), threads=(ThreadSpec(1, "main", 1e300),), other_processes_j=0.0)
    assert max(sample.energy_uj for sample in samples_of(profile(huge))) == 1 << 53


@settings(max_examples=40)
@given(st.lists(st.text(max_size=20), min_size=3, max_size=3), st.text(max_size=20))
def test_names_are_one_printable_line(names: list[str], thread: str) -> None:
    methods = MethodTable(tuple(replace(one, name=name) for one, name in zip(METHODS.methods, names, strict=True)), {})
    test = one_run(0, 10.0)
    test = replace(test, threads=(replace(test.threads[0], name=thread), *test.threads[1:]))
    for sample in samples_of(profile(test, methods=methods)):
        texts = [text for name, file, _ in sample.stack for text in (name, file)]
        assert all(is_printable(text) for text in [*texts, *sample.labels.values()])
        assert all([*sample.names, *sample.labels.values()])


@pytest.mark.parametrize("name", ["\ud800", "a;b\nc", "<script>", *HOSTILE])
def test_hostile_names(name: str) -> None:
    methods = MethodTable((replace(METHODS.methods[0], name=name, file=name), *METHODS.methods[1:]), {})
    assert len(samples_of(profile(methods=methods))) == len(samples_of(profile()))


def test_a_hostile_profile() -> None:
    made = hostile_profile()
    total_uj = sum(sample.energy_uj for sample in samples_of(made))
    assert total_uj == pytest.approx(1e6 * made.energy_j(), abs=len(made.tests))


def test_very_deep_calls_are_one_frame(tmp_path: Path) -> None:
    make_deep_recording(tmp_path / "rec", 1_200)
    made = navitas.load(tmp_path / "rec")
    samples = samples_of(made)
    deepest = max(samples, key=lambda sample: len(sample.stack))
    assert len(deepest.stack) == MAX_DEPTH + 1 and deepest.names[-1] == DEEPER
    calls = sum(node.calls for test in made.tests for thread in test.threads for node in thread.nodes)
    assert sum(sample.calls for sample in samples) == calls
    assert sum(sample.energy_uj for sample in samples) == pytest.approx(1e6 * made.energy_j(), abs=len(made.tests))

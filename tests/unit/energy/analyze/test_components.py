"""Energy is conserved by component, owner and test. A second component doesn't change the figures of the first."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from random import Random
from typing import ClassVar

import jsonschema
import numpy as np
import pytest
from attribution_maker import thread
from hardware_maker import ABOUT
from hypothesis import given, settings
from hypothesis import strategies as st
from lamp import BASE_W, BOTH, THREAD_W, Lamp, lit, lit_runs, profile_with
from support.reports import closed, data_of, printed, text_of
from support.run_tables import changed
from traces import random_run

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.calls.self_totals import NO_COST
from navitas.energy.attribute.component import ComponentCurves, ComponentInputs, EvidenceLevel, OwnerKind, RailUse
from navitas.energy.attribute.cpu.cpu_component import Cpu
from navitas.energy.attribute.curves import Curve
from navitas.energy.attribute.ledger import NO_TEST, Evidence, Ledger
from navitas.recording.parse.reasons import MergedReason
from navitas.recording.parse.tables import CallCost, ProbeCost, RunTables
from navitas.report import collapsed, json_report, speedscope
from navitas.report.terminal.terminal_report import TerminalReport

randoms = st.integers(0, 1 << 32).map(Random)
Key = tuple[int, ...]


def runs_of(random: Random) -> list[RunTables]:
    """One or two runs, sometimes with probes whose cost is known, and sometimes cut."""
    found = [random_run(random, cut=random.random() < 0.3) for _ in range(random.randint(1, 2))]
    inside_ns, outside_ns = random.uniform(0, 500_000), random.uniform(0, 500_000)
    cost = CallCost(inside_ns, outside_ns, outside_ns / 2, inside_ns / 2, spread_ns=1_000)
    return [changed(each, probe_cost=ProbeCost(cost, cost)) if random.random() < 0.5 else each for each in found]


def close(found: float, wanted: float, whole_j: float) -> bool:
    return abs(found - wanted) <= 1e-9 * abs(whole_j)


@settings(max_examples=60, deadline=None)
@given(randoms)
def test_facts_agree_with_the_curves_by_component_owner_and_test(random: Random) -> None:
    made = profile_with(runs_of(random))
    ledger, energy = made.ledger, made.ledger.energy
    assert check(made) == []
    for joules in (energy.exclusive_j, energy.raw_j):
        used: defaultdict[Key, float] = defaultdict(float)
        for test, owner, component, value in zip(energy.test, energy.owner, energy.component, joules, strict=True):
            used[int(test), int(owner), int(component)] += float(value)
        for component, owner in np.ndindex(2, len(ledger.owners)):
            curve, entry = ledger.curves.curve(owner, component), ledger.runs[int(ledger.owners.run[owner])]
            whole_j = curve.between(entry.start_ns, entry.end_ns)
            in_tests_j = 0.0
            for test in np.flatnonzero(ledger.tests.run == entry.id).tolist():
                wanted = curve.between(int(ledger.tests.start_ns[test]), int(ledger.tests.end_ns[test]))
                assert close(used[test, owner, component], wanted, ledger.run_energy_j.sum())
                in_tests_j += wanted
            assert close(used[NO_TEST, owner, component], whole_j - in_tests_j, ledger.run_energy_j.sum())


@settings(max_examples=60, deadline=None)
@given(randoms)
def test_figures_are_sums_over_components(random: Random) -> None:
    made = profile_with(runs_of(random))
    whole_j = made.totals.energy_j
    assert close(sum(made.totals.components), whole_j, whole_j)
    assert np.allclose(made.totals.components, made.ledger.run_energy_j.sum(axis=0), rtol=1e-12)
    for test in made.tests:
        assert close(sum(test.components), test.energy_j, whole_j)
        assert close(sum(one.energy_j for one in test.threads), test.threads_total_j, whole_j)
        for one in test.threads:
            assert close(sum(one.components), one.energy_j, whole_j)
            parts = sum(method.exclusive_j for method in one.methods) + one.untraced_j + one.probes_j
            assert close(parts, one.energy_j, whole_j)
            assert close(sum(node.exclusive_j for node in one.nodes), sum(m.exclusive_j for m in one.methods), whole_j)
            roots_j = sum(node.inclusive_j for node in one.nodes if node.parent < 0)
            assert close(roots_j, sum(node.exclusive_j for node in one.nodes), whole_j)
            for method in one.methods:
                assert close(sum(method.components), method.exclusive_j, whole_j)
    methods, threads = made.method_totals(), made.thread_totals()
    for total in methods:
        assert close(sum(total.components), total.exclusive_j, whole_j)
    for each in threads:
        assert close(sum(each.components), each.energy_j, whole_j)
    parts = sum(total.exclusive_j for total in methods) + sum(each.untraced_j + each.probes_j for each in threads)
    assert close(parts, sum(each.energy_j for each in threads), whole_j)


@settings(max_examples=40, deadline=None)
@given(randoms)
def test_a_lamp_changes_no_figure_of_the_cpu(random: Random) -> None:
    runs = runs_of(random)
    alone, both, swapped = (profile_with(runs, components) for components in ((Cpu(),), BOTH, BOTH[::-1]))
    assert facts(both.ledger, 0) == facts(alone.ledger, 0) == facts(swapped.ledger, 1)
    assert facts(both.ledger, 1) == facts(swapped.ledger, 0)
    assert calls(both.ledger) == calls(alone.ledger) == calls(swapped.ledger)
    assert both.ledger.run_energy_j[:, 0].tolist() == alone.ledger.run_energy_j[:, 0].tolist()
    assert both.evidence[0] == alone.evidence[0]
    for test, before in zip(both.tests, alone.tests, strict=True):
        assert test.components[0] == before.energy_j
        # A sum over threads, whose order differs.
        assert test.probes_j == pytest.approx(before.probes_j, rel=1e-12)
        known = {one.serial: one for one in before.threads}
        for one in test.threads:
            if one.serial in known:
                assert (one.components[0], one.cpu_ns) == (known[one.serial].energy_j, known[one.serial].cpu_ns)
                own = {method.method: method.exclusive_j for method in known[one.serial].methods}
                assert {method.method: method.components[0] for method in one.methods} == own
            else:
                assert (one.components[0], one.cpu_ns) == (0.0, 0)


def test_a_lamp_does_not_change_the_cpu_baseline() -> None:
    cost = CallCost(1e8, 1e8, 1e8, 1e8, 0)
    (own,) = lit_runs(1)
    bare = replace(own, threads=(thread(1, (), [(0, 0), (1000, 200)]),))
    runs = [changed(own, probe_cost=ProbeCost(cost, cost)), bare, bare]
    alone, both = (profile_with(runs, components, baselines=(1, 2)) for components in ((Cpu(),), BOTH))
    (before, *_), (after, *_) = alone.tests, both.tests
    assert before.probes_j not in (0.0, pytest.approx(before.sampled_probes_j))
    assert facts(both.ledger, 0) == facts(alone.ledger, 0)
    assert (after.sampled_probes_j, after.probes_error_j) == (before.sampled_probes_j, before.probes_error_j)
    assert check(alone) == check(both) == []
    assert after.compensated_j > before.compensated_j


def facts(ledger: Ledger, component: int) -> dict[Key, tuple[float, float, float]]:
    """Return a component's nonzero energies by test, owner and path."""
    energy = ledger.energy
    own = (energy.component == component) & ((energy.exclusive_j != 0) | (energy.raw_j != 0))
    keys = zip(*(column[own].tolist() for column in (energy.test, energy.owner, energy.path)), strict=True)
    figures = zip(*(column[own].tolist() for column in (energy.exclusive_j, energy.raw_j, energy.variance_j2)), strict=True)
    return dict(zip(keys, figures, strict=True))


def calls(ledger: Ledger) -> list[list[float]]:
    rows = ledger.calls
    columns = (rows.test, rows.owner, rows.path, rows.calls, rows.throws, rows.cut, rows.self_ns, rows.cpu_ns)
    return [column.tolist() for column in columns]


def test_a_lamp_is_in_every_view() -> None:
    made = lit()
    first, second, _ = made.tests
    assert made.components == ("cpu", "lamp")
    assert first.components[1] == pytest.approx((BASE_W + THREAD_W) * 0.6)
    assert second.components[1] == pytest.approx((BASE_W + THREAD_W) * 0.2)
    assert made.totals.components[1] == pytest.approx(BASE_W + THREAD_W)
    of_lamp = {one.serial: one.components[1] for one in first.threads}
    assert of_lamp == {1: pytest.approx(THREAD_W * 0.6), 2: 0.0}
    (own,) = (one for one in first.threads if one.serial == 1)
    assert {method.method: method.components[1] for method in own.methods} == {
        0: pytest.approx(THREAD_W * 0.3),
        1: pytest.approx(THREAD_W * 0.1),
    }
    outer, inner = own.nodes
    cpu_j = {method.method: method.components[0] for method in own.methods}
    assert outer.exclusive_j == pytest.approx(THREAD_W * 0.3 + cpu_j[0])
    assert outer.inclusive_j == pytest.approx(THREAD_W * 0.4 + cpu_j[0] + cpu_j[1])
    assert inner.inclusive_j == inner.exclusive_j == pytest.approx(THREAD_W * 0.1 + cpu_j[1])
    assert {total.method.name: total.components[1] for total in made.method_totals()} == {
        "m0": pytest.approx(THREAD_W * 0.3),
        "m1": pytest.approx(THREAD_W * 0.1),
    }
    assert {total.name: total.components[1] for total in made.thread_totals()} == {
        "thread-1": pytest.approx(THREAD_W * 0.8),
        "thread-2": 0.0,
    }


def test_reports_contain_the_energy_of_all_components() -> None:
    made = lit()
    text = printed(TerminalReport(tree="thread-1"), made)
    assert f"Evidence of cpu: {made.evidence[0].level} (" in text
    assert "Evidence of lamp: guessed.\n  not seen by anyone" in text
    threads_j = sum(test.threads_total_j for test in made.tests)
    lines = text_of(collapsed.write, made).splitlines()
    assert abs(sum(int(line.rpartition(" ")[2]) for line in lines) - 1e6 * threads_j) <= 4
    drawn = data_of(speedscope.write, made)
    assert [each["endValue"] for each in drawn["profiles"]] == [
        pytest.approx(1e6 * test.energy_j) for test in made.tests if test.wall_ns
    ]
    report = data_of(json_report.write, made)
    assert report["totals"]["components"]["lamp"] == pytest.approx(BASE_W + THREAD_W)
    assert [sum(test["components"].values()) for test in report["tests"]] == [
        pytest.approx(test["energy_j"]) for test in report["tests"]
    ]


def test_the_json_report_splits_every_energy_by_component() -> None:
    made = profile_with(lit_runs(3))
    made.about = replace(made.about, settings={"granularity": "class"})
    report = data_of(json_report.write, made)
    threads = [thread for test in report["tests"] for thread in test["threads"]]
    rows = [row for thread in threads for row in (*thread["methods"], *thread["nodes"])]
    assert len([row for row in rows if "id" in row]) == len(rows) >= 12
    for row in rows:
        for name, energy in (("components", "exclusive_j"), ("inclusive_components", "inclusive_j")):
            assert list(row[name]) == ["cpu", "lamp"] and sum(row[name].values()) == pytest.approx(row[energy])
            assert row[name]["lamp"] > 0
    for total in report["methods"]:
        for name, energy in (("components", "exclusive_j"), ("inclusive_components", "inclusive_j")):
            assert sum(total[name].values()) == pytest.approx(sum(total[energy]["values"]))
    for group, records in (("repeats", made.repeats()), ("classes", made.classes())):
        for entry, repeats in zip(report[group], records, strict=True):
            lamp_j = sorted(test.components[1] for test in repeats.tests)
            assert entry["components"] == {"cpu": repeats.components[0], "lamp": lamp_j[1]}


def test_the_json_report_splits_methods_only_for_several_components() -> None:
    both, one = (Profile(profile_with(lit_runs(2), components).ledger, ABOUT) for components in (BOTH, [Cpu()]))
    jsonschema.validate(data_of(json_report.write, both), closed(json_report.schema()))
    alone = text_of(json_report.write, one)
    assert "inclusive_components" not in alone
    lines = [line for line in alone.splitlines() if '"self_ns"' in line or '"parent"' in line]
    assert lines and not [line for line in lines if "components" in line]


def test_a_component_name_is_not_used_as_a_template() -> None:
    lamp = Lamp(name='100 % "dim"')
    report = data_of(json_report.write, profile_with(lit_runs(1), [Cpu(), lamp]))
    assert list(report["tests"][0]["threads"][0]["nodes"][0]["components"]) == ["cpu", '100 % "dim"']


def test_a_component_can_have_no_thread_energy() -> None:
    made = profile_with(lit_runs(1), [Cpu(), Lamp(threads=False)])
    assert check(made) == []
    assert made.totals.components[1] == pytest.approx(BASE_W)
    assert all(one.components[1] == 0 for test in made.tests for one in test.threads)


def test_a_component_can_be_unknown_in_some_or_all_runs() -> None:
    made = profile_with(lit_runs(2), [Cpu(), Lamp(dark=(1,))])
    assert check(made) == []
    assert made.ledger.run_energy_j[:, 1].tolist() == [pytest.approx(BASE_W + THREAD_W), 0.0]
    assert [test.components[1] > 0 for test in made.tests if test.wall_ns] == [True, True, False, False]
    assert (made.evidence[1].level, str(made.evidence[1].reasons[0])) == ("guessed", "not seen by anyone")
    unknown = profile_with(lit_runs(2), [Cpu(), Lamp(dark=(0, 1))])
    assert check(unknown) == []
    assert unknown.evidence[1] == Evidence("lamp", "none", ())


def test_probes_are_subtracted_from_one_component_only() -> None:
    cpu, lamp = profile_with(lit_runs(1)).evidence
    assert NO_COST.code in {reason.code for reason in cpu.reasons}
    assert lamp == Evidence("lamp", "guessed", (MergedReason("not_seen", "not seen by anyone"),))


def test_without_a_cpu_methods_have_the_energy_of_other_components() -> None:
    cost = CallCost(1e5, 1e5, 1e5, 1e5, 1e3)
    (own,) = lit_runs(1)
    made = profile_with([changed(own, probe_cost=ProbeCost(cost, cost))], [Lamp()])
    assert check(made) == []
    (one,) = made.tests[0].threads
    assert one.probes_j == 0 and one.energy_j == pytest.approx(THREAD_W * 0.6)
    assert {method.method: method.exclusive_j for method in one.methods} == {
        0: pytest.approx(THREAD_W * 0.3),
        1: pytest.approx(THREAD_W * 0.1),
    }


def test_owners_other_than_threads_are_named_by_their_kind() -> None:
    ledger = lit().ledger
    kinds = ledger.owners.kind[ledger.energy.owner[ledger.energy.component == 1]]
    assert set(kinds.tolist()) == {OwnerKind.THREAD, OwnerKind.BASE}


class _Extra:
    """Draws another power for each owner that is no thread."""

    name = "extra"
    levels = (EvidenceLevel("made"),)
    watts: ClassVar = {OwnerKind.OTHER_PROCESSES: 1.0, OwnerKind.BASE: 2.0, OwnerKind.UNATTRIBUTED: 4.0}

    def rail_use(self, rail: str) -> RailUse | None:
        return RailUse.BASE if rail == "VSYS_EXTRA" else None

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        ends = np.array([run.start_ns, run.end_ns])
        drawn = {kind.name.lower(): Curve(ends, watts * (ends - ends[0]) / 1e9) for kind, watts in self.watts.items()}
        return ComponentCurves("made", (), **drawn)


def test_facts_and_curves_of_non_thread_owners_have_the_same_kind() -> None:
    ledger = profile_with(lit_runs(2), [_Extra()]).ledger
    for owner in np.flatnonzero(ledger.owners.kind != OwnerKind.THREAD).tolist():
        run = ledger.runs[ledger.owners.run[owner]]
        expected_j = _Extra.watts[OwnerKind(ledger.owners.kind[owner])] * (run.end_ns - run.start_ns) / 1e9
        assert ledger.energy.exclusive_j[ledger.energy.owner == owner].sum() == pytest.approx(expected_j)
        assert ledger.curves.curve(owner, 0).between(run.start_ns, run.end_ns) == pytest.approx(expected_j)

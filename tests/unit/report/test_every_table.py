"""Every terminal table of the program fits every terminal: its key column stays, its figures are whole."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from profile_maker import ABOUT, METHODS, one_run, profile, with_nodes
from rich.cells import cell_len
from rich.text import Text
from support.ledger_maker import NodeSpec, ThreadSpec, made_ledger
from support.reports import lines_of

import navitas
from navitas.capture.collect.doctor import Check
from navitas.capture.device.adb_server import ListedDevice
from navitas.cli.baseline.commands import sessions_table
from navitas.cli.check.tables import judgements_table
from navitas.cli.compare.bisect import steps_table as energy_steps_table
from navitas.cli.compare.tables import changes_table as compared_table
from navitas.cli.device.devices import devices_table
from navitas.cli.device.doctor import checks_table
from navitas.cli.fleet.diagnose import actions_table
from navitas.cli.fleet.drain_changes import changes_table
from navitas.cli.fleet.drain_changes import checks_table as versions_table
from navitas.cli.fleet.dry_run import columns_table
from navitas.cli.fleet.hogs import bugs_table, hogs_table
from navitas.cli.fleet.ingest import reasons_table, sources_table
from navitas.cli.fleet.jscore import scores_table
from navitas.cli.fleet.paper import paper_table
from navitas.cli.fleet.rates import rates_table
from navitas.cli.graph.tables import (
    edge_changes_table,
    graph_edges_table,
    graph_modules_table,
    history_table,
    module_changes_table,
    unmatched_table,
    wake_ups_table,
)
from navitas.cli.habits.row_tables import rows_table
from navitas.cli.history.show import trends_table
from navitas.cli.operations.census import census_table
from navitas.cli.operations.fit import operations_table, predictions_table
from navitas.cli.operations.fit import scores_table as families_table
from navitas.cli.operations.tables import (
    blocks_table,
    budgets_table,
    changed_operations_table,
    class_shares_table,
    counts_table,
    ranking_table,
)
from navitas.cli.power.calibrate import calibration_table, currents_table
from navitas.cli.power.curves import curves_table
from navitas.cli.power.fit import coefficients_table
from navitas.cli.power.group import cluster_table
from navitas.cli.vitals.tables import acquirers_table, alarms_table, apps_table, locks_table, radio_users_table
from navitas.energy.analyze.energy_tree import EnergyTree
from navitas.energy.analyze.handed_work import UNKNOWN_STARTER, HandedWork
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import Nodes
from navitas.energy.analyze.timeline import ComponentTimelines
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.consumers_comparison import ConsumerEnergy
from navitas.energy.attribute.ledger import Energy, Evidence
from navitas.fleet.diagnoses.advice import ActionRow
from navitas.fleet.diagnoses.drain_changes import ChangeRow, CheckRow
from navitas.fleet.files import FleetError
from navitas.fleet.findings.rates import Summary
from navitas.fleet.findings.results import BugRow, HogRow, ScoreRow
from navitas.fleet.ingest.group import SourceOutcome
from navitas.fleet.ingest.preview import Understood
from navitas.fleet.paper.paper_findings import PaperBugRow, PaperHogRow
from navitas.insight.calibrate.calibration import Calibration, Disagreement, PointErrors
from navitas.insight.calibrate.special_steps import ComponentCurrents
from navitas.insight.calibrate.wattson_curves import PolicyCurve, WattsonCurves
from navitas.insight.check.budgets import ChangeLimit, CheckBudget, Selection, Waiver
from navitas.insight.check.judged_figures import CheckedFigure
from navitas.insight.check.judgement import CheckResult, CheckWord, Judgement
from navitas.insight.compare.comparison import Comparison, FigureChange
from navitas.insight.compare.effect import Deviations, Effect
from navitas.insight.compare.subject import Subject
from navitas.insight.compare.verdict import Verdict
from navitas.insight.graph.delivery_tags import CheckedTag, HistoryCheck
from navitas.insight.graph.difference import EdgeChange, ModuleChange
from navitas.insight.graph.module_graph import EdgeKind, ModuleEdge, ModuleGraph, ModuleNode, UnmatchedMessages
from navitas.insight.graph.wake_ups import WakeUp
from navitas.insight.history.bisect import FigureStep
from navitas.insight.history.trend import ChangePoint, FigureTrend, Slope
from navitas.insight.operations.budgets import Budget
from navitas.insight.operations.build_difference import ChangedOperation
from navitas.insight.operations.census.document import CensusBlock, CensusMethod, InlinedCode
from navitas.insight.operations.counted_program import CountedMethod, CountedProgram, Terms
from navitas.insight.operations.rankings import ClassShare, CostedBlock, RankedOperation
from navitas.insight.operations.regress.apply import Predictions
from navitas.insight.operations.regress.model_file import FamilyScore, FoldScore, HullPart, Operation, OperationsModel
from navitas.insight.operations.regress.noise import Noise
from navitas.insight.verdict.figures import Figures
from navitas.insight.vitals.device_use import Bounds, DeviceUse, HeldLock, UidUse, WakeupAlarm
from navitas.insight.vitals.recorded_methods import Acquirer, RadioUser
from navitas.insight.vitals.report import AppVitals, VitalsReport
from navitas.insight.vitals.verdicts import figures_of, verdict_of
from navitas.power.fitted_model import FittedCoefficient, FittedGroup
from navitas.power.model import ClusterPower, CpuPower
from navitas.recording.parse.tables import MethodTable
from navitas.report.terminal.call_trees import energy_tree_table
from navitas.report.terminal.components_table import components_table, consumers_table, users_table
from navitas.report.terminal.fitted_table import Cell, Column, FittedTable
from navitas.report.terminal.methods_table import handed_work_table, methods_table
from navitas.report.terminal.power_table import MarkedTest, power_table, steps_table
from navitas.report.terminal.tests_table import baseline_table
from navitas.report.terminal.tests_table import tests_table as table_of_tests
from navitas.report.terminal.threads_table import threads_table

WIDTHS = [40, 80, 200, pytest.param(100, marks=pytest.mark.extended)]
TOP = 20
COMPONENTS = ("cpu", "screen", "wifi", "modem", "bluetooth", "gnss", "camera", "flashlight", "audio", "video", "sensors")
NAMES = [
    "sorts",
    "x" * 10_000,
    "\u202egnp.exe\x1b[31m",
    "שלום עולם " * 20,
    "日本語の名前" * 30,
    "tab\tand\nnew line",
    "[bold]y[/]",
]


def _profile(names: Sequence[str]) -> Profile:
    """A recording with a test and a thread of each name, with repeats and runs without probes."""
    probed = replace(one_run(0, 10.0, probes_j=3.0), compensation=(3.0, 1.0, 4.25, 1.5))
    tests = []
    for name in names:
        threads = [replace(probed.threads[0], name=name), *probed.threads[1:]]
        test = replace(probed, method=name, threads=tuple(threads))
        bare = replace(test, threads=(ThreadSpec(1, name, 2.0),), other_processes_j=5.5, baseline=True)
        tests += [test, replace(test, repeat=1), bare, replace(bare, repeat=1)]
    return profile(*tests) if tests else Profile(made_ledger([], METHODS), ABOUT, ())


def _methods(names: Sequence[str]) -> FittedTable:
    methods = [replace(METHODS.methods[0], id=i, name=name, file="SortTest.java") for i, name in enumerate(names)]
    nodes = [NodeSpec(-1, i, 1_234, 1.0, self_ns=100_000_000, cpu_ns=100_000_000, throws=1) for i in range(len(names))]
    tests = [with_nodes(one_run(0, 20.0), *nodes)] if names else []
    made = profile(*tests, methods=MethodTable(tuple(methods), {})) if names else _profile([])
    return methods_table(Figures(made), TOP)


def _tests(names: Sequence[str]) -> FittedTable:
    made = _profile(names)
    return table_of_tests(made, made.repeats(), TOP)


def _baseline(names: Sequence[str]) -> FittedTable:
    made = _profile(names)
    return baseline_table(made, made.repeats(), TOP)


def _of_components(names: Sequence[str]) -> Profile:
    """A recording with a component of each name, all measured by rails, and 1.5 J of base energy each."""
    made = _profile(["x"])
    count = max(len(names), 1)
    energy, rows = made.ledger.energy, np.flatnonzero(made.ledger.owners.kind[made.ledger.energy.owner] == OwnerKind.BASE)[:1]
    columns = {field.name: np.repeat(getattr(energy, field.name)[rows], count) for field in fields(energy)}
    columns |= {"component": np.arange(count).astype(np.uint8), "exclusive_j": np.full(count, 1.5)}
    evidence = tuple(Evidence(name, "thread-time", (), rails_j=123.456, unscaled_j=0.123456) for name in names)
    return Profile(replace(made.ledger, components=tuple(names), energy=Energy(**columns), evidence=evidence), ABOUT)


def _users(names: Sequence[str]) -> FittedTable:
    made = _profile(list(names)[:1])
    runs = [replace(run, package=names[place % len(names)]) for place, run in enumerate(made.ledger.runs)] if names else []
    return users_table(Profile(replace(made.ledger, runs=tuple(replace(run, baseline=False) for run in runs)), ABOUT))


def _timelines(names: Sequence[str]) -> ComponentTimelines:
    steps = 20 if names else 0
    energy_j = np.linspace(0.0, 1.2345, steps * len(names)).reshape(steps, len(names))
    return ComponentTimelines(0, ":app", 1, 10**8, 10**8 * np.arange(steps + 1), tuple(names), energy_j)


def _tree(names: Sequence[str]) -> FittedTable:
    methods = [replace(METHODS.methods[0], id=i, name=name, file="SortTest.java") for i, name in enumerate(names)]
    nodes = [NodeSpec(i - 1, i, 1_234, 1.0, self_ns=100_000_000) for i in range(len(names))]
    if not names:
        return energy_tree_table(_profile([]), EnergyTree("main", "app", (), (), (), (), (), Nodes.none()))
    made = profile(with_nodes(one_run(0, 20.0), *nodes), methods=MethodTable(tuple(methods), {}))
    tree = next(tree for tree in made.energy_trees() if tree.name == "main")
    split, by = ("cpu", "wifi"), np.stack([tree.nodes.inclusive_by[:, 0]] * 2, axis=1)
    columns = Nodes(*tree.nodes.columns, exclusive_by=by, inclusive_by=by)
    return energy_tree_table(made, replace(tree, components=split, energy=tree.energy * 2, untraced=(1.0, 2.0), nodes=columns))


def _consumers(names: Sequence[str]) -> FittedTable:
    made = _profile([])
    found = tuple(ConsumerEnergy(name, (name,), 12_345.6, 1e-9, None if len(name) > 1000 else 0.0, 123.4) for name in names)
    vars(made)["consumers"] = found
    return consumers_table(made)


def _handed(names: Sequence[str]) -> FittedTable:
    methods = [replace(METHODS.methods[0], id=i, name=name) for i, name in enumerate(names)]
    made = Profile(made_ledger([], MethodTable(tuple(methods), {})), ABOUT)
    threads = (NAMES[1], NAMES[2], "pool")
    figures = (1_234_567, 10**11, 12.3456, (12.3456,), threads, 99, 1_234_567)
    found = [HandedWork(i, method, *figures) for i, method in enumerate(methods)]
    vars(made)["_handed_work"] = (*found, HandedWork(UNKNOWN_STARTER, None, 1, 1, 12.3456, (12.3456,), (), 0, 1)) if names else ()
    return handed_work_table(made, 2 * TOP)


def _effect(name: str) -> dict[str, object]:
    """Figures of an app; of the longest name unknown, else as wide as they get."""
    known = len(name) < 1000
    gain = {f"gain_{end}": 123_456.0 if known else None for end in ("min", "low_min", "high_min")}
    percents = {f"gain_{end}": 123.0 if known else None for end in ("percent", "low_percent", "high_percent")}
    extra = {f"extra_{end}percent_h": 99.99 for end in ("", "low_", "high_")}
    return {"app": name, "pairs": 1_234_567, "drain_percent_h": 99.9, **gain, **extra, **percents}


def _hog(name: str) -> HogRow:
    return HogRow(
        **_effect(name),  # type: ignore[arg-type]
        hours=1.0,
        life_min=1.0,
        false_discovery_rate=3.4e-225,
        clients=123_456,
        contrasted_clients=1,
        alone_percent_h=1.0,
        since_version=name,
    )


def _bug(name: str) -> BugRow:
    effect = _effect(name)
    return BugRow(**effect, hours=1.0, life_min=1.0, false_discovery_rate=0.062, client="0c732d2a68b7ae53")  # type: ignore[arg-type]


def _score(name: str) -> ScoreRow:
    figure = None if len(name) > 1000 else 12_345.6
    return ScoreRow("8ee04e70c736fc93", name or None, name, 1_234_567, figure, figure, figure, figure, figure, figure, 1_234)


def _paper(name: str, kind: type[PaperHogRow] = PaperHogRow, **more: str) -> PaperHogRow:
    gain = {end: value for end, value in _effect(name).items() if end.endswith("min")}
    rates = ("drain", "others", "d", "e", "distance")
    return kind(app=name, pairs=1_234_567, **{f"{rate}_percent_h": 12.34 for rate in rates}, **gain, **more)  # type: ignore[arg-type]


def _action(name: str) -> ActionRow:
    effect = {key: value for key, value in _effect(name).items() if key.startswith("extra") or key.endswith("min")}
    texts = {"kind": "bug", "client": None, "where": f"version {name}", "action": "kill", "to": None}
    return ActionRow(app=name, text=f"killing {name}", clients=3, share_percent=57.0, **texts, **effect)  # type: ignore[arg-type]


def _outcome(name: str) -> SourceOutcome:
    error = FleetError(f"{name}: no", "") if len(name) > 1000 else None
    return SourceOutcome(name, 1_234_567, 1_234_560, 7, 3, Counter({name: 7}), known=len(name) < 10, error=error)


def _rates(names: Sequence[str]) -> FittedTable:
    return rates_table(
        Summary(1_000, 200_000, 1_767_225_600, 1_769_904_000, 126_980, 71_904.0, 7.48, {}, dict.fromkeys(names, 71_286), [])
    )


def _cluster(names: Sequence[str]) -> FittedTable:
    speeds = np.arange(len(names), dtype=np.int64)
    return cluster_table(0, ClusterPower((0, 1), 300_000 + speeds, 123_456.25 + speeds, 0.24))


def _calibration(names: Sequence[str]) -> FittedTable:
    cpu = CpuPower(0.0, 0.0, 0.0, ())
    errors = tuple(PointErrors(name, 0, 1_234, 0.8, 0.9, 0.1234, 0.5678, 0.1235, 0.5679) for name in names)
    differing = tuple(Disagreement(name, name, 2, 17, -0.4, 0.3, 1.2) for name in names)
    return calibration_table(Calibration(cpu, (0.25,), errors, differing, ()))


def _curves(names: Sequence[str]) -> FittedTable:
    """A policy of each name, with a point that moved far."""
    speeds, mw = (300_000, 2_850_000), np.array([1234.5, 123_456.7])
    policies = tuple(PolicyCurve(row, speeds, mw, mw / 10, mw * 1.2345) for row in range(len(names)))
    clusters = tuple(ClusterPower((row,), np.array(speeds, np.int64), mw, 0.5) for row in range(len(names)))
    return curves_table(WattsonCurves("made", "made", None, policies, ()), CpuPower(0.0, 0.0, 0.0, clusters), 4.0)


def _edges(names: Sequence[str]) -> list[ModuleEdge]:
    """Edges with figures as wide as they get; that of the longest name has no period."""
    period = {True: None, False: 123_456_789.0}
    kind = EdgeKind.SYSTEM_BROADCAST
    return [
        ModuleEdge(name, name, kind, 1_234_567, 0, 1, period[len(name) > 1000], 900_000, 0, 12.3456, (name,)) for name in names
    ]


def _graph(names: Sequence[str]) -> ModuleGraph:
    nodes = tuple(ModuleNode(name, 12.3456, (12.3456,), 1.23456, 10**11, 1_234_567) for name in names)
    unmatched = tuple(UnmatchedMessages(name, name, name, "sender_unknown", 1_234_567) for name in names)
    outside = ModuleNode("(outside modules)", 1.0 if names else 0.0, (1.0,))
    return ModuleGraph("made", ("cpu",), nodes, outside, tuple(_edges(names)), unmatched, 100.0, 10**9, 1)


def _wakes(names: Sequence[str]) -> list[WakeUp]:
    return [WakeUp(one, *((None,) * 3 if len(one.sender) > 1000 else (1.23456, 12.3456, 123.456))) for one in _edges(names)]


def _coefficients(names: Sequence[str]) -> FittedTable:
    """Coefficients as the file's reader accepts them: names of at most 200 characters."""
    figures = {"unit": "J/MB", "value": 123_456.7, "standard_error": 12_345.6, "inflation": 123_456.7}
    group = {"components": ["storage"], "measured_by": ["UFS_VCC"], "intervals": 1_234_567, "base_w": 123.4, "base_error_w": 12.3}
    coefficients = [FittedCoefficient(parameter=name[:200], **figures) for name in names]
    return coefficients_table(FittedGroup(**group, coefficients=coefficients, r2=0.999, rmse_w=1.234, notes=[]))  # type: ignore[arg-type]


def _operations(names: Sequence[str]) -> OperationsModel:
    """A model whose operations have one name each, or two merged ones."""
    costs = {"cost_j": 1.234e-7, "standard_error_j": 1.2e-8, "share": 0.123, "identifiable": False, "status": "merged"}
    errors = {"training": 1.234, "validation": 12.345, "standard_error": 0.123}
    return OperationsModel(
        navitas_version="1", source="t.csv", target="energy_j", rows=1_234_567, family="nnls", noise=Noise.PROPORTIONAL,
        ridge=0, level=0.9, half_width=0.123, idle_j=0, features=[], products=[], left_out=[], ignored=[],
        hull=HullPart(axes=[], variance=[], rest=1, limit=1),
        operations=[Operation(name=name[:1000], columns=[name[:1000], "x"], **costs) for name in names],  # type: ignore[arg-type]
        folds=[FoldScore(training=0.123, validation=None)],
        scores=[FamilyScore(family=name[:1000], **errors) for name in names], notes=[],
    )  # fmt: skip


def _trends(names: Sequence[str]) -> list[FigureTrend]:
    effect = Effect(12.3, -1234.5, 1e6, 0.01, Deviations(None, None))
    point = ChangePoint(0, 1, effect)
    known = [FigureTrend(Subject("method", name), (0, 1), (1.5, 2.5), Slope(1.2, 0.1, 3.0), 0.01, (point,)) for name in names]
    rest = [FigureTrend(Subject("test", name, "total"), (0,), (0.0,), None, None, ()) for name in names[:1]]
    return [*known, *rest]


def _comparison(names: Sequence[str]) -> Comparison:
    """Changes with the longest figures and verdicts."""
    effect = Effect(-12345.6, -23456.7, 12345.6, 0.5, Deviations(0.1, 0.1))
    verdicts = [Verdict("not enough data", 999.9, 999, 999), Verdict("different"), None]
    subjects = [Subject("method", name) for name in names]
    changes = [
        FigureChange(one, 123.456, 12.345, None if i % 3 == 2 else effect, 0.5, verdicts[i % 3]) for i, one in enumerate(subjects)
    ]
    return Comparison(tuple(changes), tuple(subjects), tuple(subjects), (), ())


def _check_result(names: Sequence[str]) -> CheckResult:
    """Judgements with the longest figures and verdicts."""
    budget = CheckBudget("navitas.toml:1", Selection("method", "*"), "self", ChangeLimit(12345.6))
    waiver = Waiver("navitas.toml:5", Selection("method", "*"), date(2027, 1, 31), "accepted")
    words: tuple[CheckWord, ...] = ("within", "above", "not enough data", "matches nothing")
    judgements = [
        Judgement(
            budget, CheckedFigure("method", name, "self"), words[i % 4], 12345.6, "%", "J", 123.456, 12.345, -12345.6, -23456.7,
            12345.6, waiver=waiver if i % 2 else None,
        )
        for i, name in enumerate(names)
    ]  # fmt: skip
    return CheckResult(tuple(judgements), ("before",), ("after",), False, date(2026, 1, 1))


def _predictions(rows: int) -> Predictions:
    energy = np.full(rows, 123.45)
    return Predictions(energy, energy - 1, energy + 1, energy > 0, ())


def _vitals(names: Sequence[str]) -> VitalsReport:
    """A history of apps that do all that they should not, and the methods that acquired their wake locks."""
    apps = []
    for place, name in enumerate(names):
        lock = HeldLock(10_000 + place, name, 45_678_901.2, 1_234_567, None, 86_399_999.0, is_first_only=True)
        alarm = WakeupAlarm(lock.uid, name, 1_234_567, 12_345_678)
        wide, unknown = Bounds(45_678_901.2, 76_543_210.9), Bounds(7_300_000.0, None)
        use = UidUse(lock.uid, unknown if place % 2 else wide, wide, wide, wide, None, (lock,), (alarm,))
        figures = figures_of(use, 86_400_001.0)
        apps.append(AppVitals(use.uid, name, (name,), verdict_of(figures), figures, use, is_recorded=True))
    device = DeviceUse("history", 86_400_001.0, 1.0, tuple(app.use for app in apps), {})
    return VitalsReport(device, tuple(apps), (), tuple(_acquirer(name) for name in names))


def _acquirer(name: str) -> Acquirer:
    return Acquirer(name, name, name, 12_345, 1_234_567, 10**14, None if len(name) > 1000 else 12_345.6, (name,))


def _ranked(names: Sequence[str]) -> list[RankedOperation]:
    return [
        RankedOperation(name, "Comparison", 123_456_789_012, 1.234e-10, 123.4, 0.123, 0.999, len(name) < 1000) for name in names
    ]


BLOCK = CensusBlock(
    pc=(0, 1), lines=(12_345, 12_399), inlined=[InlinedCode(file="_Collections.kt", lines=(1620, 1622))], next=[], handlers=[],
    operations=[],
)  # fmt: skip


def _counted_blocks(names: Sequence[str]) -> list[CostedBlock]:
    """Blocks of methods with these names, of lines as long as they get."""
    blocks = []
    for name in names:
        census = CensusMethod(name=name, descriptor="()V", by="source", note=None, blocks=[], unmatched=[])
        none = Terms.of([])
        method = CountedMethod(0, f"org.example.{name}", "A.java", census, none, none)
        blocks.append(CostedBlock(method, 12_345, BLOCK, 123_456_789_012, 1e-9, 123.4, 0.123, {"Comparison": 1.0}))
    return blocks


def _budgets(names: Sequence[str]) -> FittedTable:
    found = [Budget(":app", name, 12.34, 1.234, 123.4, True, (12.34,), None, ()) for name in names]
    return budgets_table(found, 0.9)


def _changed(names: Sequence[str]) -> FittedTable:
    changes = [ChangedOperation(f"{name}()V", "A.java", name, BLOCK, 123_456_789, 1, -12.34) for name in names]
    return changed_operations_table(changes, TOP)


def _executed(names: Sequence[str]) -> FittedTable:
    unique = tuple(dict.fromkeys(names))
    program = CountedProgram(unique, ("Comparison",) * len(unique), {}, ())
    return counts_table(program, np.full(len(unique), 123_456_789_012, np.int64))


TABLES: dict[str, Callable[[Sequence[str]], FittedTable]] = {
    "cli/operations/tables.py:counts_table": _executed,
    "cli/operations/tables.py:ranking_table": lambda names: ranking_table(_ranked(names), TOP),
    "cli/operations/tables.py:class_shares_table": lambda names: class_shares_table(
        [ClassShare(name, 123, 123_456_789_012, 12.34, 0.123) for name in names]
    ),
    "cli/operations/tables.py:blocks_table": lambda names: blocks_table(_counted_blocks(names), TOP),
    "cli/operations/tables.py:budgets_table": _budgets,
    "cli/operations/tables.py:changed_operations_table": _changed,
    "report/terminal/tests_table.py:tests_table": _tests,
    "report/terminal/threads_table.py:threads_table": lambda names: threads_table(Figures(_profile(names)), TOP),
    "report/terminal/methods_table.py:methods_table": _methods,
    "report/terminal/tests_table.py:baseline_table": _baseline,
    "report/terminal/components_table.py:components_table": lambda names: (
        components_table(_of_components(names)) if names else components_table(_profile([]), "no component")
    ),
    "report/terminal/components_table.py:users_table": _users,
    "report/terminal/power_table.py:power_table": lambda names: power_table(
        _timelines(names), [MarkedTest(name, i, i + 10**8) for i, name in enumerate(names)]
    ),
    "report/terminal/power_table.py:steps_table": lambda names: steps_table(_timelines(COMPONENTS if names else [])),
    "report/terminal/call_trees.py:energy_tree_table": _tree,
    "report/terminal/components_table.py:consumers_table": _consumers,
    "report/terminal/methods_table.py:handed_work_table": _handed,
    "cli/device/devices.py:devices_table": lambda names: devices_table(
        [ListedDevice(name, "unauthorized", name, name) for name in names]
    ),
    "cli/device/doctor.py:checks_table": lambda names: checks_table(
        [Check("power profile", "problem", f"{name}\nsecond line", f"remedy for {name}") for name in names]
    ),
    "cli/power/fit.py:coefficients_table": _coefficients,
    "cli/operations/census.py:census_table": lambda names: census_table(
        [{"class": name, "operations": 123, "blocks": 1_234_567, "occurrences": 12_345_678} for name in names]
    ),
    "cli/operations/fit.py:operations_table": lambda names: operations_table(_operations(names)),
    "cli/operations/fit.py:scores_table": lambda names: families_table(_operations(names)),
    "cli/baseline/commands.py:sessions_table": lambda names: sessions_table(
        "navitas-baseline.json",
        [{"session": name, "recorded": "2026-01-01T00:00:00Z", "device": name, "group": 1} for name in names],
    ),
    "cli/check/tables.py:judgements_table": lambda names: judgements_table(_check_result(names)),
    "cli/compare/tables.py:changes_table": lambda names: compared_table(_comparison(names), "total", 12, 1),
    "cli/history/show.py:trends_table": lambda names: trends_table(_trends(names), "total", ["0123abcd", "2026-01-01T00:00:00"]),
    "cli/compare/bisect.py:steps_table": lambda names: energy_steps_table(
        "Changes", [FigureStep(Subject("method", name), 1234.5, -12.3, 1e5, 0.01, 3.0) for name in names]
    ),
    "cli/operations/fit.py:predictions_table": lambda names: predictions_table(_predictions(len(names)), 0.9),
    "cli/power/group.py:cluster_table": _cluster,
    "cli/power/calibrate.py:calibration_table": _calibration,
    "cli/power/calibrate.py:currents_table": lambda names: currents_table(
        [ComponentCurrents("screen", dict.fromkeys(names, 1234.5), 6, 0.01)]
    ),
    "cli/power/curves.py:curves_table": _curves,
    "cli/graph/tables.py:graph_modules_table": lambda names: graph_modules_table(_graph(names), TOP),
    "cli/graph/tables.py:graph_edges_table": lambda names: graph_edges_table(_edges(names), TOP),
    "cli/graph/tables.py:wake_ups_table": lambda names: wake_ups_table(_wakes(names), TOP),
    "cli/graph/tables.py:unmatched_table": lambda names: unmatched_table(_graph(names), TOP),
    "cli/graph/tables.py:module_changes_table": lambda names: module_changes_table(
        [ModuleChange(name, "dearer", 12.3456, 123.456) for name in names], TOP
    ),
    "cli/graph/tables.py:edge_changes_table": lambda names: edge_changes_table(
        [EdgeChange(name, name, "normal", "cheaper", 12.3456, 123.456, 1_234_567, 12.5) for name in names], TOP
    ),
    "cli/vitals/tables.py:apps_table": lambda names: apps_table(_vitals(names), TOP),
    "cli/vitals/tables.py:locks_table": lambda names: locks_table(_vitals(names), TOP),
    "cli/vitals/tables.py:alarms_table": lambda names: alarms_table(_vitals(names), TOP),
    "cli/graph/tables.py:history_table": lambda names: history_table(
        HistoryCheck(
            tuple(CheckedTag("wake_up", name, (name,), 12_345, 1_234_567, "fewer_in_recording") for name in names), 3, 2
        ),
        TOP,
    ),
    "cli/vitals/tables.py:radio_users_table": lambda names: radio_users_table(
        [RadioUser(name, name, name, 12_345, 1_234_567, 10**9, 12_345.6) for name in names], TOP
    ),
    "cli/vitals/tables.py:acquirers_table": lambda names: acquirers_table([_acquirer(name) for name in names], TOP),
    "cli/habits/row_tables.py:rows_table": lambda names: rows_table(
        "Hogs", {Column("App", text=True): lambda row: row.app, Column("Pairs"): lambda row: f"{row.pairs:,}"}, _hogs(names), TOP
    ),
    "cli/fleet/hogs.py:hogs_table": lambda names: hogs_table("Hogs", _hogs(names), TOP),
    "cli/fleet/drain_changes.py:checks_table": lambda names: versions_table(
        "Versions compared with the ones before",
        [CheckRow(name, "4.10.1", "4.9", 12_345, 12.34, -10.12, 35.67, 3.4e-225, True) for name in names],
        TOP,
    ),
    "cli/fleet/drain_changes.py:changes_table": lambda names: changes_table(
        [ChangeRow(name, 12_345, 12.34, 24.56, 12.22, -10.12, 35.67, 3.4e-225, True) for name in names], TOP
    ),
    "cli/fleet/hogs.py:bugs_table": lambda names: bugs_table([_bug(name) for name in names], TOP),
    "cli/fleet/jscore.py:scores_table": lambda names: scores_table("J-scores", [_score(name) for name in names], TOP),
    "cli/fleet/rates.py:rates_table": _rates,
    "cli/fleet/paper.py:paper_table": lambda names: paper_table(
        "Bugs", [_paper(name, PaperBugRow, client="0c732d2a68b7ae53") for name in names], TOP
    ),
    "cli/fleet/diagnose.py:actions_table": lambda names: actions_table("me", [_action(name) for name in names], TOP),
    "cli/fleet/dry_run.py:columns_table": lambda names: columns_table(
        "a.csv: the first 2 rows", [Understood("level", name, "87.5 %") for name in names]
    ),
    "cli/fleet/ingest.py:sources_table": lambda names: sources_table([_outcome(name) for name in names]),
    "cli/fleet/ingest.py:reasons_table": lambda names: reasons_table("Refused rows", Counter(dict.fromkeys(names, 1_234_567))),
}


def _hogs(names: Sequence[str]) -> list[HogRow]:
    return [_hog(name) for name in names]


@cache
def _made(place: str) -> FittedTable:
    return TABLES[place](NAMES)


def _plain(cell: Cell) -> str:
    return Text(cell).plain if isinstance(cell, str) else cell.plain


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("place", TABLES)
def test_the_key_column_and_whole_figures_at_every_width(place: str, width: int) -> None:
    table = _made(place)
    assert len(table.rows) >= len(NAMES)
    lines = lines_of(table, width)
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    assert not set(text) & set("\x1b\u202e\t") and "nan" not in text.lower()

    key = table.columns[0]
    start = next(number for number, line in enumerate(lines) if line.strip().split("  ")[0] == key.title)
    header, body = lines[start], lines[start + 1 :]
    dropped = " ".join(body).partition("Not shown at this width: ")[2].partition(" (see --json)")[0].split(", ")
    shown = [column for column in table.columns if column.title and column.title not in dropped]
    at = -1
    for column in shown:
        at = header.index(column.title, at + 1)
    assert not table.columns[0].drop and all(column.drop for column in table.columns if column.title in dropped)
    figures = [number for number, column in enumerate(table.columns) if column in shown and column.is_figure]
    assert figures or not any(column.is_figure for column in table.columns)

    rest = _whole_rows(body) if not key.is_figure else iter(body)
    for row in table.rows:
        wanted = [_plain(row[number]) for number in figures]
        line = next(line for line in rest if all(f" {figure} " in f" {line} " for figure in wanted))
        assert line.lstrip()[0] == _plain(row[0]).lstrip()[0]


def _whole_rows(lines: Sequence[str]) -> Iterator[str]:
    """Join each row with its next lines: of a wrapped text, or of a row below its key."""
    joined: list[str] = []
    for line in lines:
        if line[:1].strip():
            joined.append(line)
        elif joined:
            joined[-1] += line
    return iter(joined)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("place", TABLES)
def test_a_table_without_rows_is_its_title(place: str, width: int) -> None:
    table = TABLES[place]([])
    lines = lines_of(table, width)
    assert max(map(cell_len, lines), default=0) <= width
    assert not [line for line in lines if line.startswith("Not shown")] or table.rows


def _functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """All functions of modules that know of tables."""
    package = Path(navitas.__file__).parent
    for path in sorted(package.rglob("*.py")):
        source = path.read_text()
        for node in ast.walk(ast.parse(source)) if "FittedTable" in source else ():
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(package).as_posix()}:{node.name}", node


def test_no_table_is_missing_here() -> None:
    """A function that makes a table returns it. tests/lint/test_layers.py checks that nothing else draws tables."""
    functions = list(_functions())
    returning = {place for place, node in functions if isinstance(node.returns, ast.Name) and node.returns.id == "FittedTable"}
    making = {
        place
        for place, node in functions
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "FittedTable"
    }
    assert returning == set(TABLES) and making <= returning

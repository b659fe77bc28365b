"""Explains a recording, or one test, method, thread or component of it: the verdict, the evidence for it, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from navitas.base.units import share
from navitas.energy.analyze.bounded_tree import OUTSIDE_CALLS
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.names import source_of, test_label
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import Repeats
from navitas.energy.analyze.spread import Interval
from navitas.energy.attribute.component import OwnerKind
from navitas.insight.explain.call_figures import CallFigures
from navitas.insight.explain.explanation import Explanation, ExplanationTable, Value
from navitas.insight.verdict.call_times import call_times
from navitas.insight.verdict.figures import ComponentFigures, Figures
from navitas.insight.verdict.method_figures import MethodFigures
from navitas.insight.verdict.next_step import RECORDING, NextStep, next_step
from navitas.insight.verdict.statement import Statement, percent_of
from navitas.insight.verdict.thread_figures import ThreadUse
from navitas.insight.verdict.usage import (
    component_statement,
    method_statement,
    test_statement,
    thread_name,
    thread_statement,
    when_statement,
)
from navitas.insight.verdict.verdict import EnergyVerdict, limits_of, verdict_of
from navitas.recording.parse.arrays import I64

MOST_ROWS = 100
"""The largest number of rows of a table."""
_COMPARE = NextStep(
    ("navitas", "compare", RECORDING, "NEW-RECORDING"), "see what changed, after you changed the code and measured"
)
_OF_METHODS = ("rails", "evidence", "probe_cost", "probes", "unrecorded")
"""Limits of the CPU and of methods."""
_MOST_OF_IT = 0.6
"""A part that is named alone. Two parts of about the same size are not."""
_RANKS = ("same_size", "same_size_tests", "same_size_threads")
"""Limits on two subjects of the same size."""


class Explainer:
    """Makes the explanations of one recording."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._calls = CallFigures(figures)
        words = call_words(figures.profile.ledger)
        self._counted, self._outside = words.counted.lower(), words.explained

    def recording(self, change: Statement | None = None) -> Explanation:
        """Explain the whole recording, and what changed since an earlier one."""
        figures, verdict = self._figures, verdict_of(self._figures, change)
        sums: dict[str, Value] = {
            "app_j": figures.app_j,
            **_interval("app", figures.app_interval),
            "total_j": figures.total_j,
            "tests": len(figures.groups),
            "repeats": figures.repeats,
        }
        tables = (self._tests(), self._methods(), self._threads(), self._components(), self._evidence())
        return Explanation("", "", verdict, sums, tables, (verdict.next_step,))

    def method(self, method: MethodFigures) -> Explanation:
        """Explain a method: where it is called, what it calls, on which threads and in which tests, and when."""
        figures, calls, total = self._figures, self._calls, method.total
        nodes = calls.of_method(total.id)
        below = calls.is_call(calls.below(nodes))
        tree = calls.tree
        sums: dict[str, Value] = {
            "source": source_of(total.method) or None,
            "self_j": method.self_j,
            **_interval("self", method.interval),
            "share": figures.share_of(method)[0],
            "inclusive_j": method.inclusive_j,
            self._counted: round(method.calls),
            "inclusive_per_call_j": method.per_call_j,
            "inclusive_ns": method.wall_ns,
            "cpu_ns": method.cpu_ns or None,
            "self_power_w": method.self_power_w,
            "calls_with_exceptions": total.throws or None,
            "calls_without_end": total.cut or None,
        }
        columns = ("self_j", self._counted)
        tables = (
            self._called("callers", "Called by", calls.by(calls.callers(nodes), nodes)),
            self._called("below", "Self energy of the methods below it", calls.by(tree.method, below)),
            ExplanationTable.of(
                "threads",
                "On the threads",
                (*columns, "thread"),
                [(joules, round(count), tree.threads[thread][0]) for thread, joules, count in calls.by(tree.thread, nodes)],
            ),
            ExplanationTable.of(
                "tests",
                "In the tests",
                (*columns, "test"),
                [(joules, round(count), self._test(test)) for test, joules, count in calls.by(tree.test, nodes)],
            ),
            ExplanationTable.of(
                "when",
                "When, after the start of the test (one run; with the energy of probes)",
                ("begin_ns", "end_ns", "energy_j", "test"),
                [(time.begin_ns, time.end_ns, time.raw_j, self._test(time.test)) for time in call_times(figures, total.id)],
            ),
            self._split(zip(figures.profile.components, method.components, strict=True)),
        )
        tests = (number for number, energy_j in figures.use_of(total.id).tests.items() if energy_j)
        statements = (method_statement(figures, method), when_statement(figures, method))
        return self._explained(statements, tests, sums, tables, _COMPARE)

    def test(self, group: Repeats) -> Explanation:
        """Explain a test: its methods, threads and components, and its runs."""
        figures, calls, typical = self._figures, self._calls, group.typical
        number = figures.groups.index(group)
        nodes = calls.app[calls.tree.test[calls.app] == number]
        use = figures.profile.cpu_use(typical)
        sums: dict[str, Value] = {
            "app_j": group.app_j.median,
            **_interval("app", figures.profile.app_interval(group)),
            "share": share(group.app_j.median, figures.app_j),
            "total_j": group.compensated_j.median,
            "wall_ns": typical.wall_ns,
            "cpu_ns": use.cpu_ns,
            "waited_ns": use.starved_ns or None,
            "mean_power_w": typical.mean_power_w,
            "status": _status(typical),
        }
        of_test = [thread for thread in figures.threads if number in thread.by_test]
        threads = [(thread.by_test[number], thread.name) for thread in sorted(of_test, key=lambda use: -use.by_test[number])]
        runs = [
            (test.repeat + 1, test.app_j, test.wall_ns, test.status, ", ".join(test.unfit) or "counts") for test in group.tests
        ]
        tables = (
            self._called("methods", "Its methods", calls.by(calls.tree.method, nodes), group.app_j.median),
            ExplanationTable.of("threads", "Its threads", ("energy_j", "thread"), threads),
            self._split(zip(figures.profile.components, group.components, strict=True)),
            *(
                [ExplanationTable.of("runs", "Its runs", ("run", "app_j", "wall_ns", "status", "in_medians"), runs)]
                if len(runs) > 1
                else []
            ),
        )
        method = next((key for key, _, _ in calls.by(calls.tree.method, calls.is_call(nodes))), None)
        said = (test_statement(figures, group), self._mostly("test", nodes))
        return self._explained(said, (number,), sums, tables, self._look_into(method))

    def thread(self, thread: ThreadUse) -> Explanation:
        """Explain the threads of one name or role: their methods and tests."""
        figures, calls = self._figures, self._calls
        is_of_role = thread in figures.roles
        nodes = calls.of_threads(thread.role, None if is_of_role else thread.name)
        sums: dict[str, Value] = {
            "energy_j": thread.energy_j,
            **_interval("energy", thread.interval),
            "share": share(thread.energy_j, figures.app_j) if thread.is_app else None,
            "outside_methods_j": thread.outside_j,
            "cpu_ns": thread.cpu_ns,
            "role": thread.role,
        }
        tests = sorted(thread.by_test.items(), key=lambda item: -item[1])
        tables = (
            self._called("methods", "Its methods", calls.by(calls.tree.method, nodes), thread.energy_j),
            ExplanationTable.of(
                "tests", "In the tests", ("energy_j", "test"), [(joules, self._test(test)) for test, joules in tests]
            ),
            self._split(zip(figures.profile.components, thread.components, strict=True)),
        )
        tree = ("navitas", "report", RECORDING, "--view", "tree", "--thread", thread.name)
        step = self._look_into(None) if is_of_role else NextStep(tree, "see its calls as a tree")
        used = (number for number, energy_j in tests if energy_j)
        said = (thread_statement(figures, thread), self._mostly("thread", nodes))
        return self._explained(said, used, sums, tables, step)

    def component(self, component: ComponentFigures) -> Explanation:
        """Explain a component: who used it, in which tests and methods, and what is known of it."""
        figures, calls, profile = self._figures, self._calls, self._figures.profile
        number = profile.components.index(component.name)
        evidence = next(entry for entry in profile.evidence if entry.component == component.name)
        by_kind = figures.by_kind_j(number)
        sums: dict[str, Value] = {
            "energy_j": component.energy_j,
            **_interval("energy", component.interval),
            "share": share(component.energy_j, sum(use.energy_j for use in figures.components)),
            "app_j": component.app_j,
            "other_threads_j": by_kind[OwnerKind.THREAD] - component.app_j,
            "other_processes_j": by_kind[OwnerKind.OTHER_PROCESSES],
            "base_j": by_kind[OwnerKind.BASE],
            "unattributed_j": by_kind[OwnerKind.UNATTRIBUTED],
            "evidence": evidence.level,
        }
        groups = sorted(figures.groups, key=lambda group: -group.components[number])
        tests = [(group.components[number], test_label(group.typical)) for group in groups]
        by_method = calls.by(calls.tree.method, calls.app, calls.tree.self_by[:, number])
        reasons = [str(reason) for reason in evidence.reasons]
        tables = (
            self._called(
                "methods",
                "Methods of the app that used it, self energy",
                [row for row in by_method if row[1] > 0],
            ),
            ExplanationTable.of("tests", "While the tests ran", ("energy_j", "test"), tests),
            ExplanationTable.of("evidence", "Why the evidence is not better", ("reason",), [(reason,) for reason in reasons]),
        )
        step = NextStep(("navitas", "report", RECORDING, "--view", "timeline", "--component", component.name), "see it over time")
        used = (test for test, group in enumerate(figures.groups) if group.components[number])
        return self._explained((component_statement(figures, component),), used, sums, tables, step)

    def _explained(
        self,
        statements: Sequence[Statement | None],
        tests: Iterable[int],
        sums: dict[str, Value],
        tables: tuple[ExplanationTable, ...],
        step: NextStep,
    ) -> Explanation:
        """Return the explanation of a subject that used energy in these tests. Its limits are those of these tests."""
        said = tuple(statement for statement in statements if statement is not None)
        figures, subject = self._figures, said[0]
        limits = (
            *(limit for limit in limits_of(figures.only(tests)) if limit.rule not in (*_RANKS, *_left_out(subject))),
            *(limit for limit in limits_of(figures) if limit.rule in _RANKS and self._names(limit, subject)),
        )
        measure = next_step(figures.profile, said, limits)
        verdict = EnergyVerdict(said, limits, step)
        tables = tuple(table.first(MOST_ROWS) for table in tables if table.rows)
        is_other = measure.command[1] not in ("explain", "report")
        return Explanation(subject.kind, subject.name, verdict, sums, tables, (step, *([measure] if is_other else [])))

    def _mostly(self, kind: Literal["test", "thread"], nodes: I64) -> Statement | None:
        """Return which method uses most of the energy of these nodes: of a test, on which thread; of a thread, in which test."""
        calls, figures = self._calls, self._figures
        tree, rows = calls.tree, calls.by(calls.tree.method, calls.is_call(nodes))
        whole_j = float(tree.self_by[nodes].sum())
        if not rows or rows[0][1] <= 0:
            return None
        method, self_j, _ = rows[0]
        parts = calls.by(tree.thread if kind == "test" else tree.test, nodes[tree.method[nodes] == method])
        largest, largest_j, _ = parts[0]
        if largest_j < _MOST_OF_IT * self_j:
            where = f"on {len(parts):,} threads" if kind == "test" else f"in {len(parts):,} tests"
        else:
            name = tree.threads[largest][0] if kind == "test" else figures.test_name(figures.groups[largest])
            amount = "all of that" if len(parts) == 1 else "most of that"
            where = f"{amount} {f'on {thread_name(name)}' if kind == 'test' else f'in {name}'}"
        part = self_j / whole_j
        text = f"{percent_of(part)} of it is self energy of {figures.names.brief(method)}, {where}."
        return Statement(kind, text, "method", figures.names.label(method), self_j, share=part)

    def _look_into(self, method: int | None) -> NextStep:
        if method is None:
            return NextStep(("navitas", "report", RECORDING, "--view", "timeline"), "see its power over time")
        return NextStep(
            ("navitas", "explain", RECORDING, "--method", self._figures.names.label(method)), "look into its largest method"
        )

    def _names(self, limit: Statement, subject: Statement) -> bool:
        """Return whether a limit on two subjects of the same size is on this one."""
        figures = self._figures
        kind, largest = {
            "same_size": ("method", [self._name(method.total.id) for method in figures.methods[:2]]),
            "same_size_tests": ("test", [self._test(number) for number in range(len(figures.groups[:2]))]),
            "same_size_threads": ("thread", [thread.name for thread in figures.threads[:2]]),
        }[limit.rule]
        return subject.kind == kind and subject.name in largest

    def _test(self, number: int) -> str:
        return test_label(self._figures.groups[number].typical)

    def _name(self, method: int) -> str:
        return self._outside if method == OUTSIDE_CALLS else self._figures.names.label(method)

    def _called(
        self, name: str, title: str, rows: list[tuple[int, float, float]], whole_j: float | None = None
    ) -> ExplanationTable:
        """Return a table of methods with their self energy, as a share of `whole_j`."""
        methods = self._figures.profile.method_table.methods
        return ExplanationTable.of(
            name,
            title,
            ("self_j", "share", self._counted, "method", "source"),
            [
                (
                    joules,
                    None if whole_j is None else share(joules, whole_j),
                    round(count) or None,
                    self._name(method),
                    source_of(methods[method]) or None if method >= 0 else None,
                )
                for method, joules, count in rows
            ],
        )

    def _split(self, parts: Iterator[tuple[str, float]]) -> ExplanationTable:
        """Return a table of components. Empty if there is the CPU only."""
        used = sorted(((energy_j, name) for name, energy_j in parts if energy_j), key=lambda row: -row[0])
        return ExplanationTable.of("components", "By component", ("energy_j", "component"), used if len(used) > 1 else [])

    def _tests(self) -> ExplanationTable:
        figures = self._figures
        rows = [
            (
                group.app_j.median,
                *_ends(figures.profile.app_interval(group)),
                share(group.app_j.median, figures.app_j),
                group.typical.mean_power_w,
                _status(group.typical),
                self._test(number),
            )
            for number, group in enumerate(figures.groups[:MOST_ROWS])
        ]
        columns = ("app_j", *_interval_columns("app"), "share", "mean_power_w", "status", "test")
        table = ExplanationTable.of("tests", "Tests", columns, rows)
        return replace(table, more=len(figures.groups) - len(rows))

    def _methods(self) -> ExplanationTable:
        figures = self._figures
        rows = [
            (
                method.self_j,
                *_ends(method.interval),
                figures.share_of(method)[0],
                round(method.calls),
                figures.names.label(method.total.id),
                source_of(method.total.method) or None,
            )
            for method in figures.methods[:MOST_ROWS]
        ]
        columns = ("self_j", *_interval_columns("self"), "share", self._counted, "method", "source")
        table = ExplanationTable.of("methods", "Methods, by self energy", columns, rows)
        return replace(table, more=len(figures.methods) - len(rows))

    def _threads(self) -> ExplanationTable:
        figures = self._figures
        rows = [
            (thread.energy_j, *_ends(thread.interval), share(thread.energy_j, figures.app_j), thread.outside_j, thread.name)
            for thread in figures.threads
        ]
        columns = ("energy_j", *_interval_columns("energy"), "share", "outside_methods_j", "thread")
        return ExplanationTable.of("threads", "Threads of the app", columns, rows).first(MOST_ROWS)

    def _components(self) -> ExplanationTable:
        rows = [(use.energy_j, use.app_j, use.name) for use in self._figures.components]
        columns = ("energy_j", "app_j", "component")
        return ExplanationTable.of("components", "Components, while tests ran (with the energy of probes)", columns, rows)

    def _evidence(self) -> ExplanationTable:
        used = {use.name for use in self._figures.components}
        rows = [
            (entry.component, entry.level, entry.expected_error)
            for entry in self._figures.profile.evidence
            if entry.component in used
        ]
        return ExplanationTable.of("evidence", "Evidence", ("component", "level", "expected_error_share"), rows)


def _interval(name: str, interval: Interval) -> dict[str, Value]:
    """Return the figures of an interval: half of its width, and its ends."""
    return dict(zip(_interval_columns(name), _ends(interval), strict=True))


def _interval_columns(name: str) -> tuple[str, str, str]:
    return f"{name}_half_width_j", f"{name}_low_j", f"{name}_high_j"


def _ends(interval: Interval) -> tuple[float, float, float]:
    return interval.half_width, interval.low, interval.high


def _left_out(subject: Statement) -> Sequence[str]:
    """Return the limits that say nothing about a subject."""
    return _OF_METHODS if subject.kind == "component" and subject.name != CPU else ()


def _status(test: TestEnergy) -> str:
    """Return a test's status, and why its run does not count."""
    return ", ".join((test.status, *test.unfit))

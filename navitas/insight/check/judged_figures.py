"""The figures that budgets judge: arrays by repeat, from the runs of sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from navitas.insight.check.budgets import COUNTS, BudgetFigure, BudgetKind, Selection
from navitas.insight.compare.effect import F64
from navitas.insight.compare.figures import has_share
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import ALL_TESTS, Energy, Kind, Subject, module_of

_ENERGY: Energy = "app"
_ROOT_MODULE = ":"


class CheckedFigure(NamedTuple):
    """What a budget judges: a figure of one test, method, thread, module or component, or of all tests together."""

    kind: BudgetKind
    name: str
    figure: BudgetFigure

    @property
    def described(self) -> str:
        """Its name with its kind and figure."""
        return f"{self.name} ({self.figure})" if self.kind == "all" else f"{self.name} ({self.kind}, {self.figure})"


class SideFigures:
    """The figures of the sessions of one version, in tests that passed in all runs. Computed once for each kind and figure."""

    def __init__(self, sessions: Sequence[Session], tests: Iterable[str]) -> None:
        self.sessions = sessions
        self._counted = [session.with_busy_runs() for session in sessions]
        self.tests = sorted(tests)
        self._known: dict[tuple[BudgetKind, BudgetFigure], list[dict[str, F64]] | None] = {}
        self._joules: list[dict[Subject, F64]] | None = None

    def of(self, kind: BudgetKind, figure: BudgetFigure) -> list[dict[str, F64]] | None:
        """Return the figures of each session by name. None if a session does not have this figure."""
        key = kind, figure
        if key not in self._known:
            figures = [self._of_session(number, kind, figure) for number in range(len(self.sessions))]
            self._known[key] = None if None in figures else [by_name for by_name in figures if by_name is not None]
        return self._known[key]

    def names(self, kind: BudgetKind, figure: BudgetFigure) -> set[str]:
        """Return the names of figures that are known in each run in which they occur."""
        return {name for session in self.of(kind, figure) or () for name in session} - self.unknown(kind, figure)

    def unknown(self, kind: BudgetKind, figure: BudgetFigure) -> set[str]:
        """Return the names of figures that are not known, or only in part, in some run: also powers."""
        subjects = {subject for session in self.sessions for subject in session.unknown if figure not in COUNTS}
        if kind == "module":
            return {module_of(subject.name) or _ROOT_MODULE for subject in subjects if subject.kind == "method"}
        if figure == "power":
            return {name for session in self.of(kind, figure) or () for name, row in session.items() if np.isnan(row).any()}
        return {subject.name for subject in subjects if subject.kind == kind}

    def matrices(self, kind: BudgetKind, figure: BudgetFigure, names: Sequence[str]) -> list[F64] | None:
        """Return figures × runs of each session: 0 where a session never used a thread or method. None as in `of`."""
        figures = self.of(kind, figure)
        if figures is None:
            return None
        lengths = [len(session.repeats) for session in self._of_figure(figure)]
        return [
            np.array([session.get(name, np.zeros(length)) for name in names]).reshape(len(names), length)
            for session, length in zip(figures, lengths, strict=True)
        ]

    def with_share(self, selection: Selection, figure: BudgetFigure, names: Iterable[str], least_share: float) -> set[str]:
        """Return the names with a share of the energy of all tests; a selection by name, or of counts, leaves none out."""
        kept = set(names)
        energies = self.of(selection.kind, figure)
        if selection.kind not in ("method", "thread") or selection.is_exact or figure in COUNTS or energies is None:
            return kept
        total = self.of("all", "app") or ()
        total_j = sum(float(by_name[ALL_TESTS].mean()) for by_name in total)
        kind: Kind = selection.kind
        sums = {name: sum(float(by_name[name].mean()) for by_name in energies if name in by_name) for name in kept}
        return {name for name, energy_j in sums.items() if has_share(Subject(kind, name), energy_j, total_j, least_share)}

    def _of_figure(self, figure: BudgetFigure) -> Sequence[Session]:
        """Return the sessions with the runs that count for a figure: a busy device does not change counts."""
        return self._counted if figure in COUNTS else self.sessions

    def _of_session(self, number: int, kind: BudgetKind, figure: BudgetFigure) -> dict[str, F64] | None:
        session = self._of_figure(figure)[number]
        if figure == "power":
            return self._powers(number, kind)
        if figure == "operations":
            return self._of_tests(session, kind, "operations")
        if kind in ("method", "module"):
            methods = self._app_energies(number, "method") if figure == "self" else _of_methods(session, self.tests, figure)
            return methods if kind == "method" or methods is None else _by_module(methods)
        if figure != "app":
            return None
        return self._app_energies(number, kind)

    def _app_energies(self, number: int, kind: BudgetKind) -> dict[str, F64]:
        """Return the app energy of each figure of a kind: of methods, self energy. That of threads includes their probes."""
        if self._joules is None:
            self._joules = [session.joules(self.tests) for session in self.sessions]
        return {
            subject.name: row
            for subject, row in self._joules[number].items()
            if subject.kind == kind and subject.energy in ("", _ENERGY)
        }

    def _of_tests(self, session: Session, kind: BudgetKind, field: str) -> dict[str, F64] | None:
        """Return a figure of each test, or of all together. None if it was not kept."""
        values = {test: [getattr(session.tests[test][repeat], field) for repeat in session.repeats] for test in self.tests}
        if any(value is None for row in values.values() for value in row):
            return None
        rows = {test: np.array(row, np.float64) for test, row in values.items()}
        return {ALL_TESTS: np.sum(list(rows.values()), axis=0)} if kind == "all" and rows else rows

    def _powers(self, number: int, kind: BudgetKind) -> dict[str, F64] | None:
        """Return the mean powers: NaN in runs that took no time."""
        seconds = self._of_tests(self.sessions[number], kind, "wall_s")
        if seconds is None:
            return None
        energies = self._app_energies(number, kind)
        return {
            name: np.divide(energies[name], time_s, out=np.full_like(time_s, np.nan), where=time_s > 0)
            for name, time_s in seconds.items()
            if name in energies
        }


def _of_methods(session: Session, tests: Iterable[str], field: str) -> dict[str, F64] | None:
    """Return inclusive energies or calls of each method, as a sum over tests. None if they were not kept."""
    places = {repeat: column for column, repeat in enumerate(session.repeats)}
    sums: dict[str, F64] = {}
    for test in tests:
        for repeat, run in session.tests[test].items():
            values: Mapping[str, float] | None = getattr(run, field)
            if values is None:
                return None
            for name, value in values.items():
                if name not in sums:
                    sums[name] = np.zeros(len(places))
                sums[name][places[repeat]] += value
    return sums


def _by_module(methods: Mapping[str, F64]) -> dict[str, F64]:
    """Sum figures of methods by their Gradle module."""
    sums: dict[str, F64] = {}
    for name, row in methods.items():
        module = module_of(name) or _ROOT_MODULE
        sums[module] = sums[module] + row if module in sums else row
    return sums

"""Energy of tests by counts × costs: needs no phone, and is the same in each run of a deterministic test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from navitas.insight.operations.census.document import GC
from navitas.insight.operations.counted_program import CountedProgram
from navitas.insight.operations.counted_tests import CountedTest
from navitas.insight.operations.regress.apply import Predictions, predict_rows
from navitas.insight.operations.regress.model_file import OperationsModel
from navitas.recording.parse.arrays import I64

_MOST_METHODS = 5


@dataclass(frozen=True, slots=True)
class DifferingMethod:
    """A method whose executed blocks differ between two runs of a test, with the sums of its executions in each run."""

    method: str
    executions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """The predicted energy of a test in joules, with an interval of the model.

    `runs_j` are the energies by the counts of each run. `is_deterministic`: all blocks ran equally often in all runs; None for a
    single run. `differing` has the methods that differ most. `extrapolated`: the model was fitted to no similar case. Garbage
    collections are left out, since their number differs between runs.
    """

    module: str
    test: str
    energy_j: float
    low_j: float
    high_j: float
    extrapolated: bool
    runs_j: tuple[float, ...]
    is_deterministic: bool | None
    differing: tuple[DifferingMethod, ...]

    @property
    def is_budget(self) -> bool:
        """Whether the energy can be a budget: two runs or more, which all agree."""
        return self.is_deterministic is True


def budgets(program: CountedProgram, tests: Sequence[CountedTest], model: OperationsModel) -> tuple[Budget, ...]:
    """Predict each test, in the order of the first runs."""
    runs: dict[tuple[str, str], list[CountedTest]] = {}
    for test in tests:
        runs.setdefault(test.key, []).append(test)
    return tuple(_budget(program, each, model) for each in runs.values())


def _budget(program: CountedProgram, runs: Sequence[CountedTest], model: OperationsModel) -> Budget:
    counters = [test.by_method() for test in runs]
    found = [_predicted(program, one, model) for one in counters]
    differing = _differing(program, counters)
    first = runs[0]
    return Budget(
        module=first.module,
        test=first.name,
        energy_j=median(float(one.energy_j[0]) for one in found),
        low_j=median(float(one.low_j[0]) for one in found),
        high_j=median(float(one.high_j[0]) for one in found),
        extrapolated=any(bool(one.extrapolated[0]) for one in found),
        runs_j=tuple(float(one.energy_j[0]) for one in found),
        is_deterministic=None if len(runs) < 2 else not differing,
        differing=differing[:_MOST_METHODS],
    )


def _predicted(program: CountedProgram, counters: Mapping[int, I64], model: OperationsModel) -> Predictions:
    """The prediction of one run. It does not depend on other runs, not even in its last bit."""
    executions = dict(zip(program.names, program.of_counters(counters).tolist(), strict=True))
    executions.pop(GC, None)
    # Operations that the census lacks were never executed.
    features = np.array([[executions.get(one.name, 0) for one in model.features]], np.float64)
    return predict_rows(model, features, np.array([_has_unlearned(model, executions)]))


def _has_unlearned(model: OperationsModel, executions: Mapping[str, int]) -> bool:
    """Whether operations were executed that the model has not learned, or that it knows with another number only."""
    known = {one.name for one in model.features} | set(model.ignored)
    usual = {one.name: one.usual for one in model.left_out}
    return any(count != usual.get(name, 0) for name, count in executions.items() if name not in known)


def _differing(program: CountedProgram, counters: Sequence[Mapping[int, I64]]) -> tuple[DifferingMethod, ...]:
    """Methods with other counts in other runs, largest difference first."""
    found: list[tuple[int, DifferingMethod]] = []
    for row in sorted({row for one in counters for row in one}):
        values = [one.get(row) for one in counters]
        first = values[0]
        if first is not None and all(one is not None and np.array_equal(one, first) for one in values[1:]):
            continue
        method = program.methods.get(row)
        sums = tuple(0 if one is None or method is None else int(method.executions(one).sum()) for one in values)
        name = f"method {row} (not in the census)" if method is None else method.name
        found.append((min(sums) - max(sums), DifferingMethod(name, sums)))
    return tuple(one for _, one in sorted(found, key=lambda each: (each[0], each[1].method)))

"""`navitas operations predict`: the energy of tests without a phone, and what changed between two builds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from navitas.base.errors import ExitCode, UsageError
from navitas.base.json_text import fields
from navitas.base.units import joules, percent
from navitas.base.untrusted_text import printable, printable_list
from navitas.cli.compare.energy_limit import Limit, end_check, limit_options
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import failed_check, note, warning
from navitas.cli.habits.option import option, renamed, section
from navitas.cli.habits.paths import READ_ANY_NAME
from navitas.cli.habits.shared_options import BEFORE_HELP, top_option
from navitas.cli.habits.standard_output import output_console
from navitas.cli.operations.input import CostedFiles, Counted, before_census_option, costed_options, read_builds, read_costs
from navitas.cli.operations.tables import budgets_table, changed_operations_table, method_label, source_fields
from navitas.insight.operations.budgets import Budget, budgets
from navitas.insight.operations.build_difference import ChangedOperation, changed_operations
from navitas.insight.operations.counted_program import CountedProgram
from navitas.insight.operations.counted_tests import CountedTest, sum_counters
from navitas.insight.operations.rankings import has_pairs
from navitas.insight.operations.regress.model_file import read_model
from navitas.recording.parse.arrays import I64


@click.command(
    "predict", cls=NavitasCommand, example="navitas operations predict RECORDING --census census.json --model model.json"
)
@costed_options
@section(
    "Comparison",
    option("--before", type=READ_ANY_NAME, metavar="RECORDING", help=BEFORE_HELP),
    before_census_option,
    limit_options,
)
@renamed("--against", "--before")
@renamed("--against-census", "--before-census")
@top_option(20)
@json_option
def command(
    *, files: CostedFiles, before: Path | None, before_census: Path | None, limit: Limit, top: int, json_file: Path | None
) -> int:
    """Predict the energy of each test: executions × costs. Needs no phone, and does not jitter.

    RECORDING is one of navitas profile --granularity block --repeat 2. If the counts of a test agree in its runs, its energy can
    be a budget. With --before, shows which operations changed since an earlier build.
    """
    if (before is None) != (before_census is None):
        raise UsageError(
            "--before and --before-census belong together", "Give the recording and the census of the earlier build."
        )
    if limit.percent is not None and before is None:
        raise UsageError("--fail-above compares with an earlier build", "Add --before and --before-census.")
    model = read_model(files.model_file)
    earlier_build = [(before, before_census)] if before is not None and before_census is not None else []
    *old, counted = read_builds([*earlier_build, (files.recording, files.census)], files.tests)
    found = budgets(counted.program, counted.tests, model)
    earlier: tuple[Budget, ...] = ()
    changes: tuple[ChangedOperation, ...] = ()
    costs = read_costs(model, files.model_file, counted) if old or not has_pairs(model) else {}
    for build in old:
        earlier = budgets(build.program, build.tests, model)
        shared = {test.key for test in build.tests} & {test.key for test in counted.tests}
        changes = changed_operations(_first_runs(build, shared), _first_runs(counted, shared), costs)
    budgets_before = {(one.module, one.test): one for one in earlier}
    before_j = {key: one.energy_j for key, one in budgets_before.items()}
    rows = [{**asdict(one), "before_j": before_j.get((one.module, one.test))} for one in found]
    if write_json(
        json_file, recording=str(files.recording), level=model.level, tests=rows, changes=[_document(one) for one in changes]
    ):
        console = output_console()
        console.print(budgets_table(found, model.level))
        if before is not None:
            console.print("", changed_operations_table(changes, top), sep="\n")
    for one in found:
        _explain(one)
    return _check(found, budgets_before, limit)


def _document(one: ChangedOperation) -> dict[str, Any]:
    return {
        **fields(one, "method", "file", "operation"),
        **source_fields(one.block),
        **fields(one, "before", "after", "difference_j"),
    }


def _first_runs(counted: Counted, shared: set[tuple[str, str]]) -> tuple[CountedProgram, dict[int, I64]]:
    """The counters of each method in the first run of each shared test."""
    first: dict[tuple[str, str], CountedTest] = {}
    for test in counted.tests:
        first.setdefault(test.key, test)
    return counted.program, sum_counters([first[key] for key in sorted(shared)])


def _explain(one: Budget) -> None:
    if one.is_deterministic is False:
        listed = ", ".join(
            f"{method_label(each.method)} ({' or '.join(f'{n:,}' for n in each.executions)})" for each in one.differing
        )
        warning(printable(f"{one.test} is no budget: its runs differ in executed blocks of {listed}", 1000))
    elif one.is_deterministic is None:
        note(printable(f"{one.test}: one run does not show whether its counts jitter; record with --repeat 2", 1000))


def _check(found: tuple[Budget, ...], before: dict[tuple[str, str], Budget], limit: Limit) -> int:
    """Compare budgets of both builds. A test whose counts jitter, or have no cost, is unknown."""
    if limit.percent is None:
        return ExitCode.OK
    pairs = [(one, before[one.module, one.test]) for one in found if (one.module, one.test) in before]
    failed, unknown = [], [] if pairs else ["no test is in both builds"]
    for one, old in pairs:
        if not (one.is_budget and old.is_budget):
            unknown.append(f"{one.test} (its counts are not the same in two runs of each build)")
        elif old.energy_j <= 0:
            unknown.append(f"{one.test} (the model has no cost of what it does)")
        elif one.energy_j > old.energy_j * (1 + limit.percent / 100):
            share = percent(one.energy_j / old.energy_j - 1)
            failed.append(f"{one.test}: {joules(old.energy_j)} → {joules(one.energy_j)} (+{share})")
    note(f"{len(pairs) - len(unknown) if pairs else 0:,} of {len(found):,} tests were compared")
    if failed:
        text = f"{len(failed)} {'test needs' if len(failed) == 1 else 'tests need'} more energy: {'; '.join(failed[:5])}"
        failed_check(printable(text, 2000), "See the changed operations above.")
    listed = f"it is not known whether these need over {limit.percent:g} % more energy: {printable_list(unknown, 5)}"
    remedy = "Record both builds with --repeat 2, and fit a model with cases of this program."
    return end_check((listed, remedy) if unknown else None, is_above=bool(failed), fails_unknown=limit.fails_unknown)

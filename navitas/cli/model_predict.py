"""`navitas model predict`: the energy of tests without a phone, and what changed between two builds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from navitas.cli.block_source import source_fields
from navitas.cli.commands import NavitasCommand
from navitas.cli.counted_input import Counted, counted_options, model_option, read_builds, read_costs
from navitas.cli.counted_tables import budgets_table, changed_operations_table, method_label
from navitas.cli.energy_limit import Limit, end_check, limit_options, pop_limit
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import failed_check, note, warning
from navitas.cli.option import option, section
from navitas.cli.paths import READ_ANY_NAME, READ_FILE_ANY_NAME
from navitas.cli.standard_output import output_console
from navitas.errors import ExitCode, UsageError
from navitas.operations.budgets import Budget, budgets
from navitas.operations.build_difference import ChangedOperation, changed_operations
from navitas.operations.counted_program import CountedProgram
from navitas.operations.counted_tests import CountedTest, sum_counters
from navitas.operations.rankings import has_pairs
from navitas.parse.arrays import I64
from navitas.regress.model_file import read_model
from navitas.report.units import joules, percent
from navitas.untrusted_text import printable, printable_list


@click.command("predict", cls=NavitasCommand, example="navitas model predict RECORDING --census census.json --model model.json")
@counted_options
@model_option
@option("--against", type=READ_ANY_NAME, metavar="RECORDING", section="Comparison", help="Recording of an earlier build.")
@option("--against-census", type=READ_FILE_ANY_NAME, metavar="FILE", section="Comparison", help="Census of that build.")
@section("Comparison", limit_options)
@option(
    "--top", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", section="Output", help="Rows of changes."
)
@json_option
def command(
    *,
    recording: Path,
    census: Path,
    tests: tuple[str, ...],
    model_file: Path,
    against: Path | None,
    against_census: Path | None,
    top: int,
    json_file: Path | None,
    **values: Any,
) -> int:
    """Predict the energy of each test: executions × costs. Needs no phone, and does not jitter.

    RECORDING is one of navitas profile --granularity block --repeat 2. If the counts of a test agree in its runs, its energy can
    be a budget. With --against, shows which operations changed since an earlier build.
    """
    is_text, limit = check_json(json_file), pop_limit(values)
    if (against is None) != (against_census is None):
        raise UsageError(
            "--against and --against-census belong together", "Give the recording and the census of the earlier build."
        )
    if limit.percent is not None and against is None:
        raise UsageError("--fail-above compares with an earlier build", "Add --against and --against-census.")
    model = read_model(model_file)
    earlier_build = [(against, against_census)] if against is not None and against_census is not None else []
    *old, counted = read_builds([*earlier_build, (recording, census)], tests)
    found = budgets(counted.program, counted.tests, model)
    earlier: tuple[Budget, ...] = ()
    changes: tuple[ChangedOperation, ...] = ()
    costs = read_costs(model, model_file, counted) if old or not has_pairs(model) else {}
    for build in old:
        earlier = budgets(build.program, build.tests, model)
        shared = {test.key for test in build.tests} & {test.key for test in counted.tests}
        changes = changed_operations(_first_runs(build, shared), _first_runs(counted, shared), costs)
    before = {(one.module, one.test): one for one in earlier}
    rows = [{**asdict(one), "before_j": _energy(before.get((one.module, one.test)))} for one in found]
    write_json(json_file, recording=str(recording), level=model.level, tests=rows, changes=[_document(one) for one in changes])
    if is_text:
        console = output_console()
        console.print(budgets_table(found, model.level))
        if against is not None:
            console.print("", changed_operations_table(changes, top), sep="\n")
    for one in found:
        _explain(one)
    return _check(found, before, limit)


def _document(one: ChangedOperation) -> dict[str, Any]:
    return {
        "method": one.method,
        "file": one.file,
        "operation": one.operation,
        **source_fields(one.block),
        "before": one.before,
        "after": one.after,
        "difference_j": one.difference_j,
    }


def _energy(one: Budget | None) -> float | None:
    return None if one is None else one.energy_j


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

"""`navitas operations cases`: run execution cases, and make the table for `navitas operations fit`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from navitas.base.errors import RecordingError, UsageError
from navitas.base.untrusted_text import printable, printable_list
from navitas.capture.build.gradle import check_project, find_gradle
from navitas.cli.habits.commands import NavitasCommand, NavitasGroup
from navitas.cli.habits.files import json_option, write_json, write_to
from navitas.cli.habits.messages import location, next_step, note, shell_word, warning
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import FOLDER, READ_ANY_NAME, READ_FILE_ANY_NAME, WRITE_REGULAR
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import device_option, gradle_option, meter_option, phone_option
from navitas.cli.operations.experiment import is_done, run_experiment
from navitas.cli.workflows.devices import device_of
from navitas.energy.analyze.fitting.measured_energy import read_power_meter
from navitas.insight.operations.case_plan import read_case_file, read_plan
from navitas.insight.operations.case_table import (
    CENSUS,
    NOT_FEATURES,
    PLAN,
    Meter,
    read_cases,
    used_operations,
    write_rows,
)
from navitas.insight.operations.census.document import read_census
from navitas.recording.parse.tables import RunTables
from navitas.virtual_phone.kernel.spec import find_profile, load_spec

_SHOWN = 5


@click.group("cases", cls=NavitasGroup)
def command() -> None:
    """Run a program in many execution cases, for a model of operations."""


@command.command("run", cls=NavitasCommand, example="navitas operations cases run cases.toml -o experiment")
@click.argument("case_file", type=READ_FILE_ANY_NAME, metavar="CASES")
@option("-o", "--output", required=True, type=FOLDER, metavar="DIR", help="Folder of the experiment.")
@gradle_option
@device_option
@phone_option
@json_option
def run(*, case_file: Path, output: Path, gradle: str | None, device: str, phone: str, json_file: Path | None) -> None:
    """Run a test in the cases of a file: count the operations of each, and measure its energy in other runs.

    CASES is a TOML file with the program, its inputs, and how many sets of blocks are removed or repeated. An experiment that was
    interrupted goes on where it ended.
    """
    load_spec(find_profile(phone))
    if gradle is not None:
        find_gradle(Path(), gradle)
    file = read_case_file(case_file)
    project = case_file.absolute().parent / file.program.project
    check_project(project)
    with device_of(device, phone) as found, ConsoleProgress() as progress:
        plan = run_experiment(file, project, output, found, progress, gradle=gradle)
    done = sum(is_done(output, case) for case in plan.cases)
    write_json(json_file, output=str(output), cases=len(plan.cases), complete=done, sets=len(plan.sets) - 1)
    location(f"experiment: {output} ({done:,} of {len(plan.cases):,} cases)")
    next_step(f"navitas operations cases table {shell_word(output)} -o cases.csv")


@command.command("table", cls=NavitasCommand, example="navitas operations cases table experiment -o cases.csv")
@click.argument("experiment", type=READ_ANY_NAME, metavar="DIR")
@meter_option
@option("-o", "--output", required=True, type=WRITE_REGULAR, metavar="FILE", help="The table, as CSV ('-': stdout).")
@json_option
def table(*, experiment: Path, meter: Path | None, output: Path, json_file: Path | None) -> None:
    """Make a table of execution cases: executions of operations, and measured energy above idle.

    DIR is a folder of navitas operations cases run. The file of --meter must have UNIX times.
    """
    by_meter = None if meter is None else _meter(meter)
    plan, census = read_plan(experiment / PLAN), read_census(experiment / CENSUS)
    rows, errors = read_cases(experiment, plan, census, by_meter)
    for number, error in list(errors.items())[:_SHOWN]:
        warning(printable(f"case {number} is left out: {error}", 1000))
    if len(errors) > _SHOWN:
        warning(f"{len(errors) - _SHOWN:,} more cases are left out")
    if not rows:
        raise RecordingError(f"{experiment} has no complete case", "Run the cases: navitas operations cases run.")
    unknown = list(dict.fromkeys(name for row in rows for name in row.unknown))
    if unknown:
        names = printable_list(unknown, _SHOWN)
        warning(f"the census lacks methods that ran, so other operations get their energy: {names}")
    used = used_operations(rows)
    deviation = sum(row.energy.deviation_j / row.energy.energy_j for row in rows) / len(rows)  # the mean of cases
    write_to(output, lambda out: write_rows(out, rows, census))
    write_json(
        json_file, output=str(output), cases=len(rows), left_out=len(errors), operations=len(used), relative_deviation=deviation
    )
    note(f"{len(rows):,} cases, {len(used):,} operations")
    is_grouped = len({row.case.edits for row in rows}) > 1
    ignored = " ".join(f"--ignore {name}" for name in (*NOT_FEATURES, *([] if is_grouped else ["edits"])))
    options = f"--target energy_j{' --group edits' if is_grouped else ''} --time wall_s {ignored}"
    next_step(f"navitas operations fit --table {shell_word(output)} {options} -o model.json")


def _meter(path: Path) -> Meter:
    """The energies of a power meter. Raises `UsageError` if its times are not those of the UNIX clock."""
    readings = read_power_meter(path)
    if not readings.is_unix:
        raise UsageError(f"{path}: cases are found by the time of day", "Give a column unix_s with the times of the UNIX clock.")

    def of_run(run: RunTables) -> Callable[[int, int], float]:
        if run.clocks.realtime_offset_ns is None:
            raise RecordingError(f"run {run.run_id} has no readings of the time of day", "Run the case again.")
        curve = readings.energy(-run.clocks.realtime_offset_ns / 1e9)

        def energy(start_ns: int, end_ns: int) -> float:
            if start_ns < curve.t_ns[0] or end_ns > curve.t_ns[-1]:
                raise RecordingError(
                    f"{path.name} has no readings at the time of run {run.run_id}", "Give one of the whole time."
                )
            low, high = curve.at(start_ns), curve.at(end_ns)
            return float(high - low)

        return energy

    return of_run

"""`navitas check`: judges a version by the budgets of its settings file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from navitas.base.errors import ExitCode, UsageError
from navitas.capture.build.gradle import BuildOptions, is_project
from navitas.capture.build.revisions import without_checkout
from navitas.capture.collect.options import ProfileOptions
from navitas.cli.baseline.file import default_baseline, read_baseline_sessions
from navitas.cli.check.counted_sessions import counted_sessions
from navitas.cli.check.outputs import CheckOutputs, outputs_option
from navitas.cli.check.tables import judgements_table
from navitas.cli.check.verdict_messages import report_verdicts
from navitas.cli.compare.energy_limit import fail_on_option
from navitas.cli.compare.input import read_session, session_paths
from navitas.cli.habits.commands import NavitasCommand, settings_of
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import next_step, shell_word, warning
from navitas.cli.habits.option import Option, gathered, given_options, option, section
from navitas.cli.habits.paths import FOLDER, READ_ANY_NAME, READ_FILE_ANY_NAME, with_name
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.settings_file import Settings, find_settings
from navitas.cli.habits.shared_options import (
    Finite,
    ReportOptions,
    against_option,
    device_option,
    gradle_option,
    measuring_options,
    module_options,
    phone_option,
    probe_options,
    repeat_option,
    tests_option,
    user_option,
    warmup_option,
)
from navitas.cli.habits.standard_output import output_console
from navitas.cli.operations.input import before_census_option, census_option
from navitas.cli.profile.measuring import print_failures, print_troubles
from navitas.cli.profile.profiling import caller_of
from navitas.cli.workflows.check import BeforeOf, CheckedProject, Sides, profile_and_check
from navitas.cli.workflows.measurement import RunOptions
from navitas.insight.check.baseline import matching
from navitas.insight.check.budgets import Budgets, ChangeLimit, parse_budgets
from navitas.insight.check.judgement import CheckResult, FailOn
from navitas.insight.check.judging import judge
from navitas.insight.compare.comparison import check_distinct
from navitas.insight.compare.session import Session

_OPTIONS = (BuildOptions, RunOptions, ProfileOptions)
_OF_PROJECTS = ("against", "measure", "max_minutes", *(field.name for options in _OPTIONS for field in fields(options)))


@click.command(
    "check",
    cls=NavitasCommand,
    project="paths",
    table="profile",
    example="navitas check . --against main --repeat 10\nnavitas check after --before before",
)
@click.argument("paths", type=READ_FILE_ANY_NAME, nargs=-1, metavar="[PATH...]")
@section(
    "What to judge",
    option(
        "--before",
        "before_paths",
        multiple=True,
        type=READ_FILE_ANY_NAME,
        from_project=False,
        metavar="PATH",
        help="Recordings or reports of the version before; repeatable.",
    ),
    option(
        "--baseline-file",
        type=READ_ANY_NAME,
        from_project=False,
        metavar="FILE",
        help="Sessions of the version before. [what navitas baseline keeps]",
    ),
    against_option,
    census_option,
    before_census_option,
    fail_on_option("above", "Fail if above, or also if unknown. [unknown]"),
)
@section(
    "What to run",
    tests_option,
    repeat_option(5),
    warmup_option,
    option("--measure", is_flag=True, from_project=False, help="Go on measuring until each budget is decided."),
    option("--max-minutes", type=Finite(min=0.1, max=10_000), default=30.0, metavar="M", help="With --measure: stop then."),
)
@section("Device", device_option, user_option, phone_option)
@section("Build", module_options, gradle_option)
@section("Output", option("-o", "--output", type=FOLDER, metavar="DIR", help="Folder of recordings. [navitas-recordings/…]"))
@probe_options
@measuring_options
@outputs_option
@json_option
@gathered("build", BuildOptions)
@gathered("run", RunOptions)
@gathered("options", ProfileOptions)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    paths: tuple[Path, ...],
    before_paths: tuple[Path, ...],
    baseline_file: Path | None,
    fail_on: str | None,
    outputs: CheckOutputs,
    json_file: Path | None,
    **values: Any,
) -> int:
    """Judge a version by budgets: [[check]] in navitas.toml, or [[tool.navitas.check]] in pyproject.toml.

    PATH is a Gradle project, which is measured first; or recordings, JSON reports ('-': stdin), or folders of several of them,
    one for each session. Without PATH, it is the project in this folder.
    """
    fails: FailOn = "above" if fail_on == "above" else "unknown"
    paths = paths or (Path(),)
    budgets = _budgets(ctx)
    project = paths[0] if len(paths) == 1 and is_project(paths[0]) else None
    if len(given_before := given_options(ctx, ("before_paths", "baseline_file", "against"))) > 1:
        raise UsageError(f"{given_before[0]} and {given_before[1]} both name the version before", "Leave one out.")
    if values["before_census"] is not None and not before_paths:
        raise UsageError("--before-census is that of the recordings before", "Add --before RECORDING.")
    sides = [[session for path in side for session in session_paths(path)] for side in (before_paths, () if project else paths)]
    settings = settings_of(ctx)
    kept = [] if settings is None else [settings.path, default_baseline(settings.path.parent)]
    judged = [] if project else paths  # A page in the folder of a project is no session.
    outputs.check(json_file, [*before_paths, *judged, *sides[0], *sides[1], *(file for file in kept if file is not None)])
    if project is None:
        censuses = values["before_census"], values["census"]
        if given := given_options(ctx, _OF_PROJECTS):
            raise UsageError(f"{given[0]} is for measuring a project, and {paths[0]} is none", "Name the project's folder.")
        with ConsoleProgress(only_live=True) as progress:
            before, after = (_read(side, progress, census) for side, census in zip(sides, censuses, strict=True))
            check_distinct([*before, *after])
            if not before:
                before = list(_baseline(ctx, baseline_file, budgets, progress)(after))
        try:
            result = judge(before, after, budgets, day=datetime.now(UTC).date())
        except UsageError as error:
            outputs.write_problem(error.message)
            if not any(session.failed for session in after):
                raise
            warning(f"nothing was judged: {error.message}")
            return ExitCode.TESTS_FAILED
        _write(ctx, result, (before, after), fails=fails, outputs=outputs, json_file=json_file)
        return report_verdicts(result, fails)
    if counted := given_options(ctx, ("census", "before_census")):
        raise UsageError(f"{counted[0]} is for recordings, and {project} is a project", "Give recordings with block counts.")
    if not values["measure"] and given_options(ctx, ["max_minutes"]):
        raise UsageError("--max-minutes limits --measure, which is not given", "Add --measure.")
    with ConsoleProgress() as progress:
        sessions_before = _read(sides[0], progress)
        is_given = sessions_before or values["against"] is not None
        before_of = (lambda after: sessions_before) if is_given else _baseline(ctx, baseline_file, budgets, progress)
        try:
            checked = profile_and_check(
                with_name(project), budgets, values["options"], against=values["against"], before=before_of,
                budgets_of=lambda folder: _budgets_of(ctx, folder),
                measure_s=60 * values["max_minutes"] if values["measure"] else None,
                build=values["build"], run=values["run"], caller=caller_of(progress, ReportOptions(default_formats=())),
            )  # fmt: skip
        except UsageError as error:
            outputs.write_problem(error.message)
            raise
    if checked.result is None:
        outputs.write_problem(checked.problem)
    else:
        _write(ctx, checked.result, checked.sides, fails=fails, outputs=outputs, json_file=json_file)
    return _end(checked, fails)


def _baseline(ctx: click.Context, file: Path | None, budgets: Budgets, progress: ConsoleProgress) -> BeforeOf:
    """Return what chooses the sessions of the baseline for sessions to judge. Reads it now: its errors come before a build.

    The baseline that a project keeps is read only if a budget limits a change.
    """
    settings = settings_of(ctx)
    if file is None and settings is not None and any(isinstance(budget.limit, ChangeLimit) for budget in budgets.budgets):
        file = default_baseline(settings.path.parent)
    if file is None:
        return lambda after: []
    sessions, name = read_baseline_sessions(file, progress), str(file)
    return lambda after: matching(sessions, after, name)


def _read(paths: Sequence[Path], progress: ConsoleProgress, census: Path | None = None) -> list[Session]:
    sessions = [read_session(path, progress) for path in paths]
    check_distinct(sessions)
    return sessions if census is None else counted_sessions(sessions, paths, census)


def _write(
    ctx: click.Context, result: CheckResult, sides: Sides, *, fails: FailOn, outputs: CheckOutputs, json_file: Path | None
) -> None:
    settings = settings_of(ctx)
    is_free = outputs.write(result, sides, fails, Path() if settings is None else settings.path.parent)
    if write_json(json_file, **result.as_json()) and is_free:
        output_console().print(judgements_table(result))


def _end(checked: CheckedProject, fails: FailOn) -> int:
    """Print what was measured, and the verdicts. Returns the exit code."""
    for outcome in (*checked.before, *checked.after):
        print_failures(outcome)
    trouble = max((print_troubles(outcome) for outcome in checked.after), default=ExitCode.OK)
    if checked.result is None:
        warning(f"nothing was judged: {checked.problem}")
        return trouble or ExitCode.TROUBLE
    code = report_verdicts(checked.result, fails)
    before, after = (" ".join(shell_word(outcome.recording) for outcome in side) for side in (checked.before, checked.after))
    next_step(f"navitas compare {before} {after}" if checked.before else f"navitas report {after.partition(' ')[0]}")
    return trouble or code


def _budgets(ctx: click.Context) -> Budgets:
    """Return the budgets of the settings file. Raises `UsageError` if there are none."""
    settings = settings_of(ctx)
    budgets = Budgets(()) if settings is None else _of_file(ctx, settings)
    if not budgets.budgets:
        where = "there is no navitas.toml here" if settings is None else f"{settings.path} has no [[check]]"
        raise UsageError(f"no budgets: {where}", "Write one: [[check]] and at-most-change = 5. See docs/check.md.")
    return budgets


def _of_file(ctx: click.Context, settings: Settings) -> Budgets:
    """Return the budgets of a file, with the settings of what is measured that the user did not override."""
    budgets = parse_budgets(settings.content, settings.location)
    users = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
    params = (param for param in ctx.command.params if isinstance(param, Option))
    overridden = {param.long_name for param in params if ctx.get_parameter_source(param.name or "") in users}
    return replace(budgets, measured={name: value for name, value in budgets.measured.items() if name not in overridden})


def _budgets_of(ctx: click.Context, folder: Path) -> Budgets:
    """Return the budgets of a revision's files; none if they are wrong."""
    try:
        settings = find_settings(str(folder))
        return Budgets(()) if settings is None else _of_file(ctx, settings)
    except UsageError as error:
        warning(f"the budgets of the version before cannot be read: {without_checkout(error.message, folder)}")
        return Budgets(())

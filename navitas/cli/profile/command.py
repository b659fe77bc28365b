"""`navitas profile`: profiles the tests of a Gradle project."""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from navitas.base.errors import UsageError
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.collect.options import MAX_SEED, ProfileOptions
from navitas.cli.compare.energy_limit import Limit, figure_option, limit_options
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.option import gathered, given_options, option, renamed, section
from navitas.cli.habits.paths import FOLDER, READ, READ_FILE, READ_FOLDER, WRITE_ANY_NAME, with_name
from navitas.cli.habits.shared_options import (
    Finite,
    Percent,
    ReportOptions,
    against_option,
    check_probe_options,
    device_option,
    gradle_option,
    measuring_options,
    module_options,
    phone_option,
    probe_options,
    repeat_option,
    report_options,
    tests_option,
    user_option,
    warmup_option,
)
from navitas.cli.profile.profiling import report_measured
from navitas.cli.workflows.measurement import RunOptions
from navitas.cli.workflows.profile import profile, profile_bundles
from navitas.report.registry import find_format

_TIMEOUT = "Stop after S s without progress."
_PROBED = "test, class: their energy, without probes. block: also executions."


@click.command(
    "profile",
    cls=NavitasCommand,
    project="project",
    example="navitas profile . --tests 'SortTest#*' --repeat 5\nnavitas profile app --device SERIAL --json report.json",
)
@click.argument("project", type=READ, required=False)
@section(
    "What to run",
    tests_option,
    repeat_option(1),
    warmup_option,
    option(
        "--precision",
        "until_percent",
        type=Percent(min=0.1, max=100),
        metavar="PERCENT",
        help="Repeat until the total's 95 % interval is ± PERCENT or less.",
    ),
    option("--max-repeat", type=click.IntRange(3, 1000), metavar="N", help="With --precision: most repetitions. [30]"),
    option("--order", "seed", type=click.IntRange(0, MAX_SEED), metavar="N", help="Order of the runs. [random]"),
    option("--isolate", is_flag=True, help="Run each test in a new process."),
    option("--baseline", is_flag=True, help="Also run repeats without probes, to correct their cost."),
    option("--timeout", "timeout_s", type=Finite(min=1), default=3600, metavar="S", help=_TIMEOUT),
    option("--end-with-stdin", is_flag=True, help="Stop, as on Ctrl-C, when standard input ends."),
)
@section("Comparison", against_option, figure_option, limit_options)
@section("Device", device_option, user_option, phone_option)
@section(
    "Build",
    module_options,
    gradle_option,
    option(
        "--bundle",
        "bundles",
        multiple=True,
        type=READ_FILE,
        metavar="FILE",
        from_project=False,
        help="A bundle of navitasBundle, not PROJECT; repeatable.",
    ),
    option("--source", type=READ_FOLDER, metavar="DIR", help="The project, for its git revisions. [none]"),
)
@section(
    "Output",
    option("-o", "--output", type=FOLDER, metavar="DIR", help="The recording's folder. [navitas-recordings/…]"),
    option("--replace", is_flag=True, from_project=False, help="Replace the recording in the output folder."),
    option("--history", type=WRITE_ANY_NAME, metavar="FILE", help="Add the session to a history (navitas history)."),
)
@report_options
@section(
    "Probes",
    option("--test-probes/--no-test-probes", "instrument_tests", default=True, help="Add probes to test classes. [yes]"),
    option("--granularity", type=click.Choice(["test", "class", "method", "block"]), default="method", help=_PROBED),
)
@probe_options
@measuring_options
@renamed("--no-tests", "--no-test-probes")
@renamed("--until", "--precision")
@renamed("--seed", "--order")
@gathered("build", BuildOptions)
@gathered("run", RunOptions)
@gathered("options", ProfileOptions)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    build: BuildOptions,
    run: RunOptions,
    options: ProfileOptions,
    report: ReportOptions,
    limit: Limit,
    **values: Any,
) -> int:
    """Profile the JUnit tests of a Gradle project: joules per test, per thread and per method.

    Navitas doesn't change the project's files. Android projects run on a phone or the virtual phone, plain `java` projects on
    the virtual phone.
    """
    project, bundles, source, against = values["project"], values["bundles"], values["source"], values["against"]
    if against is None and (given := given_options(ctx, ("choice", "fail_above", "fail_on"))):
        raise UsageError(f"{given[0]} compares with another version", "Add --against REVISION.")
    if values["end_with_stdin"]:
        interrupt_at_end()
    if options.until_percent is None and ctx.get_parameter_source("max_repeat") != ParameterSource.DEFAULT:
        raise UsageError(
            "--max-repeat limits the repeats of --precision, which is not given", "add --precision, or give only --repeat"
        )
    if build.hook_libraries and options.record == "none":
        raise UsageError("--hook-libraries adds to the hooks of --record, which is none", "add --record hooks, or leave it out")
    check_probe_options(ctx, options.mode)
    _check_report(report, options.granularity)
    if bundles:
        _check_bundles(ctx, project, source, against)
    elif source is not None:
        raise UsageError("--source is the project of bundles, but there is no --bundle", "give only PROJECT, or add --bundle")
    folder = with_name(source or project or Path())
    if against is not None:
        from navitas.cli.profile.against import report_against  # noqa: PLC0415  # Slow: it loads the analysis.

        choice = values["choice"]
        return report_against(folder, against, build, options, bundles, report=report, run=run, choice=choice, limit=limit)
    if bundles:
        return report_measured(
            lambda caller: profile_bundles(bundles, options, run=run, caller=caller, source=source), report, run.output
        )
    return report_measured(lambda caller: profile(folder, options, build=build, run=run, caller=caller), report, run.output)


def _check_bundles(ctx: click.Context, project: Path | None, source: Path | None, against: str | None) -> None:
    """Raise `UsageError` for what bundles exclude, and if they lack a project whose revision is to be built."""
    if against is not None and source is None:
        raise UsageError(
            "--against builds a revision of a project, and --bundle names none",
            "add --source with the project of the bundle, or give PROJECT instead of --bundle",
        )
    if project is not None or (against is None and given_options(ctx, [field.name for field in fields(BuildOptions)])):
        raise UsageError(
            "--bundle excludes PROJECT and the build options, since a bundle is already built", "set these in its build"
        )


def _check_report(report: ReportOptions, granularity: str) -> None:
    """Raise `UsageError` for reports of calls if `granularity` records no calls."""
    if granularity == "method":
        return
    call_options = [file.option for file in report.files if find_format(file.format).shows_calls]
    option = next(iter(["--tree"] if report.tree is not None else call_options), None)
    if option is not None:
        raise UsageError(f"{option} shows calls, and --granularity {granularity} records no calls", "leave one out")


def interrupt_at_end() -> None:
    """Interrupt this process, as Ctrl-C does, when standard input ends. Raises `UsageError` if it is already closed."""
    if sys.stdin is None:
        raise UsageError("standard input is closed", "leave out --end-with-stdin")
    descriptor = sys.stdin.fileno()

    def wait() -> None:
        while os.read(descriptor, 1 << 16):
            pass
        # Not SIGINT, which background processes of a shell ignore.
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="navitas-stdin", daemon=True).start()

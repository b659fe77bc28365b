"""`navitas profile`: a Gradle project's tests, profiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from navitas.build.patterns import check_patterns
from navitas.cli.destinations import check_free
from navitas.cli.options import (
    Finite,
    ReportOptions,
    device_option,
    measuring_options,
    phone_option,
    probe_options,
    report_options,
    take_radios_off,
    take_report_options,
)
from navitas.cli.paths import FOLDER, NAME_OR_FILE, READ, TEXT
from navitas.cli.profiling import BuildOptions, RunOptions, profile_bundles, profile_project
from navitas.cli.standard_input import interrupt_at_end
from navitas.collect.options import ProfileOptions
from navitas.errors import UsageError
from navitas.report.registry import find_format


@click.command("profile")
@click.argument("project", type=READ, required=False)
@click.option(
    "--tests", multiple=True, type=TEXT, metavar="PATTERN", help="CLASS[#METHOD] with * and ?; may be given several times. [all]"
)
@click.option(
    "--repeat",
    type=click.IntRange(1, 65535),
    default=1,
    show_default=True,
    help="Run the tests this many times, each time in a new process.",
)
@click.option("--module", type=TEXT, metavar="PATH", help="Gradle path of the module to profile. [all that have tests]")
@click.option(
    "--variant", type=TEXT, metavar="NAME", help="The Android variant to profile, such as demoDebug. [the only one with tests]"
)
@device_option
@click.option("--isolate", is_flag=True, help="Run each test in a process of its own.")
@click.option(
    "--test-task", type=TEXT, metavar="NAME", help="Gradle's task whose tests are meant, such as integrationTest. [test]"
)
@phone_option
@click.option(
    "--bundle",
    "bundles",
    multiple=True,
    type=READ,
    metavar="FILE",
    help="A bundle that Gradle's navitasBundle made, instead of a PROJECT; may be given several times.",
)
@click.option("--source", type=READ, metavar="DIR", help="The project that the bundles were built from, for its git revision.")
@click.option("--gradle", type=NAME_OR_FILE, metavar="PATH", help="Gradle to use. [the project's gradlew, else PATH]")
@click.option("-o", "--output", type=FOLDER, metavar="DIR", help="The recording's folder. [navitas-recordings/…]")
@click.option("--replace", is_flag=True, help="Replace the recording that the output folder holds.")
@click.option("--no-tests", "instrument_tests", flag_value=False, default=True, help="No probes in test classes.")
@click.option(
    "--granularity",
    type=click.Choice(["test", "class", "method"]),
    default="method",
    show_default=True,
    help="test, class: no probes, energy of whole tests or of their classes.",
)
@click.option("--baseline", is_flag=True, help="Run each repeat once more without probes, to show what they cost.")
@probe_options
@measuring_options
@click.option(
    "--timeout",
    "timeout_s",
    type=Finite(min=1),
    default=3600.0,
    show_default=True,
    metavar="S",
    help="Give up after silence.",
)
@click.option(
    "--end-with-stdin", is_flag=True, help="Stop as on Ctrl-C when standard input ends, for programs that start this one."
)
@report_options
def command(**values: Any) -> int:
    """Profile the JUnit tests of a Gradle project: joules per test, per thread and per method.

    The project's own files are not changed. Android projects run on a phone or the virtual phone, plain `java` projects on the
    virtual phone.
    """
    report = take_report_options(values)
    building = ("gradle", "module", "variant", "instrument_tests", "include", "exclude", "skip_trivial", "test_task")
    build = BuildOptions(**{name: values.pop(name) for name in building})
    project, bundles, replace = values.pop("project"), values.pop("bundles"), values.pop("replace")
    source = values.pop("source")
    run = RunOptions(values.pop("phone"), values.pop("output"), values.pop("device"))
    check_free(run.output, replace=replace)
    if values.pop("end_with_stdin"):
        interrupt_at_end()
    check_patterns(build.include, build.exclude)
    options = ProfileOptions(radios_off=take_radios_off(values), **values)
    _check_report(report, options.granularity)
    if source is not None and not source.is_dir():
        raise UsageError(f"--source: no such folder: {source}", "name the folder of the project")
    if not bundles:
        if source is not None:
            raise UsageError(
                "--source says where bundles come from, and there is none", "name the project alone, or add --bundle"
            )
        return profile_project(project or Path(), build, options, report, run)
    if project is not None or build != BuildOptions():
        raise UsageError(
            "a bundle is built already: it comes without PROJECT and without options of a build", "set these in its build"
        )
    return profile_bundles(bundles, options, report, run, source)


def _check_report(report: ReportOptions, granularity: str) -> None:
    """Refuse, before the long part of the work, what only calls can fill."""
    if granularity == "method":
        return
    of_calls = [file.option for file in report.files if find_format(file.format).shows_calls]
    option = next(iter(["--tree"] if report.tree is not None else of_calls), None)
    if option is not None:
        raise UsageError(f"{option} shows calls, and --granularity {granularity} records none", "leave one out")

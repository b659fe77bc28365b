"""`navitas bisect`: finds the commit and the methods of a change in energy."""

from __future__ import annotations

import math
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from navitas.build.commits import Commit, first_parents
from navitas.build.gradle import BuildOptions
from navitas.build.revisions import check_folder
from navitas.cli.bisect_tables import described, found_lines, steps_table
from navitas.cli.bisecting import Measurements, changed_figure, find_commit, stepped_methods
from navitas.cli.commands import NavitasCommand
from navitas.cli.energy_limit import figure_option
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import failed_check, location, next_step, note, shell_word, warning
from navitas.cli.option import option, section
from navitas.cli.options import Finite, device_option, phone_option, probe_options, user_option
from navitas.cli.paths import FOLDER, PROGRAM, READ, TEXT
from navitas.cli.progress import ConsoleProgress
from navitas.cli.standard_output import output_console
from navitas.collect.options import ProfileOptions, check_options
from navitas.compare.effect import stats
from navitas.compare.figures import FigureChoice
from navitas.errors import ExitCode, UsageError
from navitas.history.search import FoundCommits, Limits, most_builds
from navitas.history.steps import FigureStep
from navitas.owned_folder import owned_folder
from navitas.untrusted_text import printable
from navitas.virtual_phone.kernel.spec import find_profile, load_spec
from navitas.workflows.building import check_build
from navitas.workflows.measurement import BackgroundContext, RunOptions, default_recording, open_device

_SHOWN = 5
"""How many figures are shown if none differs."""


@click.command("bisect", cls=NavitasCommand, project="project", example="navitas bisect v1.0 main . --tests 'SortTest#*'")
@click.argument("good", type=TEXT)
@click.argument("bad", type=TEXT)
@click.argument("project", type=READ, required=False)
@section(
    "What to measure",
    option("--tests", multiple=True, type=TEXT, metavar="PATTERN", help="CLASS[#METHOD] with * and ?; repeatable. [all]"),
    figure_option,
    option("--turns", type=click.IntRange(3, 1000), default=4, show_default=True, metavar="N", help="Runs of each measurement."),
    option(
        "--most-turns", type=click.IntRange(3, 10_000), default=40, show_default=True, metavar="N", help="Runs of two commits."
    ),
    option("--builds", type=click.IntRange(2, 1000), metavar="N", help="Commits to build at most. [log2 of the commits, + 5]"),
    option(
        "--error",
        "error_percent",
        type=Finite(min=0.1, max=49),
        default=5.0,
        show_default=True,
        metavar="PERCENT",
        help="Accepted probability of a wrong commit.",
    ),
)
@section("Device", device_option, user_option, phone_option)
@section(
    "Build",
    option("--module", type=TEXT, metavar="PATH", help="Gradle path of a module. [all with tests]"),
    option("--variant", type=TEXT, metavar="NAME", help="Android variant, such as demoDebug. [the only one]"),
    option("--test-task", type=TEXT, metavar="NAME", help="Gradle's test task, such as integrationTest. [test]"),
    option("--gradle", type=PROGRAM, metavar="PATH", help="Gradle to use. [gradlew, else PATH]"),
)
@section("Output", option("-o", "--output", type=FOLDER, metavar="DIR", help="Folder of recordings. [navitas-recordings/…]"))
@probe_options
@json_option
def command(*, good: str, bad: str, project: Path | None, json_file: Path | None, **values: Any) -> int:
    """Find the commit between GOOD and BAD that changed the energy of PROJECT's tests, and its methods.

    Builds commits and measures each in turns with GOOD, until the commit is known with the accepted error. The project's files
    and its repository are not changed.
    """
    is_text = check_json(json_file)
    request = _checked(good, bad, project or Path(), values)
    with ExitStack() as stack:
        result = _run(request, stack)
        write_json(json_file, schema_version=2, **_document(request, result))
        if is_text:
            output_console().print(*found_lines(request.commits, result.found, result.change), sep="\n", markup=False)
            if result.change is None and result.compared:
                output_console().print(steps_table("Clearest differences; none is clear enough", result.compared[:_SHOWN]))
            if result.methods:
                output_console().print(steps_table("Self energy that changed at this commit", result.methods))
    location(f"recordings: {result.output}")
    if result.change is None:
        remedy = "Give more --most-turns, or another --figure, or let runs differ less: see docs/unsteady-tests.md."
        failed_check(f"{printable(good)} and {printable(bad)} do not differ", remedy)
    elif result.found is None or len(result.found.commits) > 1:
        failed_check("no single commit is likely enough", "Give more --builds or --most-turns.")
    else:
        commit = request.commits[result.found.commits[0]]
        if not result.methods:
            note("no method differs between this commit and the one before it: give more --most-turns to name methods")
        next_step(f"git show {shell_word(commit.hash)}")
        return ExitCode.OK
    return ExitCode.CHECK_FAILED


@dataclass(frozen=True, slots=True)
class _Request:
    project: Path
    commits: list[Commit]
    build: BuildOptions
    options: ProfileOptions
    run: RunOptions
    limits: Limits
    choice: FigureChoice


@dataclass(frozen=True, slots=True)
class _Result:
    output: Path
    turns: int
    change: FigureStep | None
    compared: list[FigureStep]
    found: FoundCommits | None
    methods: list[FigureStep]


def _checked(good: str, bad: str, project: Path, values: dict[str, Any]) -> _Request:
    """Check everything before the first build."""
    choice = values.pop("choice")
    run = RunOptions(*(values.pop(name) for name in ("phone", "output", "device", "user")))
    options = ProfileOptions(tests=values.pop("tests"))
    turns, most_turns, builds, error = (values.pop(name) for name in ("turns", "most_turns", "builds", "error_percent"))
    build = BuildOptions(**values)
    if most_turns < turns:
        raise UsageError(f"--most-turns {most_turns} is less than --turns {turns}", "Give more --most-turns, or fewer --turns.")
    check_build(project, build, options, ConsoleProgress())
    check_options(options)
    load_spec(find_profile(run.phone))
    stats()  # a missing library is reported before the first build
    if run.output is not None and run.output.is_dir() and any(run.output.iterdir()):
        raise UsageError(f"{run.output} is not empty", "Name a new folder.")
    commits = first_parents(project, good, bad)
    for side, name, commit in (("GOOD", good, commits[0]), ("BAD", bad, commits[-1])):
        check_folder(project, commit.hash, f"{side} ({printable(name)})")
    merges = sum(one.merges for one in commits[1:])
    if merges:
        warning(f"the search follows first parents: {merges:,} merges count as one commit each")
    limits = Limits(error / 100, builds or most_builds(len(commits) - 1), turns, most_turns)
    return _Request(project, commits, build, options, run, limits, choice)


def _run(request: _Request, stack: ExitStack) -> _Result:
    bundles = stack.enter_context(owned_folder("navitas-bundles-"))
    progress = stack.enter_context(ConsoleProgress())
    phone = stack.enter_context(BackgroundContext(lambda: open_device(request.run)))
    progress.stage("connecting")
    device = phone.result()
    output = request.run.output or default_recording(f"{request.project.resolve().name}-bisect")
    output.mkdir(parents=True, exist_ok=True)
    stack.callback(_remove_empty, output)
    known = (request.project, request.commits, request.build, request.options, request.run)
    measured = Measurements(*known, device, bundles, output, progress)
    note(f"{len(request.commits) - 1:,} commits, at most {request.limits.builds} builds")
    change, compared = changed_figure(measured, request.choice, request.limits)
    if change is None:
        return _Result(output, measured.turns, None, compared, None, [])
    note(f"{printable(described(change.subject))}: {change.percent:+.1f} %")
    found = find_commit(measured, change.subject, request.limits)
    methods = stepped_methods(measured, found.commits[0], request.limits) if len(found.commits) == 1 else []
    return _Result(output, measured.turns, change, compared, found, methods)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _document(request: _Request, result: _Result) -> dict[str, Any]:
    commits, found = request.commits, result.found
    likely = () if found is None else found.commits
    skipped = {} if found is None else found.skipped
    return {
        "good": commits[0].hash,
        "bad": commits[-1].hash,
        "commits": len(commits) - 1,
        "change": None if result.change is None else _row(result.change),
        "compared": [_row(one) for one in result.compared],
        "found": [{"commit": commits[index].hash, "subject": commits[index].subject} for index in likely],
        "error": None if found is None else found.error,
        "no_change": None if found is None else found.no_change,
        "step_percent": None if found is None or found.step is None else 100 * math.expm1(found.step),
        "methods": [_row(one) for one in result.methods],
        "skipped": [{"commit": commits[index].hash, "reason": reason} for index, reason in sorted(skipped.items())],
        "builds": 2 if found is None else found.builds,
        "turns": result.turns,
        "recordings": str(result.output),
    }


def _row(one: FigureStep) -> dict[str, Any]:
    interval = {"low_percent": one.low_percent, "high_percent": one.high_percent}
    return {**one.subject._asdict(), "percent": one.percent, **interval, "adjusted_p": one.p}

"""`navitas bisect`: builds and measures commits, to find the one, and the methods, of a change in energy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from navitas.base.errors import ExitCode, UsageError
from navitas.base.json_text import fields
from navitas.base.owned_folder import owned_folder
from navitas.base.untrusted_text import printable
from navitas.capture.build.commits import Commit, first_parents
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.build.revisions import check_folder, checked_out
from navitas.capture.collect.options import ProfileOptions, check_options
from navitas.capture.device.base import Device
from navitas.cli.compare.energy_limit import figure_option
from navitas.cli.compare.input import read_session
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import failed_check, location, next_step, note, shell_word, warning
from navitas.cli.habits.option import gathered, option, section
from navitas.cli.habits.paths import FOLDER, READ, TEXT
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import (
    Finite,
    ReportOptions,
    device_option,
    gradle_option,
    module_options,
    phone_option,
    probe_options,
    tests_option,
    user_option,
)
from navitas.cli.habits.standard_output import output_console
from navitas.cli.profile.profiling import caller_of
from navitas.cli.workflows.building import check_build
from navitas.cli.workflows.measurement import Caller, RunOptions, default_recording, in_background, open_device, remove_empty
from navitas.cli.workflows.versions import BuiltVersion, build_version, measure_versions
from navitas.insight.compare.change_texts import percent, short_names
from navitas.insight.compare.effect import stats
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.history.bisect import Bisection, FigureStep, SessionPair, bisect
from navitas.insight.history.search import FoundCommits, Limits, most_builds
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.virtual_phone.kernel.spec import find_profile, load_spec

_LONGEST = 300
_SHOWN = 5
"""How many figures are shown if none differs."""


@click.command("bisect", cls=NavitasCommand, project="project", example="navitas bisect v1.0 main . --tests 'SortTest#*'")
@click.argument("good", type=TEXT)
@click.argument("bad", type=TEXT)
@click.argument("project", type=READ, required=False)
@section(
    "What to measure",
    tests_option,
    figure_option,
    option("--turns", type=click.IntRange(3, 1000), default=4, metavar="N", help="Runs of each measurement."),
    option("--most-turns", type=click.IntRange(3, 10_000), default=40, metavar="N", help="Runs of two commits."),
    option("--builds", type=click.IntRange(2, 1000), metavar="N", help="Commits to build at most. [log2 of the commits, + 5]"),
    option(
        "--error",
        "error_percent",
        type=Finite(min=0.1, max=49),
        default=5.0,
        metavar="PERCENT",
        help="Accepted probability of a wrong commit.",
    ),
)
@section("Device", device_option, user_option, phone_option)
@section("Build", module_options, gradle_option)
@section("Output", option("-o", "--output", type=FOLDER, metavar="DIR", help="Folder of recordings. [navitas-recordings/…]"))
@probe_options
@json_option
@gathered("build", BuildOptions)
@gathered("run", RunOptions)
@gathered("options", ProfileOptions)
def command(*, good: str, bad: str, project: Path | None, json_file: Path | None, **values: Any) -> int:
    """Find the commit between GOOD and BAD that changed the energy of PROJECT's tests, and its methods.

    Builds commits and measures each in turns with GOOD, until the commit is known with the accepted error. The project's files
    and its repository are not changed.
    """
    request = _checked(good, bad, project or Path(), **values)
    with ExitStack() as stack:
        output, result = _run(request, stack)
        if write_json(json_file, schema_version=2, **_document(request, output, result)):
            output_console().print(*_found_lines(request.commits, result.found, result.change), sep="\n", markup=False)
            if result.change is None and result.compared:
                output_console().print(steps_table("Clearest differences; none is clear enough", result.compared[:_SHOWN]))
            if result.methods:
                output_console().print(steps_table("Self energy that changed at this commit", result.methods))
    location(f"recordings: {output}")
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


def _checked(
    good: str, bad: str, project: Path, *, build: BuildOptions, run: RunOptions, options: ProfileOptions, **values: Any
) -> _Request:
    """Check everything before the first build."""
    turns, most_turns, builds, error = (values[name] for name in ("turns", "most_turns", "builds", "error_percent"))
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
    return _Request(project, commits, build, options, run, limits, values["choice"])


def _run(request: _Request, stack: ExitStack) -> tuple[Path, Bisection]:
    """Returns the folder of the recordings, and the result."""
    bundles = stack.enter_context(owned_folder("navitas-bundles-"))
    progress = stack.enter_context(ConsoleProgress())
    phone = stack.enter_context(in_background(lambda: open_device(request.run)))
    progress.stage("connecting")
    device = phone.result()
    output = request.run.output or default_recording(f"{request.project.resolve().name}-bisect")
    output.mkdir(parents=True, exist_ok=True)
    stack.callback(remove_empty, output)
    measured = _Measurements(request, device, bundles, output, progress)
    note(f"{len(request.commits) - 1:,} commits, at most {request.limits.builds} builds")
    names = [commit.short for commit in request.commits]
    return output, bisect(names, measured.measure, request.choice, request.limits, note)


def _document(request: _Request, output: Path, result: Bisection) -> dict[str, Any]:
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
        "recordings": str(output),
    }


def _row(one: FigureStep) -> dict[str, Any]:
    return {**one.subject._asdict(), **fields(one, "percent", "low_percent", "high_percent"), "adjusted_p": one.p}


@dataclass(slots=True)
class _Measurements:
    """The builds of a bisection's commits so far, and how many pairs were measured."""

    request: _Request
    device: Device
    bundles: Path
    output: Path
    progress: ConsoleProgress
    built: dict[int, BuiltVersion] = field(default_factory=dict)
    count: int = 0

    @property
    def _caller(self) -> Caller:
        return caller_of(self.progress, ReportOptions(default_formats=()))

    def measure(self, earlier: int, later: int, turns: int) -> SessionPair:
        """Build two commits, unless they are built, and measure them in turns."""
        built = [self._built(index) for index in (earlier, later)]
        folder = self.output / f"{self.count + 1:02}"
        options = replace(self.request.options, repeat=turns)
        outcomes = measure_versions(self.device, built, folder, options, run=self.request.run, caller=self._caller)
        self.progress.stage("analyzing")
        before, after = (read_session(one.recording, self.progress) for one in outcomes)
        self.count += 1
        return SessionPair(before, after)

    def _built(self, index: int) -> BuiltVersion:
        if index not in self.built:
            request, commit = self.request, self.request.commits[index]
            with checked_out(request.project, commit.hash, warning) as place:
                self.built[index] = build_version(
                    commit.short, place, request.build, options=request.options, folder=self.bundles / commit.short,
                    caller=self._caller, virtual=self.device.info.kind == "virtual", checkout_of=commit.short,
                )  # fmt: skip
        return self.built[index]


def _found_lines(commits: Sequence[Commit], found: FoundCommits | None, change: FigureStep | None) -> list[str]:
    """Return the lines that name the commits and the probability of error, or say that nothing changed."""
    if found is None or change is None:
        return ["No figure differs between the two revisions."]
    lines = [f"{printable(change.subject.described, _LONGEST)}: {percent(change.percent)} between the two revisions"]
    for index in found.commits:
        lines.append(f"{commits[index].hash} {printable(commits[index].subject, _LONGEST)}")
    several = len(found.commits) > 1
    what = "one of these commits changed it" if several else "this commit changed it"
    if found.step is not None:
        step = percent(100 * math.expm1(found.step))
        lines.append(f"the likely commit alone: {step}, of {percent(change.percent)} in all")
    if several:
        chance = f"{100 * found.no_change:.2g} %"
        lines.append(f"probability that no commit changed it, and only the builds differ: {chance}")
    error = f"{100 * found.error:.2g} %"
    lines.append(f"{what}, after {found.builds} builds. If one commit did, the probability that it is another one is {error}")
    for index, reason in sorted(found.skipped.items()):
        lines.append(f"skipped {commits[index].short}: {printable(reason, _LONGEST)}")
    return lines


def steps_table(title: str, steps: Sequence[FigureStep]) -> FittedTable:
    """Changes of figures between two commits."""
    table = FittedTable(title, [Column("Figure", text=True), Column("Change"), Column("95 %", drop=1)])
    for one, name in zip(steps, short_names([one.subject for one in steps]), strict=True):
        interval = f"{percent(one.low_percent)} … {percent(one.high_percent)}"
        table.add(printable(name, _LONGEST), percent(one.percent), interval)
    return table

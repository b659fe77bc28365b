"""`navitas profile --against REVISION`: measure a git revision and the project as it is in turns, and compare them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from navitas.base.errors import ExitCode, UsageError
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.cli.compare.energy_limit import Limit, check_limit
from navitas.cli.compare.input import read_session
from navitas.cli.compare.tables import changes_table
from navitas.cli.habits.files import STDOUT
from navitas.cli.habits.messages import next_step, shell_word, warning
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.habits.standard_output import output_console
from navitas.cli.history.file import add_sessions
from navitas.cli.profile.measuring import print_failures, print_troubles
from navitas.cli.profile.profiling import caller_of, check_report
from navitas.cli.report.reporting import load_profile, write_files
from navitas.cli.workflows.measurement import RunOptions
from navitas.cli.workflows.versions import AFTER, BEFORE, profile_against
from navitas.insight.compare.comparison import LEAST_SHARE, MARGIN_PERCENT, Comparison, compare
from navitas.insight.compare.effect import stats
from navitas.insight.compare.figures import FigureChoice


def report_against(
    project: Path,
    name: str,
    build: BuildOptions,
    options: ProfileOptions,
    *,
    report: ReportOptions,
    run: RunOptions,
    choice: FigureChoice,
    limit: Limit,
) -> int:
    """Measure revision `name` and the project as it is, and compare them. Returns the exit code.

    The recordings are `before` and `after` in the output folder. Reports are those of `after`. `limit` applies to `choice`.
    """
    stats()  # Missing libraries are reported before the measurement.
    check_report(report, *(None if run.output is None else run.output / side for side in (BEFORE, AFTER)))
    with ConsoleProgress() as progress:
        outcomes = profile_against(project, name, options, build=build, run=run, caller=caller_of(progress, report))
        progress.stage("comparing")
        after = outcomes[1].recording
        write_files(load_profile(after, report.file_analysis), report)
        found = _compare(outcomes, report, choice, progress)
    for outcome in outcomes:
        print_failures(outcome)
    code = max(print_troubles(outcome) for outcome in outcomes)
    names = " ".join(shell_word(outcome.recording) for outcome in outcomes)
    next_step(f"navitas compare {names} --json FILE (all figures); navitas report {shell_word(after)} (this version)")
    if found is None:
        return code or ExitCode.TROUBLE
    return code or check_limit(found, choice, limit)


def _compare(
    outcomes: Sequence[ProfilingOutcome], report: ReportOptions, choice: FigureChoice, progress: ConsoleProgress
) -> Comparison | None:
    """Print what changed. Returns None, with a warning, if nothing can be compared, such as if the tests of a version failed."""
    try:
        before, after = (read_session(outcome.recording, progress) for outcome in outcomes)
        if report.history is not None:
            add_sessions(report.history, [before, after])
        found = compare([before], [after], choice, together=True, margin_percent=MARGIN_PERCENT, least_share=LEAST_SHARE)
    except UsageError as error:
        warning(f"nothing was compared: {error.message}")
        return None
    if STDOUT not in report.paths:
        output_console().print(changes_table(found, choice.energy, 1, 1))
    for text in found.warnings:
        warning(text)
    return found

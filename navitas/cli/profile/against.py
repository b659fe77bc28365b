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
from navitas.cli.habits.files import STDOUT, write_json
from navitas.cli.habits.messages import location, next_step, shell_word, warning
from navitas.cli.habits.page_output import write_page
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.habits.standard_output import output_console
from navitas.cli.history.file import add_sessions
from navitas.cli.profile.measuring import print_failures, print_troubles
from navitas.cli.profile.profiling import caller_of, check_report
from navitas.cli.report.reporting import load_profile, write_files
from navitas.cli.workflows.measurement import RunOptions
from navitas.cli.workflows.versions import AFTER, BEFORE, profile_against
from navitas.insight.compare.comparison import Comparison
from navitas.insight.compare.effect import stats
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.compare.versions import compare_versions
from navitas.report.change_pages.comparison_page import comparison_page


def report_against(
    project: Path,
    name: str,
    build: BuildOptions,
    options: ProfileOptions,
    bundles: Sequence[Path] = (),
    *,
    report: ReportOptions,
    run: RunOptions,
    choice: FigureChoice,
    limit: Limit,
) -> int:
    """Measure revision `name` and the project as it is, or as it is in `bundles`, and compare them. Returns the exit code.

    The recordings are `before` and `after` in the output folder, with the comparison as `comparison.json` and `comparison.html`.
    Reports are those of `after`. `limit` applies to `choice`.
    """
    stats()  # Missing libraries are reported before the measurement.
    check_report(report, *(None if run.output is None else run.output / side for side in (BEFORE, AFTER)))
    with ConsoleProgress() as progress:
        outcomes = profile_against(project, name, options, bundles, build=build, run=run, caller=caller_of(progress, report))
        progress.stage("comparing")
        after = outcomes[1].recording
        write_files(load_profile(after, report.file_analysis), report)
        found = _compare(outcomes, report, choice, progress)
    for outcome in outcomes:
        print_failures(outcome)
    code = max(print_troubles(outcome) for outcome in outcomes)
    names = " ".join(shell_word(outcome.recording) for outcome in outcomes)
    next_step(f"navitas compare {names} --margin PERCENT (another margin); navitas report {shell_word(after)} (this version)")
    if found is None:
        return code or ExitCode.TROUBLE
    return code or check_limit(found, choice, limit)


def _compare(
    outcomes: Sequence[ProfilingOutcome], report: ReportOptions, choice: FigureChoice, progress: ConsoleProgress
) -> Comparison | None:
    """Print and write what changed. Returns None, with a warning, if nothing can be compared, such as if tests failed."""
    before, after = (outcome.recording for outcome in outcomes)
    try:
        sessions = {path: read_session(path, progress) for path in (before, after)}
        if report.history is not None:
            add_sessions(report.history, list(sessions.values()))
        compared = compare_versions([before], [after], choice, read=sessions.__getitem__)
    except UsageError as error:
        warning(f"nothing was compared: {error.message}")
        return None
    page = after.parent / "comparison.html"
    write_json(page.with_suffix(".json"), **compared.as_json())
    write_page(page, lambda: comparison_page(compared, (str(before), str(after))))
    found = compared.comparison
    if STDOUT not in report.paths:
        output_console().print(changes_table(found, choice.energy, 1, 1))
    for text in found.warnings:
        warning(text)
    location(f"comparison: {page} (open it in a browser)")
    return found

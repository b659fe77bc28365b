"""`navitas profile --against REVISION`: measure a git revision and the project as it is in turns, and compare them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from navitas.build.gradle import check_project, find_gradle
from navitas.build.revisions import checked_out, resolve
from navitas.cli.background import BackgroundContext
from navitas.cli.compare_input import read_session
from navitas.cli.compare_tables import changes_table
from navitas.cli.energy_limit import Limit, check_limit
from navitas.cli.files import STDOUT
from navitas.cli.history_file import add_sessions, check_history
from navitas.cli.messages import next_step, shell_word, warning
from navitas.cli.options import ReportOptions
from navitas.cli.paths import check_not_recorded
from navitas.cli.profiling import (
    RECORDINGS,
    BuildOptions,
    RunOptions,
    default_recording,
    is_virtual,
    measuring,
    open_device,
    warn_about_patterns,
)
from navitas.cli.progress import ConsoleProgress
from navitas.cli.standard_output import output_console
from navitas.cli.versions import build_version, measure_versions
from navitas.collect.options import ProfileOptions, check_options
from navitas.collect.version_runs import ProfilingOutcome
from navitas.compare.comparison import LEAST_SHARE, MARGIN_PERCENT, Comparison, compare
from navitas.compare.effect import stats
from navitas.compare.figures import FigureChoice
from navitas.errors import ExitCode, UsageError
from navitas.folder_lock import FolderLock
from navitas.owned_folder import owned_folder
from navitas.recording.writer import check_writable, reserve_folder
from navitas.virtual_phone.kernel.spec import find_profile, load_spec

BEFORE, AFTER = "before", "after"


def profile_against(
    project: Path,
    name: str,
    build: BuildOptions,
    options: ProfileOptions,
    *,
    report: ReportOptions,
    run: RunOptions,
    choice: FigureChoice,
    limit: Limit,
    replace: bool = False,
) -> int:
    """Build revision `name` and the project as it is, run the tests of both in turns, and compare. Returns the exit code.

    The recordings are `before` and `after` in the output folder. Reports are those of `after`. `limit` applies to `choice`.
    """
    check_project(project)
    find_gradle(project, build.gradle)
    stats()  # Missing libraries are reported before the measurement.
    if report.history is not None:
        check_history(report.history)
    commit = resolve(project, name)
    load_spec(find_profile(run.phone))
    check_options(options)
    check_writable(run.output or RECORDINGS)
    warn_about_patterns(project, options.tests)
    measure = measuring()
    with ExitStack() as stack, ConsoleProgress() as progress:
        locks = {each: stack.enter_context(_reserved(report, run.output, each, replace=replace)) for each in (BEFORE, AFTER)}
        with BackgroundContext(lambda: open_device(run)) as phone:
            virtual = is_virtual(run, phone.result)
            work = stack.enter_context(owned_folder("navitas-bundles-"))
            old = stack.enter_context(checked_out(project, commit, warning))
            built = [
                build_version(each, place, build, options=options, folder=work / each, progress=progress, virtual=virtual)
                for each, place in ((BEFORE, old), (AFTER, project))
            ]
            output = run.output or default_recording(project.name)
            progress.stage("connecting")
            device = phone.result()
            outcomes = measure_versions(device, built, output, options, report=report, run=run, progress=progress, locks=locks)
        progress.stage("comparing")
        after = outcomes[1].recording
        profile = measure.load_profile(after, report)
        measure.write_files(profile, report)
        found = _compare(outcomes, report, choice, progress)
    for one in outcomes:
        measure.print_failures(one)
    code = max(measure.print_troubles(one) for one in outcomes)
    names = " ".join(shell_word(one.recording) for one in outcomes)
    next_step(f"navitas compare {names} --json FILE (all figures); navitas report {shell_word(after)} (this version)")
    if found is None:
        return code or ExitCode.TROUBLE
    return code or check_limit(found, choice, limit)


def _compare(
    outcomes: Sequence[ProfilingOutcome], report: ReportOptions, choice: FigureChoice, progress: ConsoleProgress
) -> Comparison | None:
    """Print what changed. Returns None, with a warning, if nothing can be compared, such as if the tests of a version failed."""
    try:
        before, after = (read_session(one.recording, progress) for one in outcomes)
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


@contextmanager
def _reserved(report: ReportOptions, output: Path | None, name: str, *, replace: bool) -> Iterator[FolderLock | None]:
    """Check and lock the folder of a version's recording before the build. A new folder needs no lock."""
    folder = None if output is None else output / name
    report.check(folder)
    if output is None or folder is None:
        yield None
        return
    check_not_recorded(output, replace=False)
    check_not_recorded(folder, replace=replace)
    with reserve_folder(folder) as lock:
        yield lock

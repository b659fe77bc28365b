"""What `profile`, `record` and `demo` share: measure, analyze, report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from navitas.cli.habits.progress import ConsoleProgress, print_start_time, timed
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.profile.masking import command_line
from navitas.cli.workflows.measurement import Caller

if TYPE_CHECKING:
    from navitas.capture.collect.runs.version_runs import ProfilingOutcome
    from navitas.energy.analyze.profile import Profile


def caller_of(progress: ConsoleProgress, report: ReportOptions, ending: ExitStack | None = None) -> Caller:
    """Return the command as the caller of a workflow: it shows progress, and reports a partial recording after an error."""

    def load(recording: Path) -> Profile:
        from navitas.cli.report.reporting import load_profile  # noqa: PLC0415  # Slow, so it is imported after the measurement.

        return load_profile(recording, report.analysis)

    def guard(recording: Path) -> AbstractContextManager[None]:
        from navitas.cli.profile.measuring import report_partial_on_error  # noqa: PLC0415

        return report_partial_on_error(recording, report)

    return Caller(progress, load, guard, command_line(), prepare=_load_reports, ending=ending)


def _load_reports() -> None:
    """Load what analyzes and reports a recording, and the trace of its run."""
    from navitas.android.perfetto.messages import message_class  # noqa: PLC0415
    from navitas.cli.profile import measuring  # noqa: F401, PLC0415
    from navitas.recording.parse.trace import perfetto  # noqa: F401, PLC0415

    message_class("TracePacket")  # The first call takes long.


def check_report(report: ReportOptions, *outputs: Path | None) -> None:
    """Check the files that a report is written to, before the work. `outputs` are the recordings that the work makes."""
    for output in outputs:
        report.check(output)
    if report.history is not None:
        from navitas.cli.history.file import check_history  # noqa: PLC0415

        check_history(report.history)


def report_measured(measure: Callable[[Caller], ProfilingOutcome], report: ReportOptions, output: Path | None) -> int:
    """Measure, analyze and report. Returns the exit code."""
    check_report(report, output)
    print_start_time()
    with ExitStack() as ending:
        with ConsoleProgress() as progress:
            outcome = measure(caller_of(progress, report, ending))
            from navitas.cli.profile.measuring import name_recording_on_error, report_outcome  # noqa: PLC0415
            from navitas.cli.report.reporting import load_profile  # noqa: PLC0415

            with name_recording_on_error(outcome.recording):
                progress.stage("analyzing")
                profile = load_profile(outcome.recording, report.file_analysis)
        with timed("writing the report"):
            code = report_outcome(outcome, profile, report)
        with timed("waiting for the end of the phone"):
            ending.close()
        return code

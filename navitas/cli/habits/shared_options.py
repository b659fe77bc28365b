"""Options that several commands share."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from navitas.base.errors import UsageError
from navitas.capture.device.base import VIRTUAL
from navitas.cli.habits.files import STDOUT, check_distinct
from navitas.cli.habits.option import F, choice_option, gathered, given_options, option, renamed, section
from navitas.cli.habits.paths import NAME_OR_FILE, PROGRAM, READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME, file_of_recording
from navitas.cli.report.formats import FormatType, ReportFile, report_files
from navitas.energy.attribute.analysis_settings import DEFAULT, AnalysisSettings, EvidenceChoice
from navitas.recording.layout import is_file_of
from navitas.report.registry import find_format

if TYPE_CHECKING:
    from navitas.capture.collect.options import Mode
    from navitas.report.page_request import EarlierRecording, PageRequest
    from navitas.report.view_request import ViewRequest

_SHORT_FORMS = {
    "json": "Write JSON ('-': stdout).",
    "html": "Write a page for a browser.",
    "speedscope": "Write a profile for speedscope.app.",
    "collapsed": "Write collapsed stacks for flame graphs.",
}
"""Formats with a short form: `--json FILE` is `--format json=FILE`."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The reports to write, and the content of the tables on the terminal."""

    files: tuple[ReportFile, ...] = ()
    tree: str | None = None
    top: int = 20
    analysis: AnalysisSettings = DEFAULT
    views: ViewRequest | None = None
    page: PageRequest | None = None
    history: Path | None = None
    """A history file to which the session is added."""
    default_formats: tuple[str, ...] = ("json",)
    """Formats that are written to a new recording unless the user names a file."""

    @property
    def file_analysis(self) -> AnalysisSettings:
        """The settings of the analysis that the reports are made from: it has what their formats and the terminal read."""
        formats = [find_format(name) for name in {*self.default_formats, *(file.format for file in self.files)}]
        call_steps, recorded = (any(getattr(format, name) for format in formats) for name in ("call_steps", "recorded"))
        return replace(self.analysis, call_steps=call_steps, recorded=recorded)

    @property
    def before(self) -> EarlierRecording | None:
        """The recording that the reports compare with."""
        return None if self.page is None else self.page.before

    @property
    def paths(self) -> list[Path]:
        """The paths of the report files."""
        return [file.path for file in self.files]

    def check(self, recording: Path | None = None) -> None:
        """Raise `UsageError` for files that overwrite each other or a file of the recording, which need not exist yet."""
        check_distinct(self.paths)
        if recording is None:
            return
        folder = Path(os.path.realpath(recording))
        for path in self.paths:
            real = path if path == STDOUT else Path(os.path.realpath(path))
            if real == folder:
                raise UsageError(f"{path} is the recording's folder", "name a file, for example in this folder")
            if is_file_of(folder, real):
                raise file_of_recording(path)


class Finite(click.FloatRange):
    """A finite number within bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


VOLTS = Finite(min=1, max=30)
"""The supply voltage of a device: a cell of a phone to the adapter of a computer."""


class Percent(Finite):
    """A number of percent: `3` or `3%`."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = value.removesuffix("%").rstrip() if isinstance(value, str) else value
        return super().convert(value if isinstance(number, str) and "%" in number else number, param, ctx)


user_option = option(
    "--user", "user", type=click.IntRange(min=0), metavar="N", help="Another user, such as a work profile. [in front]"
)


def repeat_option(default: int) -> Callable[[F], F]:
    """Return the option `--repeat`."""
    number = click.IntRange(1, 65535)
    return option("--repeat", type=number, default=default, metavar="N", help="Repetitions, each in a new process.")


tests_option = option(
    "--tests", multiple=True, type=TEXT, metavar="PATTERN", help="CLASS[#METHOD] with * and ?; repeatable. [all]"
)
warmup_option = option(
    "--warmup",
    type=click.IntRange(0, 1000),
    default=0,
    metavar="N",
    help="Repetitions before these. They are shown, but do not count.",
)
against_option = option(
    "--against", type=TEXT, metavar="REVISION", from_project=False, help="Measure this git revision, too, in turns."
)
module_options = section(
    "Build",
    option("--module", type=TEXT, metavar="PATH", help="Gradle path of a module. [all with tests]"),
    option("--variant", type=TEXT, metavar="NAME", help="Android variant, such as demoDebug. [the only one]"),
    option("--test-task", type=TEXT, metavar="NAME", help="Gradle's test task, such as integrationTest. [test]"),
)
"""The options that select what is built: fields of `BuildOptions`."""
gradle_option = option("--gradle", type=PROGRAM, metavar="PATH", help="Gradle to use. [gradlew, else PATH]")
device_option = option("--device", type=TEXT, default=VIRTUAL, metavar="SERIAL", help="A device of `navitas devices`. [virtual]")
connected_option = option(
    "--device", "serial", type=TEXT, metavar="SERIAL", help="A device of `navitas devices`. [the only one on adb]"
)
phone_option = option("--phone", type=NAME_OR_FILE, default="default", metavar="NAME", help="The model of the virtual phone.")
BEFORE_HELP = "A recording of an earlier build, to show what changed since."
meter_option = option("--meter", type=READ_FILE_ANY_NAME, metavar="FILE", help="CSV file of a power meter. [the phone's rails]")
interval_option = option(
    "--interval", "interval_s", type=Finite(min=0.05, max=3600), metavar="S", help="Length of a recording's intervals. [1]"
)
power_model_option = option(
    "--power-model", type=READ_FILE_ANY_NAME, metavar="FILE", help="Model of power fit, for what profiles lack."
)
evidence_option = option(
    "--evidence", type=click.Choice(["rails", "model"]), default="rails", help="model: without what power rails measured. [rails]"
)


def top_option(default: int, group: str = "Output") -> Callable[[F], F]:
    """Return the option `--top`, in a group of `--help`."""
    rows = click.IntRange(min=1)
    return option("--top", type=rows, default=default, metavar="N", section=group, help="Rows in each table.")


probe_options = section(
    "Probes",
    option("--include", multiple=True, type=TEXT, metavar="PATTERN", help="Only classes like a.b.**; repeatable."),
    option("--exclude", multiple=True, type=TEXT, metavar="PATTERN", help="No probes in a.b.** or a.b.C#m; repeatable."),
    option("--hook-libraries", is_flag=True, help="Hook all libraries' calls of APIs, too."),
    option("--skip-trivial", is_flag=True, help="No probes in getters, setters and the like."),
)
"""The options that select the classes and methods that get probes."""


def check_probe_options(ctx: click.Context, mode: Mode) -> None:
    """Raise `UsageError` for an option of probes on the command line, if nothing gets probes. Settings files may have them."""
    of_probes = ("instrument_tests", "include", "exclude", "hook_libraries", "skip_trivial")
    if mode == "sample" and (given := given_options(ctx, of_probes)):
        raise UsageError(f"{given[0]} is for probes, and --mode sample has none", "leave one out")


measuring_options = section(
    "What to measure",
    option("--power-profile", type=NAME_OR_FILE, metavar="NAME|FILE", help="A power_profile.xml. [that of the device]"),
    option("--voltage", "voltage_v", type=VOLTS, metavar="V", help="Supply voltage. [the battery's]"),
    option("--transport", type=click.Choice(["files", "logcat"]), default="files", help="How the app delivers events. [files]"),
    choice_option(
        "--mode", ["events", "folded", "tick", "sample"], "Calls, their sums, sums with sampled times, or sampled stacks."
    ),
    option(
        "--record",
        type=click.Choice(["none", "sampling", "hooks", "both"]),
        default="none",
        help="Record uses of files, network, devices. [none]",
    ),
    option(
        "--sample-interval",
        "sample_interval_ms",
        type=click.IntRange(5, 3000),
        metavar="MS",
        help="Time between readings of counters. [CPU: 20, traffic: 100–200]",
    ),
    choice_option("--trace", ["auto", "perfetto", "atrace", "none"], "The tracer of the phone's scheduler."),
    option("--prepare/--no-prepare", default=None, help="Set up and restore the phone. [on real ones]"),
    option(
        "--radios",
        "radios_off",
        type=click.Choice(["keep", "off"]),
        default="keep",
        callback=lambda _ctx, _param, value: value == "off",
        help="off: disable Wi-Fi, mobile data, Bluetooth.",
    ),
    option("--force", is_flag=True, from_project=False, help="Also measure a hot or nearly empty phone."),
)
"""The options for measuring and for the phone's settings: fields of `ProfileOptions`."""


def _report(
    *,
    formats: Sequence[tuple[str, Path | None]],
    json: Path | None,
    html: Path | None,
    speedscope: Path | None,
    collapsed: Path | None,
    tree: str | None,
    top: int,
    formula: str,
    evidence: EvidenceChoice,
    power_model: Path | None,
    outputs: Sequence[Path] = (),
    history: Path | None = None,
) -> ReportOptions:
    fitted = None
    if power_model is not None:
        from navitas.power.fitted_model import read_fitted_model  # noqa: PLC0415

        fitted = read_fitted_model(power_model)
    analysis = AnalysisSettings(None if formula == "default" else formula, evidence, fitted)
    short = zip(_SHORT_FORMS, (json, html, speedscope, collapsed), strict=True)
    files = [ReportFile(name, path, f"--{name}") for name, path in short if path is not None]
    return ReportOptions((*files, *report_files(formats, outputs)), tree, top, analysis, history=history)


report_options = gathered(
    "report",
    _report,
    section(
        "Report",
        option(
            "--format",
            "formats",
            type=FormatType(),
            multiple=True,
            metavar="NAME[=FILE]",
            from_project=False,
            help="Repeatable. NAME: one of navitas report --help.",
        ),
        *(option(f"--{name}", type=WRITE_ANY_NAME, metavar="FILE", help=text) for name, text in _SHORT_FORMS.items()),
        option("--tree", type=TEXT, metavar="THREAD", help="Show a thread's call tree (name or serial)."),
        top_option(20, "Report"),
        choice_option("--formula", ["default", "paper1"], "paper1: also the Navitas paper's formula (1)."),
        power_model_option,
        evidence_option,
        renamed("--model", "--formula"),
        renamed("--method", "--formula"),
    ),
)
"""The options of reports, as the keyword argument `report`. An `-o` and a `--history` of the command belong to it.

Raises the errors of `report_files`, and `PowerProfileError` for an invalid model file.
"""

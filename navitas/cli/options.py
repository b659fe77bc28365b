"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from navitas.cli.formats import FormatOption, FormatType, ReportFile, report_files
from navitas.cli.option import option, section
from navitas.cli.paths import NAME_OR_FILE, READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.device.base import VIRTUAL
from navitas.power.fitted_model import read_fitted_model

if TYPE_CHECKING:
    from navitas.report.view_request import ViewRequest

F = TypeVar("F", bound=Callable[..., Any])

_SHORT_FORMS = {
    "json": "Write the JSON report ('-': stdout).",
    "html": "Write a page for a browser, with the flame graph.",
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
    model: Literal["default", "paper1"] = "default"
    power_model: Path | None = None
    evidence: Literal["rails", "model"] = "rails"
    views: ViewRequest | None = None
    history: Path | None = None
    """A history file to which the session is added."""
    default_formats: tuple[str, ...] = ("json",)
    """Formats that are written to a new recording unless the user names a file."""

    @property
    def paths(self) -> list[Path]:
        """The paths of the report files."""
        return [file.path for file in self.files]


class Finite(click.FloatRange):
    """A finite number within bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class Percent(Finite):
    """A number of percent: `3` or `3%`."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = value.removesuffix("%").rstrip() if isinstance(value, str) else value
        return super().convert(value if isinstance(number, str) and "%" in number else number, param, ctx)


def choice(name: str, *words: str, help: str, shown: bool = True, **attributes: Any) -> Callable[[F], F]:
    """Add an option whose value is one of some words, the first one by default. `shown`: help ends with the default."""
    return option(name, type=click.Choice(words), default=words[0], show_default=shown, help=help, **attributes)


user_option = option(
    "--user", "user", type=click.IntRange(min=0), metavar="N", help="Another user, such as a work profile. [in front]"
)
device_option = option("--device", type=TEXT, default=VIRTUAL, metavar="SERIAL", help="A device of `navitas devices`. [virtual]")
phone_option = option(
    "--phone", type=NAME_OR_FILE, default="default", show_default=True, metavar="NAME", help="The model of the virtual phone."
)


def probe_options(function: F) -> F:
    """Add the options that select the classes and methods that get probes."""
    return section(
        "Probes",
        option("--include", multiple=True, type=TEXT, metavar="PATTERN", help="Only to classes like a.b.**; repeatable."),
        option("--exclude", multiple=True, type=TEXT, metavar="PATTERN", help="No probes in a.b.** or a.b.C#m; repeatable."),
        option("--hook-libraries", is_flag=True, help="Hook all libraries' calls of APIs, too."),
        option("--skip-trivial", is_flag=True, help="No probes in getters, setters and the like."),
    )(function)


def measuring_options(function: F) -> F:
    """Add the options for measuring and for the phone's settings. The command must call `profile_options`."""
    return section(
        "What to measure",
        option("--power-profile", type=NAME_OR_FILE, metavar="NAME|FILE", help="A power_profile.xml. [that of the device]"),
        option(
            "--voltage",
            "voltage_v",
            type=Finite(min=0, max=1000, min_open=True),
            metavar="V",
            help="Supply voltage. [the battery's]",
        ),
        choice("--transport", "files", "logcat", shown=False, help="How the app delivers events. [files]"),
        choice("--mode", "events", "folded", "tick", help="Record calls, sums of calls, or sums with sampled times."),
        choice(
            "--record", "none", "sampling", "hooks", "both", shown=False, help="Record uses of files, network, devices. [none]"
        ),
        option(
            "--sample-interval",
            "sample_interval_ms",
            type=click.IntRange(5, 3000),
            metavar="MS",
            help="Time between readings of counters. [CPU: 20, traffic: 100–200]",
        ),
        choice("--trace", "auto", "perfetto", "atrace", "none", help="The tracer of the phone's scheduler."),
        option("--prepare/--no-prepare", default=None, help="Set up and restore the phone. [on real ones]"),
        choice("--radios", "keep", "off", help="off: disable Wi-Fi, mobile data, Bluetooth."),
        option("--force", is_flag=True, from_project=False, help="Also measure a hot or nearly empty phone."),
    )(function)


def report_options(function: F) -> F:
    """Add the options of reports. The command must call `pop_report_options`."""
    return section(
        "Report",
        option(
            "--format", "formats", cls=FormatOption, type=FormatType(), multiple=True, metavar="NAME[=FILE]", from_project=False
        ),
        *(option(f"--{name}", type=WRITE_ANY_NAME, metavar="FILE", help=text) for name, text in _SHORT_FORMS.items()),
        option("--tree", type=TEXT, metavar="THREAD", help="Show a thread's call tree (name or serial)."),
        option("--top", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="Rows in the tables."),
        choice(
            "--model", "default", "paper1", renamed={"--method": "--model"}, help="paper1: also the Navitas paper's formula (1)."
        ),
        option("--power-model", type=READ_FILE_ANY_NAME, metavar="FILE", help="Fitted figures for what the power profile lacks."),
        choice("--evidence", "rails", "model", shown=False, help="model: without what power rails measured. [rails]"),
    )(function)


def pop_report_options(values: dict[str, Any]) -> ReportOptions:
    """Remove the options of reports from a command's keyword arguments.

    Raises the errors of `report_files`, and `PowerProfileError` for an invalid model file.
    """
    if values["power_model"] is not None:
        read_fitted_model(values["power_model"])
    short = [(name, values.pop(name)) for name in _SHORT_FORMS]
    files = [ReportFile(name, path, f"--{name}") for name, path in short if path is not None]
    files += report_files(values.pop("formats"), values.pop("outputs", ()))
    chosen = {name: values.pop(name) for name in ("tree", "top", "model", "power_model", "evidence")}
    return ReportOptions(tuple(files), **chosen)

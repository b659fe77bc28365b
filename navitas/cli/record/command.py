"""`navitas record`: profiles an app while a person, a command, a script or the monkey uses it."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Any

import click

from navitas.android.ids import PACKAGE_NAME
from navitas.base.errors import UsageError
from navitas.capture.build.gradle import BuildOptions, find_gradle
from navitas.capture.bundle.reader import Bundle, open_bundle
from navitas.capture.collect.apps.map_cache import KnownMap
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs.app_use import Use, wait_for_user
from navitas.capture.collect.runs.input_script import read_input_script
from navitas.capture.collect.runs.java_use import java_use
from navitas.capture.device.base import VIRTUAL
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.option import gathered, given_options, option, section
from navitas.cli.habits.paths import FOLDER, PROGRAM, READ_FILE, TEXT, with_name
from navitas.cli.habits.shared_options import (
    Finite,
    ReportOptions,
    check_probe_options,
    device_option,
    measuring_options,
    phone_option,
    probe_options,
    report_options,
    user_option,
)
from navitas.cli.profile.profiling import report_measured
from navitas.cli.report.maps import map_ids, read_map
from navitas.cli.workflows.measurement import RunOptions
from navitas.cli.workflows.record import record_jvm, record_project, record_use

_BUILD = ("module", "variant", "include", "exclude", "hook_libraries", "skip_trivial")
_OF_APPS = (*_BUILD, "bundle", "map_file", "events", "script", "mode", "record", "user")
_MOST_EVENTS = 1_000_000
_MONKEY_SEED = 1
_MONKEY_MS = 100


class _RecordCommand(NavitasCommand):
    """Reports a missing app, for which the first word of a COMMAND would be taken."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        rest = super().parse_args(ctx, args)
        if "--" in given and not ctx.resilient_parsing:
            before, *_ = self.make_parser(ctx).parse_args(args=given[: given.index("--")])
            if not isinstance(before.get("app"), str) and not before.get("java"):
                raise UsageError("the app is missing before --", "give its package or project: navitas record APP -- COMMAND")
        return rest


@click.command("record", cls=_RecordCommand, example="navitas record . --device SERIAL --monkey 500")
@click.argument("app", metavar="PACKAGE|PROJECT|PID", type=TEXT)
@click.argument("words", metavar="[-- COMMAND…]", nargs=-1, type=TEXT)
@section(
    "How it is used",
    option("--monkey", "events", type=click.IntRange(1, _MOST_EVENTS), metavar="N", help="N random events, always the same."),
    option("--script", type=READ_FILE, from_project=False, metavar="FILE", help="Taps, swipes, keys and texts of a file."),
    option("--java", is_flag=True, from_project=False, help="Record the JVM PID of this computer, or: --java -- java …"),
    option("--duration", "duration_s", type=Finite(min=0.1), metavar="S", help="End after this time. [Enter or Ctrl-C]"),
)
@section("Device", device_option, user_option, phone_option)
@section(
    "Build",
    option("--module", type=TEXT, metavar="PATH", help="Gradle path of a module. [the only app]"),
    option("--variant", type=TEXT, metavar="NAME", help="Android variant, such as demoDebug. [the only one]"),
    option("--gradle", type=PROGRAM, metavar="PATH", help="Gradle to use. [gradlew, else PATH]"),
    option("--bundle", type=READ_FILE, from_project=False, metavar="FILE", help="Install the app of this bundle first."),
    option("--map", "map_file", type=READ_FILE, from_project=False, metavar="FILE", help="The app's map.json, or its bundle."),
)
@section(
    "Output",
    option("-o", "--output", type=FOLDER, metavar="DIR", help="The recording's folder."),
    option("--replace", is_flag=True, from_project=False, help="Replace the recording in the output folder."),
)
@report_options
@probe_options
@measuring_options
@gathered("build", BuildOptions)
@gathered("run", RunOptions)
@gathered("options", ProfileOptions)
@click.pass_context
def command(
    ctx: click.Context, /, *, build: BuildOptions, run: RunOptions, options: ProfileOptions, report: ReportOptions, **values: Any
) -> int:
    """Profile an app while you use it, or while a COMMAND on the device uses it: an installed PACKAGE, or a Gradle PROJECT's app.

    Navitas restarts the app. It stops the app when COMMAND ends, when you press Enter or Ctrl-C, or after --duration.
    """
    app, path, map_file = values["app"], values["bundle"], values["map_file"]
    if values["java"]:
        return _record_java(ctx, build.gradle, run, options, report)
    check_probe_options(ctx, options.mode)
    use_by = _Usage(values["words"], values["events"], values["script"], values["duration_s"])
    if "/" in app or (app and Path(app).is_dir()):
        project = with_name(Path(app))
        if path or map_file:
            raise UsageError(f"{project} is a project, which Navitas builds: it has no --bundle and no --map", "leave them out")

        def use_of(bundle: Bundle) -> Use:
            return use_by.use(bundle.manifest.package, bundle, None)

        return report_measured(
            lambda caller: record_project(project, build, use_of, options, run=run, caller=caller), report, run.output
        )
    if not PACKAGE_NAME.fullmatch(app):
        raise UsageError(f"{app!r} is neither a package nor a Gradle project", "to list packages: adb shell pm list packages")
    if given := given_options(ctx, _BUILD):
        raise UsageError(f"{given[0]} is for the build of a PROJECT, but {app} is a package", "give the folder of its project")
    bundle = open_bundle(path) if path else None
    if bundle and map_file:
        raise UsageError("--bundle and --map exclude each other, since a bundle contains its map", "leave out --map")
    if bundle is None and run.device == VIRTUAL:
        raise UsageError("a virtual phone starts without apps", "give the app's --bundle, or a phone with --device")
    if bundle and bundle.manifest.package != app:
        raise UsageError(f"{path} contains {bundle.manifest.package}, not {app}", f"navitas record {bundle.manifest.package} …")
    _check_gradle(build.gradle)
    if map_file and options.mode == "sample":
        raise UsageError("--map names methods with probes, and --mode sample has none", "leave it out")
    known: KnownMap | None = read_map(map_file, app) if map_file else None
    use = use_by.use(app, bundle, known)
    return report_measured(
        lambda caller: record_use(use, options, run=run, caller=caller, gradle=build.gradle), report, run.output
    )


def _check_gradle(gradle: str | None) -> None:
    """Report a wrong path before the measurement."""
    if gradle is not None:
        find_gradle(Path(), gradle)


def _record_java(ctx: click.Context, gradle: str | None, run: RunOptions, options: ProfileOptions, report: ReportOptions) -> int:
    if given := given_options(ctx, _OF_APPS):
        raise UsageError(f"{given[0]} is for apps, and --java records a JVM of this computer", "leave it out")
    _check_gradle(gradle)
    use = java_use((ctx.params["app"], *ctx.params["words"]), ctx.params["duration_s"])
    return report_measured(lambda caller: record_jvm(use, options, run=run, caller=caller, gradle=gradle), report, run.output)


class _Usage:
    """Who uses the app: a person, a command on the device, a script or the monkey."""

    def __init__(self, words: tuple[str, ...], events: int | None, script: Path | None, duration_s: float | None) -> None:
        """Raises `UsageError` for more than one of them, and for a damaged script."""
        given = [name for name, one in (("COMMAND", words), ("--monkey", events), ("--script", script)) if one]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} both use the app", "give one of them")
        if given and duration_s is not None:
            raise UsageError(f"--duration is for a use by hand; {given[0]} ends by itself", "leave one out")
        self._duration_s = duration_s
        self._script = script
        self._line = read_input_script(script) if script else words[0] if len(words) == 1 else shlex.join(words)
        self._events = events

    def use(self, package: str, bundle: Bundle | None, known: KnownMap | None) -> Use:
        """Return the use of an app."""
        line = self._line
        if self._events:
            # Without system keys, which leave the app or change the volume.
            shared = f"-s {_MONKEY_SEED} --throttle {_MONKEY_MS} --pct-syskeys 0"
            line = f"monkey -p {shlex.quote(package)} {shared} {self._events}"
        is_monkey = self._events is not None
        return Use(
            package,
            line,
            partial(wait_for_user, self._duration_s),
            map_ids,
            bundle,
            known,
            self._duration_s,
            self._script,
            is_monkey,
        )

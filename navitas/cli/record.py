"""`navitas record`: profiles an installed app while a person or a command uses it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from navitas.build.gradle import find_gradle
from navitas.bundle.reader import open_bundle
from navitas.cli.commands import NavitasCommand
from navitas.cli.destinations import check_not_recorded
from navitas.cli.map_ids import map_ids
from navitas.cli.maps import read_map
from navitas.cli.option import option
from navitas.cli.options import (
    VIRTUAL,
    Finite,
    device_option,
    measuring_options,
    phone_option,
    pop_radios_off,
    pop_report_options,
    report_options,
    user_option,
)
from navitas.cli.paths import FOLDER, PROGRAM, READ_FILE, TEXT
from navitas.cli.profiling import RunOptions, record_use
from navitas.cli.waiting import wait_for_user
from navitas.collect.app_use import Use
from navitas.collect.doctor import PACKAGE
from navitas.collect.options import ProfileOptions
from navitas.errors import UsageError


@click.command("record", cls=NavitasCommand, example="navitas record org.example.app --device SERIAL --duration 60")
@click.argument("package", type=TEXT)
@click.argument("words", metavar="[-- COMMAND…]", nargs=-1, type=TEXT)
@device_option
@user_option
@phone_option
@option("--bundle", type=READ_FILE, from_project=False, metavar="FILE", help="Install the app of this bundle first.")
@option("--map", "map_file", type=READ_FILE, from_project=False, metavar="FILE", help="The app's map.json, or its bundle.")
@option("--gradle", type=PROGRAM, metavar="PATH", help="Gradle, to fetch Android's framework. [project's gradlew, else PATH]")
@option("--duration", "duration_s", type=Finite(min=0.1), metavar="S", help="End after this time. [Enter or Ctrl-C]")
@option("-o", "--output", type=FOLDER, metavar="DIR", help="The recording's folder.")
@option("--replace", is_flag=True, from_project=False, help="Replace the recording in the output folder.")
@measuring_options
@report_options
def command(**values: Any) -> int:
    """Profile an installed, instrumented app while you use it, or while a COMMAND on the device uses it.

    Navitas restarts the app. It stops the app when COMMAND ends, when you press Enter or Ctrl-C, or after --duration.
    """
    report = pop_report_options(values)
    run = RunOptions(values.pop("phone"), values.pop("output"), values.pop("device"), values.pop("user"))
    check_not_recorded(run.output, replace=values.pop("replace"))
    path, map_file, duration_s = values.pop("bundle"), values.pop("map_file"), values.pop("duration_s")
    package, words, gradle = values.pop("package"), values.pop("words"), values.pop("gradle")
    if not PACKAGE.fullmatch(package):
        raise UsageError(f"{package!r} is not a package name", "to list packages: adb shell pm list packages")
    bundle = open_bundle(path) if path else None
    if bundle and map_file:
        raise UsageError("--bundle and --map exclude each other, since a bundle contains its map", "leave out --map")
    if bundle is None and run.device == VIRTUAL:
        raise UsageError("a virtual phone starts without apps", "give the app's --bundle, or a phone with --device")
    if bundle and bundle.manifest.package != package:
        raise UsageError(
            f"{path} contains {bundle.manifest.package}, not {package}", f"navitas record {bundle.manifest.package} …"
        )
    if gradle is not None:
        find_gradle(Path(), gradle)  # Reports a wrong path before the measurement.
    options = ProfileOptions(radios_off=pop_radios_off(values), **values)
    line = words[0] if len(words) == 1 else shlex.join(words)
    known = read_map(map_file, package) if map_file else None
    use = Use(package, line, lambda: wait_for_user(duration_s), map_ids, bundle, known, duration_s)
    return record_use(use, options, report, run, gradle)

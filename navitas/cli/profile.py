"""`navitas profile`: a Gradle project's tests, profiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from navitas.cli.options import report_options, take_report_options
from navitas.cli.profiling import BuildOptions, profile_project
from navitas.collect.options import ProfileOptions
from navitas.device.adb import select_device
from navitas.errors import UsageError
from navitas.recording.store import MANIFEST_NAME


@click.command("profile")
@click.argument("project", type=click.Path(path_type=Path), default=Path())
@click.option("--tests", multiple=True, metavar="PATTERN", help="CLASS[#METHOD] with * and ?; may be given several times. [all]")
@click.option(
    "--repeat", type=click.IntRange(1, 65535), default=1, show_default=True, help="Run the tests so often, each in a new process."
)
@click.option("--module", metavar="PATH", help="Gradle path of the module to profile. [all that have tests]")
@click.option(
    "--device", default="virtual", show_default=True, metavar="SERIAL", help="'virtual', or a device of `navitas devices`."
)
@click.option("--test-task", metavar="NAME", help="Gradle's task whose tests are meant, such as integrationTest. [test]")
@click.option(
    "--phone", default="default", show_default=True, metavar="NAME", help="The phone that the virtual phone is modelled on."
)
@click.option("--gradle", metavar="PATH", help="Gradle to use. [the project's gradlew, else PATH]")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="The recording's folder. [navitas-recordings/…]"
)
@click.option("--no-tests", "instrument_tests", flag_value=False, default=True, help="No probes in test classes.")
@click.option(
    "--include", multiple=True, metavar="PATTERN", help="Only classes like a.b.** get probes; may be given several times."
)
@click.option(
    "--exclude", multiple=True, metavar="PATTERN", help="Classes like a.b.** get no probes; may be given several times."
)
@click.option("--skip-trivial", is_flag=True, help="No probes in getters, setters and the like.")
@click.option("--power-profile", metavar="NAME|FILE", help="A power_profile.xml. [that of the device]")
@click.option(
    "--voltage",
    "voltage_v",
    type=click.FloatRange(min=0, max=1000, min_open=True),
    metavar="V",
    help="Supply voltage. [the battery's]",
)
@click.option(
    "--transport", type=click.Choice(["files", "logcat"]), default="files", show_default=True, help="How events leave the app."
)
@click.option(
    "--mode", type=click.Choice(["events", "folded"]), default="events", show_default=True, help="folded: sums instead of events."
)
@click.option(
    "--sample-interval", "sample_interval_ms", type=click.IntRange(5, 3000), default=20, show_default=True, metavar="MS"
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=1),
    default=3600.0,
    show_default=True,
    metavar="S",
    help="Give up after silence.",
)
@report_options
def command(**values: Any) -> int:
    """Profile the JUnit tests of a Gradle project: joules per test, per thread and per method.

    The project's own files are not changed. Plain `java` projects run on the virtual phone.
    """
    report = take_report_options(values)
    building = ("gradle", "module", "instrument_tests", "include", "exclude", "skip_trivial", "test_task")
    build = BuildOptions(**{name: values.pop(name) for name in building})
    project, phone, output = values.pop("project"), values.pop("phone"), values.pop("output")
    refuse_real_phone(values.pop("device"))
    if output is not None and (output / MANIFEST_NAME).exists():
        raise UsageError(f"{output} holds a recording already", "name another folder with -o, or remove that one first")
    return profile_project(project, build, ProfileOptions(**values), report, phone=phone, output=output)


def refuse_real_phone(serial: str) -> None:
    """Plain Java bytecode is not an Android app: only the virtual phone can run it.

    Raises `UsageError` for a real phone, `DeviceError` for a serial that is not there.
    """
    if serial == "virtual":
        return
    device = select_device(serial)
    raise UsageError(
        f"{device.info.serial} ({device.info.model}) cannot run a plain `java` project: its bytecode is not an Android app",
        "profile it on the virtual phone: leave --device out, or give --device virtual",
    )

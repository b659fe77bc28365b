"""`navitas profile`: a Gradle project's tests, profiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from navitas.cli.options import Finite, probe_options, report_options, take_report_options
from navitas.cli.profiling import BuildOptions, RunOptions, profile_bundles, profile_project
from navitas.cli.standard_input import interrupt_at_end
from navitas.collect.options import ProfileOptions
from navitas.errors import UsageError
from navitas.recording.writer import MANIFEST_NAME


@click.command("profile")
@click.argument("project", type=click.Path(path_type=Path), required=False)
@click.option("--tests", multiple=True, metavar="PATTERN", help="CLASS[#METHOD] with * and ?; may be given several times. [all]")
@click.option(
    "--repeat", type=click.IntRange(1, 65535), default=1, show_default=True, help="Run the tests so often, each in a new process."
)
@click.option("--module", metavar="PATH", help="Gradle path of the module to profile. [all that have tests]")
@click.option("--variant", metavar="NAME", help="The Android variant to profile, such as demoDebug. [the only one with tests]")
@click.option(
    "--device", default="virtual", show_default=True, metavar="SERIAL", help="'virtual', or a device of `navitas devices`."
)
@click.option("--isolate", is_flag=True, help="Run each test in a process of its own.")
@click.option("--test-task", metavar="NAME", help="Gradle's task whose tests are meant, such as integrationTest. [test]")
@click.option(
    "--phone", default="default", show_default=True, metavar="NAME", help="The phone that the virtual phone is modelled on."
)
@click.option(
    "--bundle",
    "bundles",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A bundle that Gradle's navitasBundle made, instead of a PROJECT; may be given several times.",
)
@click.option("--gradle", metavar="PATH", help="Gradle to use. [the project's gradlew, else PATH]")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="The recording's folder. [navitas-recordings/…]"
)
@click.option("--replace", is_flag=True, help="Replace the recording that the output folder holds.")
@click.option("--no-tests", "instrument_tests", flag_value=False, default=True, help="No probes in test classes.")
@probe_options
@click.option("--power-profile", metavar="NAME|FILE", help="A power_profile.xml. [that of the device]")
@click.option(
    "--voltage",
    "voltage_v",
    type=Finite(min=0, max=1000, min_open=True),
    metavar="V",
    help="Supply voltage. [the battery's]",
)
@click.option(
    "--transport", type=click.Choice(["files", "logcat"]), default="files", show_default=True, help="How events leave the app."
)
@click.option(
    "--mode",
    type=click.Choice(["events", "folded", "tick"]),
    default="events",
    show_default=True,
    help="folded: sums instead of events; tick: besides, times are sampled.",
)
@click.option(
    "--sample-interval", "sample_interval_ms", type=click.IntRange(5, 3000), default=20, show_default=True, metavar="MS"
)
@click.option(
    "--timeout",
    "timeout_s",
    type=Finite(min=1),
    default=3600.0,
    show_default=True,
    metavar="S",
    help="Give up after silence.",
)
@click.option(
    "--prepare/--no-prepare",
    default=None,
    help="Set brightness, animations, doze … for the measurement and give them back. [on real phones]",
)
@click.option(
    "--radios",
    type=click.Choice(["keep", "off"]),
    default="keep",
    show_default=True,
    help="off: Wi-Fi, mobile data and Bluetooth are off meanwhile.",
)
@click.option("--force", is_flag=True, help="Measure a phone also when it is hot or nearly empty.")
@click.option(
    "--end-with-stdin", is_flag=True, help="Stop as on Ctrl-C when standard input ends, for programs that start this one."
)
@report_options
def command(**values: Any) -> int:
    """Profile the JUnit tests of a Gradle project: joules per test, per thread and per method.

    The project's own files are not changed. Android projects run on a phone or the virtual phone, plain `java` projects on the
    virtual phone.
    """
    report = take_report_options(values)
    building = ("gradle", "module", "variant", "instrument_tests", "include", "exclude", "skip_trivial", "test_task")
    build = BuildOptions(**{name: values.pop(name) for name in building})
    project, bundles, replace = values.pop("project"), values.pop("bundles"), values.pop("replace")
    run = RunOptions(values.pop("phone"), values.pop("output"), values.pop("device"))
    if run.output is not None and not replace and (run.output / MANIFEST_NAME).exists():
        raise UsageError(f"{run.output} holds a recording already", "name another folder with -o, or add --replace")
    if values.pop("end_with_stdin"):
        interrupt_at_end()
    radios_off = values.pop("radios") == "off"
    if radios_off and values["prepare"] is False:
        raise UsageError("--radios off changes the phone, --no-prepare leaves it alone", "leave one of them out")
    options = ProfileOptions(radios_off=radios_off, **values)
    if not bundles:
        return profile_project(project or Path(), build, options, report, run)
    if project is not None or build != BuildOptions():
        raise UsageError(
            "a bundle is built already: it comes without PROJECT and without options of a build", "set these in its build"
        )
    return profile_bundles(bundles, options, report, run)

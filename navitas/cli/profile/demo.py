"""`navitas demo`: the sample project on the virtual phone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from navitas.base.owned_folder import owned_folder
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.build.sample import DEMO_TESTS, copy_sample
from navitas.capture.collect.options import ProfileOptions
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import FOLDER
from navitas.cli.habits.shared_options import ReportOptions, gradle_option, report_options
from navitas.cli.profile.profiling import report_measured
from navitas.cli.workflows.measurement import RECORDINGS, RunOptions
from navitas.cli.workflows.profile import profile


@click.command("demo", cls=NavitasCommand, example="navitas demo --speedscope demo.speedscope.json")
@option("-o", "--output", type=FOLDER, default=RECORDINGS / "demo", metavar="DIR", help="The recording's folder.")
@gradle_option
@report_options
def command(output: Path, gradle: str | None, report: ReportOptions) -> int:
    """Profile the sample project on the virtual phone.

    You need no phone and no project. The recording's folder also contains report.json and report.html.
    """
    report = replace(report, default_formats=("json", "html"))
    with owned_folder("navitas-demo-") as folder:
        sample = copy_sample(folder / "sample")
        options, build, run = (
            ProfileOptions(tests=(DEMO_TESTS,)),
            BuildOptions(gradle=gradle),
            RunOptions(output=output, replace=True),
        )
        return report_measured(lambda caller: profile(sample, options, build=build, run=run, caller=caller), report, output)

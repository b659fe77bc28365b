"""`navitas demo`: the sample project on the virtual phone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from navitas.build.sample import DEMO_TESTS, copy_sample
from navitas.cli.commands import NavitasCommand
from navitas.cli.option import option
from navitas.cli.options import pop_report_options, report_options
from navitas.cli.paths import FOLDER, PROGRAM
from navitas.cli.profiling import report_measured
from navitas.owned_folder import owned_folder
from navitas.workflows.measurement import RECORDINGS
from navitas.workflows.profile import BuildOptions, ProfileOptions, RunOptions, profile


@click.command("demo", cls=NavitasCommand, example="navitas demo --speedscope demo.speedscope.json")
@option(
    "-o", "--output", type=FOLDER, default=RECORDINGS / "demo", show_default=True, metavar="DIR", help="The recording's folder."
)
@option("--gradle", type=PROGRAM, metavar="PATH", help="Gradle to use. [PATH]")
@report_options
def command(output: Path, gradle: str | None, **values: object) -> int:
    """Profile the sample project on the virtual phone.

    You need no phone and no project. The recording's folder also contains report.json and report.html.
    """
    report = replace(pop_report_options(values), default_formats=("json", "html"))
    with owned_folder("navitas-demo-") as folder:
        sample = copy_sample(folder / "sample")
        options, build, run = (
            ProfileOptions(tests=(DEMO_TESTS,)),
            BuildOptions(gradle=gradle),
            RunOptions(output=output, replace=True),
        )
        return report_measured(lambda caller: profile(sample, options, build=build, run=run, caller=caller), report, output)

"""`navitas report`: writes the report of a recording again, offline."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from navitas.base.errors import UsageError
from navitas.cli.habits.files import STDOUT
from navitas.cli.habits.option import gathered, option, section
from navitas.cli.habits.paths import READ_ANY_NAME, READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import BEFORE_HELP, Finite, ReportOptions, report_options
from navitas.cli.report.formats import FormatsCommand
from navitas.cli.report.reporting import load_common_tests, load_profile, print_report, write_files
from navitas.energy.analyze.profile import Profile
from navitas.report.page_request import EarlierRecording, PageRequest
from navitas.report.registry import find_format
from navitas.report.source_code import SourceCode
from navitas.report.view_request import VIEWS, ViewRequest

if TYPE_CHECKING:
    from navitas.insight.operations.rankings import RankedOperation

_DEPTH = 8
_NEEDS = {"resolution": ("timeline",), "depth": ("tree",), "thread": ("timeline", "tree"), "component": VIEWS}
"""The views that each option is about."""


def _views(
    *, view: tuple[str, ...], component: str | None, resolution: float | None, depth: int | None, thread: str | None
) -> ViewRequest | None:
    """None without views. Raises `UsageError` for an option whose view is not requested."""
    given = {"resolution": resolution, "depth": depth, "thread": thread, "component": component}
    for name, views in _NEEDS.items():
        if given[name] is not None and not set(views) & set(view):
            raise UsageError(f"--{name} is about a view that is not requested", f"add --view {' or --view '.join(views)}")
    if not view:
        return None
    step_ns = None if resolution is None else max(round(resolution * 1e6), 1)
    return ViewRequest(tuple(dict.fromkeys(view)), component=component, step_ns=step_ns, depth=depth or _DEPTH, thread=thread)


_view_options = gathered(
    "views",
    _views,
    section(
        "Views",
        option("--view", "view", type=click.Choice(VIEWS), multiple=True, help="Show this view instead; repeatable."),
        option("--component", type=TEXT, metavar="NAME", help="Show this component only, such as wifi."),
        option(
            "--resolution",
            type=Finite(min=0.001, max=1e9),
            metavar="MS",
            help="Length of a step of the timeline. [at most 40 steps]",
        ),
        option("--depth", type=click.IntRange(1, 500), metavar="N", help=f"Levels of the tree. [{_DEPTH}]"),
        option("--thread", type=TEXT, metavar="NAME", help="Show the threads of this name only."),
    ),
)


@dataclass(frozen=True, slots=True)
class _PageFolders:
    """The options of the page."""

    before: Path | None = None
    sources: Path | None = None
    census: Path | None = None
    model_file: Path | None = None

    def check(self, options: ReportOptions) -> None:
        """Raise `UsageError` for an option without a page, and for a model without a census."""
        if self.model_file is not None and self.census is None:
            raise UsageError("--operations-model has the costs of operations, which only a census counts", "add --census FILE")
        names = {"--with-source": self.sources, "--census": self.census}
        given = [name for name, path in names.items() if path is not None]
        has_page = any(file.format == "html" for file in options.files)
        if given and not has_page:
            raise UsageError(f"{given[0]} is about the page, which is not requested", "add --html FILE")
        has_change = any({"before", "page"} & set(find_format(file.format).options) for file in options.files)
        if self.before is not None and not has_change and (options.views is not None or STDOUT in options.paths):
            raise UsageError(
                "--before is about verdicts, and no report that has one is requested",
                "add --html, --json or --format markdown=FILE, or leave out --view and the file '-'",
            )

    def request(self, options: ReportOptions, profile: Profile, recording: Path) -> PageRequest:
        """Find the sources, count the operations, and read the tests of the earlier recording that the profile has, too."""
        before = None
        if self.before is not None:
            earlier = load_common_tests(self.before, options.analysis, profile, recording)
            before = EarlierRecording(str(self.before), earlier)
        sources = None if self.sources is None else SourceCode(self.sources)
        return PageRequest(before, sources, self._operations(profile, recording))

    def _operations(self, profile: Profile, recording: Path) -> tuple[RankedOperation, ...]:
        if self.census is None:
            return ()
        from navitas.cli.operations.input import read_builds, read_costs  # noqa: PLC0415  # Other reports count no operations.
        from navitas.insight.operations.rankings import ranking  # noqa: PLC0415
        from navitas.insight.operations.regress.model_file import read_model  # noqa: PLC0415

        model = None if self.model_file is None else read_model(self.model_file)
        (counted,) = read_builds([(recording, self.census)], profile.about.selected)
        costs = {} if model is None or self.model_file is None else read_costs(model, self.model_file, counted)
        return ranking(counted.program, counted.executions, costs)


_page_options = gathered(
    "page",
    _PageFolders,
    section(
        "Page",
        option("--before", type=READ_ANY_NAME, metavar="RECORDING", help=BEFORE_HELP),
        option(
            "--with-source",
            "sources",
            type=READ_ANY_NAME,
            metavar="DIR",
            help="Source code of the app: the page shows the methods' lines.",
        ),
        option("--census", type=READ_FILE_ANY_NAME, metavar="FILE", help="File of operations census."),
        option("--operations-model", "model_file", type=READ_FILE_ANY_NAME, metavar="FILE", help="File of operations fit."),
    ),
)


@click.command(
    "report",
    cls=FormatsCommand,
    example="navitas report navitas-recordings/demo --json - | jq .totals\n"
    "navitas report navitas-recordings/demo --view timeline --component cpu",
)
@click.argument("recording", type=READ_ANY_NAME, required=False)
@option("--schema", "print_schema", is_flag=True, from_project=False, help="Print the JSON Schema of the JSON report and exit.")
@option(
    "--map", "map_file", type=READ_FILE_ANY_NAME, from_project=False, metavar="FILE", help="The app's map.json, or its bundle."
)
@option(
    "-o",
    "--output",
    "outputs",
    type=WRITE_ANY_NAME,
    multiple=True,
    metavar="FILE",
    help="The report's file ('-': stdout). Without --format, its extension selects the format.",
)
@option(
    "--tests",
    multiple=True,
    type=TEXT,
    from_project=False,
    metavar="PATTERN",
    help="CLASS[#METHOD] with * and ?; repeatable. [all]",
)
@_view_options
@_page_options
@report_options
def command(
    *,
    recording: Path | None,
    print_schema: bool,
    map_file: Path | None,
    tests: tuple[str, ...],
    views: ViewRequest | None,
    page: _PageFolders,
    report: ReportOptions,
) -> None:
    """Write the report of a RECORDING again, without phone, Gradle or Java."""
    if views is not None and report.tree is not None:
        raise UsageError(
            "--tree is part of the usual report, which --view replaces", "leave one out, or use --view tree --thread"
        )
    options = replace(report, views=views, default_formats=())
    if print_schema:
        from navitas.report.json_report import schema  # noqa: PLC0415

        click.echo(json.dumps(schema(), indent=2))
        return
    if recording is None:
        raise UsageError("RECORDING is missing", "give the recording's folder: navitas report navitas-recordings/demo")
    options.check(recording)
    page.check(options)
    if map_file is not None:
        from navitas.cli.report.maps import read_map  # noqa: PLC0415
        from navitas.recording.late_maps import add_map  # noqa: PLC0415

        known = read_map(map_file, recording.name)
        add_map(recording, known.map_id, known.module, known.data, known.includes)
    with ConsoleProgress(only_live=True) as progress:
        profile = load_profile(recording, options.file_analysis, tree=options.tree, tests=tests, stage=progress.stage)
        if views is not None:
            views.check(profile)
        if page.before is not None:
            progress.stage("reading the recording before")
        options = replace(options, page=page.request(options, profile, recording))
        progress.stage("writing the report")
        write_files(profile, options)
    print_report(profile, options, recording)

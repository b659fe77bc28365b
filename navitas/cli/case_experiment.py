"""Build a program, plan its execution cases, and run them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from navitas.build.bridge import InstrumenterBridge, InstrumentOptions
from navitas.build.gradle import BuildOptions, build_bundles
from navitas.build.instrument import check_classes
from navitas.bundle.manifest import Probes
from navitas.bundle.reader import Bundle
from navitas.census.document import parse_census, read_census
from navitas.cli.case_runs import Build, CaseRunner
from navitas.collect.progress import Progress
from navitas.device.base import Device
from navitas.errors import UsageError
from navitas.folder_lock import FolderLock
from navitas.new_files import write_new
from navitas.operations.case_file import CaseFile
from navitas.operations.case_plan import BlockEdit, CasePlan, read_plan
from navitas.operations.case_table import CENSUS, PLAN
from navitas.owned_folder import owned_folder


def run_experiment(
    file: CaseFile, project: Path, output: Path, device: Device, progress: Progress, *, gradle: str | None = None
) -> CasePlan:
    """Run the cases of a file that `output` lacks. Returns the plan, with the block edits that the program survives.

    Raises `UsageError` if another experiment runs in `output`, or if it has cases of another program or file.
    """
    output.mkdir(parents=True, exist_ok=True)
    lock = FolderLock(output / ".lock")
    if not lock.acquire():
        raise UsageError(f"another experiment is running in {output}", "Wait for it, or name another folder with -o.")
    with owned_folder("navitas-cases-") as work:
        try:
            progress.stage("building")
            build = _builder(file, project, gradle, work, progress)
            unedited = build("blocks", (), work / "unedited.zip")
            census = _census(file, project)
            runner = CaseRunner(file, parse_census(census, CENSUS), output, work, device, unedited, build, progress)
            return runner.run(_plan(output, runner, census))
        finally:
            lock.release()


def _plan(output: Path, runner: CaseRunner, census: str) -> CasePlan:
    """The plan of an earlier run of this experiment, or a new one. Raises `UsageError` if the program or the file changed."""
    if (output / PLAN).exists():
        plan = read_plan(output / PLAN)
        known = read_census(output / CENSUS)
        if plan.file != runner.file or known != runner.census:
            raise UsageError(f"{output} has cases of another program or case file", "Name a new folder with -o.")
        return plan
    plan = runner.plan()
    write_new(output / CENSUS, census)
    write_new(output / PLAN, plan.model_dump_json(indent=1))
    return plan


def _census(file: CaseFile, project: Path) -> str:
    classes = [project / name for name in file.program.classes]
    sources = [each for name in file.program.sources if (each := project / name).is_dir()]
    check_classes(classes)
    with InstrumenterBridge() as bridge:
        return bridge.census(classes, sources, [], InstrumentOptions())


def _builder(file: CaseFile, project: Path, gradle: str | None, work: Path, progress: Progress) -> Build:
    def build(probes: Probes, edits: Sequence[BlockEdit], path: Path) -> Bundle:
        listed = work / "block-edits.txt"
        listed.write_text("".join(f"{edit.line}\n" for edit in edits))
        bundles = build_bundles(
            project,
            BuildOptions(
                gradle=gradle,
                module=file.program.module,
                variant=file.program.variant,
                instrument_tests=False,
                probes=probes,
                block_edits=listed if edits else None,
            ),
            on_line=progress.detail,
        )
        if len(bundles) != 1:
            names = ", ".join(bundle.manifest.module for bundle in bundles)
            raise UsageError(f"{project} has several modules with tests: {names}", "Name one in the case file: module = ':app'.")
        return bundles[0].copy_to(path)

    return build

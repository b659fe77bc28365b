"""Build a program, plan its execution cases, and run them on a device: counted, with energy measured, and idle, each apart."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path

from navitas.base.errors import BuildError, DeviceError, NavitasError, RecordingError, UsageError
from navitas.base.folder_lock import FolderLock
from navitas.base.new_files import write_new
from navitas.base.owned_folder import owned_folder
from navitas.base.untrusted_text import printable
from navitas.capture.build.bridge import InstrumenterBridge, InstrumentOptions
from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.build.instrument import check_classes
from navitas.capture.bundle.manifest import Probes
from navitas.capture.bundle.reader import Bundle, with_inputs
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.runs.special_runs import IdleReadings, read_idle
from navitas.capture.collect.session import profile
from navitas.capture.device.base import Device
from navitas.cli.habits.messages import note, warning
from navitas.insight.operations.case_plan import (
    JVM_ARGS,
    BlockEdit,
    CaseFile,
    CasePlan,
    ExecutionCase,
    editable_blocks,
    middle_inputs,
    plan_cases,
    plan_sets,
    read_plan,
)
from navitas.insight.operations.case_table import (
    CENSUS,
    COUNTED,
    EDITS,
    ENERGY,
    IDLE,
    PLAN,
    case_folder,
    read_case_counts,
    write_edits,
)
from navitas.insight.operations.census.document import Census, parse_census, read_census
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.store import open_recording

_LEAST_IDLE_S = 1.0
_MOST_FAILURES = 5
_LEAST_TRIAL_S, _TRIAL_FACTOR = 10.0, 3.0
"""A test with edits that hangs is given up after ten seconds, or three times what it takes without edits."""

Build = Callable[[Probes, Sequence[BlockEdit], Path], Bundle]
"""Builds the program with a kind of probes and block edits, and copies its bundle to a path."""


@dataclass(frozen=True, slots=True)
class CaseRunner:
    """Runs the cases of a file on a device, into a folder.

    `work` is a folder for bundles, and `unedited` the build with counters and without edits.
    """

    file: CaseFile
    census: Census
    folder: Path
    work: Path
    device: Device
    unedited: Bundle
    build: Build
    progress: Progress

    def plan(self) -> CasePlan:
        """Run the unchanged program once, and plan the cases by the blocks that ran."""
        file = self.file
        sets: list[list[BlockEdit]] = [[]]
        if file.blocks.sets:
            middle = ExecutionCase(number=0, edits=0, inputs=middle_inputs(file))
            self._record(self.unedited, middle, self.work / "base")
            program, test = read_case_counts(self.work / "base", self.census, {})
            sets = plan_sets(file, editable_blocks(program, test.by_method()))
        return CasePlan(file=file, sets=sets, cases=plan_cases(file, len(sets)))

    def run(self, plan: CasePlan) -> CasePlan:
        """Run all cases that have not run yet. Returns the plan with the block edits that the program survives.

        A set whose cases fail one after another is given up. Without edits, this ends the experiment.
        """
        for number in range(len(plan.sets)):
            cases = [case for case in plan.cases if case.edits == number and not is_done(self.folder, case)]
            if cases:
                plan = self._run_set(plan, number, cases)
        return plan

    def _run_set(self, plan: CasePlan, number: int, cases: list[ExecutionCase]) -> CasePlan:
        wanted = plan.sets[number]
        self.progress.stage(f"building set {number} of {len(plan.sets) - 1} ({len(wanted)} block edits)")
        edits = self._surviving(wanted, cases[0])
        if len(edits) < len(wanted):
            note(f"set {number}: {len(wanted) - len(edits)} of {len(wanted)} block edits are dropped, since the test needs them")
            plan = plan.model_copy(update={"sets": [edits if i == number else one for i, one in enumerate(plan.sets)]})
            write_new(self.folder / PLAN, plan.model_dump_json(indent=1))
        counted = self.build("blocks", edits, self.work / "counted.zip") if edits else self.unedited
        plain = self.build("none", edits, self.work / "plain.zip")
        failures = 0
        for case in cases:
            try:
                self._run_case(case, edits, counted, plain)
                failures = 0
            except (NavitasError, OSError) as error:
                failures += 1
                warning(printable(f"case {case.number} is left out: {error}", 1000))
                if failures >= _MOST_FAILURES and not edits:
                    raise
                if failures >= _MOST_FAILURES:
                    warning(f"set {number} is given up")
                    break
        return plan

    def _surviving(self, edits: list[BlockEdit], case: ExecutionCase) -> list[BlockEdit]:
        """Return the edits with which the test passes. Raises what the test without edits raises."""
        if not edits:
            return []
        started = time.monotonic()
        self._record(self.unedited, case, self.work / "trial")
        return self._passing(edits, case, max(_LEAST_TRIAL_S, _TRIAL_FACTOR * (time.monotonic() - started)))

    def _passing(self, edits: list[BlockEdit], case: ExecutionCase, limit_s: float) -> list[BlockEdit]:
        """Return the edits with which the test passes: all, or those of each half. If these fail together, the larger half."""
        if self._passes(edits, case, limit_s):
            return edits
        if len(edits) == 1:
            return []
        middle = len(edits) // 2
        halves = [self._passing(half, case, limit_s) for half in (edits[:middle], edits[middle:])]
        together = [edit for half in halves for edit in half]
        if not all(halves) or self._passes(together, case, limit_s):
            return together
        return max(halves, key=len)

    def _passes(self, edits: list[BlockEdit], case: ExecutionCase, limit_s: float) -> bool:
        """Whether the test passes within a time. Raises `DeviceError` if the device is lost."""
        try:
            self._record(self.build("blocks", edits, self.work / "trial.zip"), case, self.work / "trial", timeout_s=limit_s)
        except (BuildError, DeviceError, RecordingError) as error:
            self.device.shell("true")
            self.progress.detail(str(error))
            return False
        return True

    def _run_case(self, case: ExecutionCase, edits: list[BlockEdit], counted: Bundle, plain: Bundle) -> None:
        place, runs = case_folder(self.folder, case), self.file.runs
        self.progress.stage(f"case {case.number} of {runs.cases}")
        self._record(counted, case, place / COUNTED)
        self._record(plain, case, place / ENERGY, repeat=runs.repeat)
        found = IdleReadings("none", "", "", (0.0, 0.0), (0.0, 0.0))
        if runs.idle:
            self.progress.stage(f"case {case.number} of {runs.cases}: idle run")
            recorded = parse_recording(open_recording(place / ENERGY))
            walls = [(window.end_ns - window.start_ns) / 1e9 for run in recorded.runs for window in run.app.windows]
            found = read_idle(self.device, max([_LEAST_IDLE_S, *walls]))
        write_edits(place / EDITS, edits)
        write_new(place / IDLE, json.dumps(asdict(found)))

    def _record(
        self, bundle: Bundle, case: ExecutionCase, output: Path, *, repeat: int | None = None, timeout_s: float = inf
    ) -> None:
        """Run the test of a case: once to count its blocks, or `repeat` times. Raises `RecordingError` if it does not pass."""
        runs = self.file.runs
        path = self.work / f"{output.name}-inputs.zip"
        given = with_inputs(bundle, path, case.inputs, JVM_ARGS.get(runs.compiler, ()))
        options = ProfileOptions(
            tests=(self.file.program.test,),
            repeat=repeat or 1,
            granularity="block" if repeat is None else "test",
            trace="none",
            compile_mode=runs.compiler if runs.compiler in ("speed", "verify") else None,
            timeout_s=min(timeout_s, runs.timeout_s),
        )
        outcome = profile(self.device, [given], options, output, self.progress)
        if outcome.failures or outcome.crashed or outcome.troubles:
            reasons = [*outcome.failures.values(), *outcome.troubles, "the process died"]
            raise RecordingError(f"the test did not pass: {reasons[0]}", f"See {output}.")


def is_done(experiment: Path, case: ExecutionCase) -> bool:
    """Whether all runs of a case are complete: its idle run is the last one."""
    return (case_folder(experiment, case) / IDLE).is_file()


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

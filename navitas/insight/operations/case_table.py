"""The table of execution cases: executions of operations and measured energy, a row for each case."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter

from navitas.base.errors import NavitasError, RecordingError
from navitas.base.new_files import write_new
from navitas.insight.operations.case_energy import CaseEnergy, IdleRun, MeasuredRun, case_energy, measured_runs, read_idle_run
from navitas.insight.operations.case_plan import MAX_BYTES, BlockEdit, CasePlan, ExecutionCase, read_checked
from navitas.insight.operations.census.document import Census
from navitas.insight.operations.counted_program import CountedProgram, Edits, join_census
from navitas.insight.operations.counted_tests import CountedTest, counted_tests
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.parsed_recording import ParsedRecording, parse_recording
from navitas.recording.parse.tables import RunTables
from navitas.recording.store import open_recording

CENSUS, PLAN, IDLE, EDITS, COUNTED, ENERGY = "census.json", "plan.json", "idle.json", "edits.json", "counted", "energy"
"""Names in the folder of an experiment, and in that of a case."""
COLUMNS = ("case", "edits", "wall_s", "frequency_khz", "runs", "idle_j", "deviation_j", "energy_j")
"""The columns before those of operations."""
NOT_FEATURES = ("case", "wall_s", "frequency_khz", "runs", "idle_j", "deviation_j")
"""Columns that a fit ignores."""

Meter = Callable[[RunTables], Callable[[int, int], float]]
"""The energy in joules between two times of a run, from an external meter."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case with its energy and the executions of all operations of the census. `unknown` are methods that the census lacks."""

    case: ExecutionCase
    energy: CaseEnergy
    executions: I64
    unknown: tuple[str, ...] = ()

    @property
    def figures(self) -> tuple[float, ...]:
        """The values of `COLUMNS`."""
        one = self.energy
        measured = (one.wall_s, one.frequency_khz, one.runs, one.idle_j, one.deviation_j, one.energy_j)
        return (self.case.number, self.case.edits, *measured)


def case_folder(experiment: Path, case: ExecutionCase) -> Path:
    """The folder of a case's recordings."""
    return experiment / "cases" / f"{case.number:05d}"


def read_case_counts(recording: Path, census: Census, edits: Edits) -> tuple[CountedProgram, CountedTest]:
    """Return the program and the only test of a counted run.

    Raises `RecordingError` if there is none that passed, or if counts were lost.
    """
    stored = open_recording(recording)
    parsed = parse_recording(stored)
    if any(loss.what == "block_counts" for loss in parsed.losses):
        raise RecordingError(f"{recording}: records of executed blocks were lost", "Run the case again.")
    tests = counted_tests(parsed, stored.manifest, str(recording))
    if len(tests) != 1 or tests[0].status != "passed":
        found = ", ".join(f"{test.name} {test.status}" for test in tests[:3]) or "none"
        raise RecordingError(f"{recording}: a case needs one test that passed, and it has: {found}", "Run the case again.")
    return join_census(census, parsed.method_table, tests, "census.json", edits), tests[0]


def read_case(experiment: Path, plan: CasePlan, case: ExecutionCase, census: Census, meter: Meter | None = None) -> CaseRow:
    """Read a case's recordings. Raises a `NavitasError` that names what cannot be used."""
    folder = case_folder(experiment, case)
    program, test = read_case_counts(folder / COUNTED, census, read_edits(folder / EDITS))
    parsed = parse_recording(open_recording(folder / ENERGY))
    idle = read_idle_run(folder / IDLE)
    if meter is None:
        runs = list(measured_runs(parsed, plan.runs.rails, str(folder / ENERGY)))
        idle_w = idle.power_w(plan.runs.rails)
    else:
        runs, idle_w = _by_meter(parsed, idle, meter)
    if not runs:
        raise RecordingError(f"{folder / ENERGY}: no test was measured", "Run the case again.")
    if idle_w is None and plan.runs.idle:
        raise RecordingError(
            f"{folder / IDLE}: the idle run has no readings", "Measure on a phone with power rails, or use --meter."
        )
    energy = case_energy(runs, idle_w or 0.0)
    if energy.energy_j <= 0:
        raise RecordingError(f"{folder}: its energy is not above that of the idle run", "Give the test more work.")
    return CaseRow(case, energy, program.executions(test), program.unknown)


def _by_meter(parsed: ParsedRecording, idle: IdleRun, meter: Meter) -> tuple[list[MeasuredRun], float | None]:
    runs, idle_w = [], None
    for run in parsed.runs:
        energy = meter(run)
        for window in run.app.windows:
            joules = energy(window.start_ns, window.end_ns)
            runs.append(MeasuredRun((window.end_ns - window.start_ns) / 1e9, joules, 0.0))
        seconds = idle.unix_s[1] - idle.unix_s[0]
        if run.clocks.realtime_offset_ns is not None and seconds > 0:
            low, high = (round(each * 1e9) - run.clocks.realtime_offset_ns for each in idle.unix_s)
            idle_w = energy(low, high) / seconds
    return runs, idle_w


def read_cases(
    experiment: Path, plan: CasePlan, census: Census, meter: Meter | None = None
) -> tuple[list[CaseRow], Mapping[int, NavitasError]]:
    """Read all cases. Returns the rows of those that can be used, and the errors of the others by case."""
    rows, errors = list[CaseRow](), dict[int, NavitasError]()
    for case in plan.cases:
        try:
            rows.append(read_case(experiment, plan, case, census, meter))
        except NavitasError as error:
            errors[case.number] = error
    return rows, errors


_EDITS = TypeAdapter(list[BlockEdit])


def write_edits(path: Path, edits: list[BlockEdit]) -> None:
    """Write the block edits with which a case runs. Those of the plan can change later."""
    write_new(path, _EDITS.dump_json(edits))


def read_edits(path: Path) -> Edits:
    """Read the block edits with which a case ran. Raises `UsageError` that names the file."""
    edits = read_checked(path, _EDITS.validate_json, MAX_BYTES)
    return {(edit.class_name, edit.method, edit.block): edit.runs for edit in edits}


def write_rows(out: IO[str], rows: Sequence[CaseRow], census: Census) -> list[int]:
    """Write the table of cases as CSV. Returns the places of the operations that it has."""
    used = used_operations(rows)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, *(census.operations[place].name for place in used)])
    writer.writerows([*map(_figure, row.figures), *row.executions[used].tolist()] for row in rows)
    return used


def _figure(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.9g}"


def used_operations(rows: Sequence[CaseRow]) -> list[int]:
    """The places of the operations that any case executed."""
    return [place for place in range(len(rows[0].executions)) if any(row.executions[place] for row in rows)] if rows else []

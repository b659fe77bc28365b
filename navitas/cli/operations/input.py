"""What the commands on executed blocks read: recordings with block counts, a census, and a model of operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.base.units import percent
from navitas.base.untrusted_text import printable, printable_list
from navitas.cli.habits.messages import warning
from navitas.cli.habits.option import gathered, option, section
from navitas.cli.habits.paths import READ_ANY_NAME, READ_FILE_ANY_NAME
from navitas.cli.habits.shared_options import tests_option
from navitas.insight.operations.census.document import GC, Census, read_census
from navitas.insight.operations.counted_program import CountedProgram, join_census
from navitas.insight.operations.counted_tests import CountedTest, counted_tests, sum_counters
from navitas.insight.operations.rankings import operation_costs, other_features
from navitas.insight.operations.regress.model_file import OperationsModel, read_model
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.store import Recording, open_recording

_SHOWN = 3


CENSUS_HELP = "File of operations census."
census_option = option("--census", type=READ_FILE_ANY_NAME, metavar="FILE", help=CENSUS_HELP)
before_census_option = option("--before-census", type=READ_FILE_ANY_NAME, metavar="FILE", help="Census of the earlier build.")
counted_options = section(
    "",
    click.argument("recording", type=READ_ANY_NAME, metavar="RECORDING"),
    option("--census", required=True, type=READ_FILE_ANY_NAME, metavar="FILE", help=CENSUS_HELP),
    tests_option,
)
"""RECORDING, `--census` and `--tests`."""
model_option = option(
    "--model", "model_file", required=True, type=READ_FILE_ANY_NAME, metavar="FILE", help="File of operations fit."
)


@dataclass(frozen=True, slots=True)
class CostedFiles:
    """A recording, its census, patterns of tests, and a model, as a command line names them."""

    recording: Path
    census: Path
    tests: tuple[str, ...]
    model_file: Path


costed_options = gathered("files", CostedFiles, counted_options, model_option)
"""`counted_options` and `--model`, as the keyword argument `files`."""


@dataclass(frozen=True)
class Counted:
    """The tests of a recording with their counters, and the program that a census describes."""

    recording: Path
    program: CountedProgram
    tests: tuple[CountedTest, ...]

    @cached_property
    def counters(self) -> dict[int, I64]:
        """The counters of each method, summed over all tests."""
        return sum_counters(self.tests)

    @cached_property
    def executions(self) -> I64:
        """Executions of all operations in all tests, with garbage collections."""
        return sum((self.program.executions(test) for test in self.tests), start=self.program.of_counters({}))


def read_builds(builds: Sequence[tuple[Path, Path]], patterns: Sequence[str] = ()) -> list[Counted]:
    """Read recordings and their censuses. Prints losses, and what a census lacks, as warnings.

    Raises `UsageError` if no test matches, or a census is of another build; `RecordingError` if no block was counted. Files that
    cannot be read are found before any recording is parsed.
    """
    censuses = [read_census(census) for _, census in builds]
    stored = [open_recording(recording) for recording, _ in builds]
    parts = zip(builds, censuses, stored, strict=True)
    return [_joined(path, one, found, str(file), patterns) for (path, file), found, one in parts]


def _joined(path: Path, stored: Recording, census: Census, file: str, patterns: Sequence[str]) -> Counted:
    parsed = parse_recording(stored)
    tests = counted_tests(parsed, stored.manifest, str(path))
    chosen = tuple(test for test in tests if not patterns or any(_matches(test, pattern) for pattern in patterns))
    unmatched = [pattern for pattern in patterns if not any(_matches(test, pattern) for test in tests)]
    if unmatched:
        what = f"no test of {path} matches {' '.join(unmatched)}"
        remedy = f"It has {printable_list(list(dict.fromkeys(test.name for test in tests)), _SHOWN)}."
        if not chosen:
            raise UsageError(what, remedy)
        warning(printable(f"{what}. {remedy}", 1000))
    program = join_census(census, parsed.method_table, chosen, file)
    for loss in parsed.losses:
        if loss.what == "block_counts":
            warning(f"{loss.count:,} records of executed blocks were lost: their counts are too low")
    if program.unknown:
        warning(f"the census lacks methods that ran, so their operations are missing: {printable_list(program.unknown, _SHOWN)}")
    for name in dict.fromkeys(test.name for test in chosen if test.status not in ("passed", "ignored")):
        warning(printable(f"{name} did not pass: its counts are those until it ended", 1000))
    return Counted(path, program, chosen)


def _matches(test: CountedTest, pattern: str) -> bool:
    return fnmatchcase(test.name, pattern) or fnmatchcase(test.name.partition("#")[0], pattern)


def read_costs(model: OperationsModel, model_file: Path, counted: Counted) -> Mapping[str, float]:
    """Return a model's costs of operations. Prints as warnings what the model or the census lacks, and costs below 0."""
    program = counted.program
    costs = operation_costs(model, str(model_file))
    ran = {name: count for name, count in zip(program.names, counted.executions.tolist(), strict=True) if count}
    costless = sorted((name for name in ran if name not in costs and name != GC), key=lambda name: (-ran[name], name))
    if costless:
        share = percent(sum(ran[name] for name in costless) / sum(ran.values()))
        what = f"{len(costless):,} of {len(ran):,} executed operations, {share} of executions, have no cost in the model"
        warning(f"{what}, so energies are too low: {printable_list(costless, _SHOWN)}")
    negative = sorted(name for name, value in costs.items() if value < 0)
    if negative:
        warning(f"costs below 0, which no operation has: {printable_list(negative, _SHOWN)}; fit with --family nnls")
    if others := other_features(model, program.names):
        what = "the census has no operations with these names of the model, so they count as not executed"
        warning(f"{what}: {printable_list(others, _SHOWN)}")
    return costs


def read_costed(files: CostedFiles) -> tuple[Counted, Mapping[str, float]]:
    """Read a model, a recording and its census. Returns what was counted, and the costs."""
    model = read_model(files.model_file)
    (counted,) = read_builds([(files.recording, files.census)], files.tests)
    return counted, read_costs(model, files.model_file, counted)

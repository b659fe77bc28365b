"""What the commands on executed blocks read: recordings with block counts, a census, and a model of operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import click

from navitas.census.document import read_census
from navitas.cli.messages import warning
from navitas.cli.option import option
from navitas.cli.paths import READ_ANY_NAME, READ_FILE_ANY_NAME, TEXT
from navitas.errors import UsageError
from navitas.operations.counted_program import CountedProgram, join_census
from navitas.operations.counted_tests import CountedTest, counted_tests
from navitas.operations.operation_costs import features_beside, operation_costs
from navitas.parse.arrays import I64
from navitas.parse.parsed_recording import parse_recording
from navitas.recording.store import open_recording
from navitas.regress.model_file import OperationsModel, read_model
from navitas.untrusted_text import printable, printable_line

F = TypeVar("F", bound=Callable[..., Any])
_SHOWN = 3


def counted_options(function: F) -> F:
    """Add RECORDING, `--census` and `--tests` to a command."""
    for add in (
        option("--tests", multiple=True, type=TEXT, metavar="PATTERN", help="CLASS[#METHOD] with * and ?; repeatable. [all]"),
        option("--census", required=True, type=READ_FILE_ANY_NAME, metavar="FILE", help="File of model census."),
        click.argument("recording", type=READ_ANY_NAME, metavar="RECORDING"),
    ):
        function = add(function)
    return function


def model_option(function: F) -> F:
    """Add `--model` to a command."""
    return option("--model", "model_file", required=True, type=READ_FILE_ANY_NAME, metavar="FILE", help="File of model fit.")(
        function
    )


@dataclass(frozen=True)
class Counted:
    """The tests of a recording with their counters, and the program that a census describes."""

    recording: Path
    program: CountedProgram
    tests: tuple[CountedTest, ...]

    @cached_property
    def counters(self) -> dict[int, I64]:
        """The counters of each method, summed over all tests."""
        sums: dict[int, I64] = {}
        for test in self.tests:
            for row, counts in test.by_method().items():
                sums[row] = sums[row] + counts if row in sums else counts
        return sums

    @cached_property
    def executions(self) -> I64:
        """Executions of all operations in all tests, with garbage collections."""
        return sum((self.program.executions(test) for test in self.tests), start=self.program.of_counters({}))


def read_counted(recording: Path, census: Path, patterns: Sequence[str] = ()) -> Counted:
    """Read a recording and its census. Prints the recording's losses and what the census lacks as warnings.

    Raises `UsageError` if no test matches, or the census is of another build; `RecordingError` if no block was counted.
    """
    found = read_census(census)
    stored = open_recording(recording)
    parsed = parse_recording(stored)
    tests = counted_tests(parsed, stored.manifest, str(recording))
    chosen = tuple(test for test in tests if not patterns or any(_matches(test, pattern) for pattern in patterns))
    if not chosen:
        names = ", ".join(printable_line(name, 200) for name in list(dict.fromkeys(test.name for test in tests))[:_SHOWN])
        raise UsageError(f"no test of {recording} matches {' '.join(patterns)}", f"It has {names}.")
    program = join_census(found, parsed.method_table, chosen, str(census))
    for loss in parsed.losses:
        if loss.what == "block_counts":
            warning(f"{loss.count:,} records of executed blocks were lost: their counts are too low")
    if program.unknown:
        names = ", ".join(printable_line(name, 200) for name in program.unknown[:_SHOWN])
        more = f" and {len(program.unknown) - _SHOWN:,} more" if len(program.unknown) > _SHOWN else ""
        warning(f"the census lacks methods that ran, so their operations are missing: {names}{more}")
    for name in dict.fromkeys(test.name for test in chosen if test.status not in ("passed", "ignored")):
        warning(printable(f"{name} did not pass: its counts are those until it ended", 1000))
    return Counted(recording, program, chosen)


def _matches(test: CountedTest, pattern: str) -> bool:
    return fnmatchcase(test.name, pattern) or fnmatchcase(test.name.partition("#")[0], pattern)


def read_costs(model_file: Path, program: CountedProgram) -> tuple[OperationsModel, Mapping[str, float]]:
    """Read a model and its costs of operations. Prints features that are no operations of the census as a warning."""
    model = read_model(model_file)
    costs = operation_costs(model, str(model_file))
    others = features_beside(model, program.names)
    if others:
        names = ", ".join(printable_line(name, 200) for name in others[:_SHOWN])
        more = f" and {len(others) - _SHOWN:,} more" if len(others) > _SHOWN else ""
        warning(f"the census has no operations with these names of the model, so they count as not executed: {names}{more}")
    return model, costs

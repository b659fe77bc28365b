"""Execution cases: the TOML file that describes them (docs/operations.md, "Execution cases"), and the plan that follows from it.

Inputs vary independently, and sets of blocks are removed or repeated. Files can come from elsewhere, so all is checked.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from navitas.base.errors import UsageError
from navitas.base.model_defects import first_defect
from navitas.base.regular_files import as_utf8, read_regular
from navitas.base.untrusted_text import printable_line
from navitas.insight.operations.counted_program import CountedProgram
from navitas.recording.parse.arrays import I64

MAX_BYTES = 256 << 20
_CASE_FILE_BYTES = 1 << 20
_EXAMPLE = "See docs/operations.md for an example."
Compiler = Literal["default", "interpreter", "c1", "c2", "speed", "verify"]
"""`speed` and `verify` are compiler filters of Android; the others are tiers of a HotSpot JVM."""
JVM_ARGS: dict[Compiler, tuple[str, ...]] = {
    "interpreter": ("-Xint",),
    "c1": ("-XX:TieredStopAtLevel=1",),
    "c2": ("-XX:-TieredCompilation",),
}
"""Options that keep a HotSpot JVM at one tier."""
_Name = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00=\s]+$")]
_Path = Annotated[str, Field(min_length=1, max_length=4000, pattern=r"^[^\x00]+$")]
_Value = Annotated[bool, Field(strict=True)] | int | float | Annotated[str, Field(max_length=1000, pattern=r"^[^\x00]*$")]
RUN_AGAIN = "Delete the folder of this case, and run the cases again."
_Document = TypeVar("_Document")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Program(_Part):
    """A Gradle project, the class folders and source folders of what is counted, and the test that runs it."""

    project: _Path = "."
    test: _Name
    module: _Name | None = None
    variant: _Name | None = None
    classes: list[_Path] = ["build/classes/java/main"]
    sources: list[_Path] = ["src/main/java"]


class RunSettings(_Part):
    """How many cases run, how often each, and how.

    `repeat`: runs whose energy is measured; `compiler`: the tier of the JVM; `rails`: a pattern of the rails to add up; `idle`:
    measure the idle power after each case; `timeout_s`: the longest time without progress.
    """

    cases: Annotated[int, Field(ge=1, le=100_000)] = 100
    repeat: Annotated[int, Field(ge=1, le=1000)] = 3
    seed: Annotated[int, Field(ge=0, le=1 << 32)] = 0
    compiler: Compiler = "default"
    rails: Annotated[str, Field(min_length=1, max_length=200)] = "*CPU*"
    idle: bool = True
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] = 120.0


class BlockSets(_Part):
    """Sets of blocks that are removed or repeated. `sets` 0: none. `repeat`: how often a repeated block runs each time.

    `most`: the largest number of edits in a set. If they are too few for all blocks, random blocks are left out.
    """

    sets: Annotated[int, Field(ge=0, le=10_000)] = 0
    most: Annotated[int, Field(ge=2, le=100_000)] = 100_000
    repeat: Annotated[int, Field(ge=2, le=1000)] = 3


class CaseFile(_Part):
    """A case file. `inputs`: values to try, by the name of a system property or instrumentation argument."""

    program: Program
    runs: RunSettings = RunSettings()
    blocks: BlockSets = BlockSets()
    inputs: dict[_Name, Annotated[list[_Value], Field(min_length=1, max_length=10_000)]] = {}


def read_case_file(path: Path) -> CaseFile:
    """Read a case file. Raises `UsageError` that names the file and the first defect."""
    name = printable_line(str(path), 300)
    try:
        return CaseFile.model_validate(tomllib.loads(read_regular(path, _CASE_FILE_BYTES).decode()))
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}", "Check the path.") from error
    except ValidationError as error:
        place, message = first_defect(error)
        raise UsageError(f"{name}: {printable_line(place, 200)}: {printable_line(message, 200)}", _EXAMPLE) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name}: not TOML: {printable_line(str(error), 200)}", _EXAMPLE) from None


def read_checked(
    path: Path, validate: Callable[[bytes], _Document], limit_bytes: int, remedy: str = RUN_AGAIN, *, missing: str | None = None
) -> _Document:
    """Return what `validate` makes of a file's bytes. Raises `UsageError` with the file and its first defect.

    `missing` is the remedy if the file cannot be read (None: the same).
    """
    name = printable_line(str(path), 300)
    try:
        return validate(as_utf8(read_regular(path, limit_bytes)))
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}", missing or remedy) from error
    except ValidationError as error:
        place, message = first_defect(error)
        where = printable_line(place or "its start", 200)
        raise UsageError(f"{name}: damaged at {where}: {printable_line(message, 200)}", remedy) from None


class _PlanPart(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class BlockEdit(_PlanPart):
    """A block whose range runs `runs` times in each execution: 0 if it is removed."""

    class_name: str
    method: str
    block: Annotated[int, Field(ge=0, le=65_535)]
    runs: Annotated[int, Field(ge=0, le=1000)]

    @property
    def line(self) -> str:
        """Its line in a file of block edits."""
        place = f"{self.class_name}\t{self.method}\t{self.block}"
        return f"repeat\t{place}\t{self.runs}" if self.runs else f"remove\t{place}"


class ExecutionCase(_PlanPart):
    """An execution case: inputs, and the set of block edits (its place in the plan's `sets`)."""

    number: int
    edits: int
    inputs: dict[str, str]


class CasePlan(_PlanPart):
    """All cases of an experiment. `sets[0]` is the unchanged program."""

    format: Literal["navitas-cases"] = "navitas-cases"
    schema_version: Literal[1] = 1
    file: CaseFile
    sets: list[list[BlockEdit]]
    cases: list[ExecutionCase]

    @property
    def runs(self) -> RunSettings:
        """How the cases run."""
        return self.file.runs


def editable_blocks(program: CountedProgram, counters: dict[int, I64]) -> list[tuple[str, str, int]]:
    """Return the blocks that ran and can be removed, by class, method with descriptor, and number."""
    found = []
    for method, executions in program.counted(counters):
        name, blocks = f"{method.census.name}{method.census.descriptor}", method.census.blocks
        found += [(method.class_name, name, i) for i, count in enumerate(executions.tolist()) if count and blocks[i].editable]
    return found


def plan_sets(file: CaseFile, blocks: Sequence[tuple[str, str, int]]) -> list[list[BlockEdit]]:
    """Return the sets of edits, the first of them empty. Each block is removed in one set, and repeated in another one."""
    draw = random.Random(file.runs.seed)
    order = list(blocks)
    draw.shuffle(order)
    order = order[: file.blocks.sets * (file.blocks.most // 2)]
    count = min(file.blocks.sets, len(order))
    sets: list[list[BlockEdit]] = [[] for _ in range(count + 1)]
    for place, (class_name, method, block) in enumerate(order if count else ()):
        edit = BlockEdit(class_name=class_name, method=method, block=block, runs=0)
        sets[1 + place % count].append(edit)
        if count > 1:
            other = 1 + (place + 1 + place // count % (count - 1)) % count
            sets[other].append(edit.model_copy(update={"runs": file.blocks.repeat}))
    return sets


def plan_cases(file: CaseFile, sets: int) -> list[ExecutionCase]:
    """Return the cases. Each value of an input occurs equally often, in independent order (a Latin hypercube)."""
    draw = random.Random(file.runs.seed + 1)
    count = file.runs.cases
    columns: dict[str, list[str]] = {}
    for name in sorted(file.inputs):
        values = file.inputs[name]
        places = [place * len(values) // count for place in range(count)] if count > 1 else [0]
        draw.shuffle(places)
        columns[name] = [_text(values[place]) for place in places]
    return [
        ExecutionCase(number=i + 1, edits=i % sets, inputs={name: column[i] for name, column in columns.items()})
        for i in range(count)
    ]


def middle_inputs(file: CaseFile) -> dict[str, str]:
    """The middle value of each input."""
    return {name: _text(values[len(values) // 2]) for name, values in file.inputs.items()}


def _text(value: bool | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_plan(path: Path) -> CasePlan:
    """Read a plan that an experiment wrote. Raises `UsageError` that names the file."""
    remedy = "Run the cases again: navitas operations cases run."
    missing = "Name a folder of navitas operations cases run."
    plan = read_checked(path, CasePlan.model_validate_json, MAX_BYTES, remedy, missing=missing)
    if any(not 0 <= case.edits < len(plan.sets) for case in plan.cases):
        raise UsageError(f"{printable_line(str(path), 300)}: a case has edits that are not listed", remedy)
    return plan

"""Plan execution cases: inputs that vary independently, and sets of blocks that are removed or repeated."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from navitas.errors import UsageError
from navitas.operations.case_file import CaseFile, RunSettings
from navitas.operations.counted_program import CountedProgram
from navitas.operations.experiment_files import read_checked
from navitas.parse.arrays import I64
from navitas.untrusted_text import printable_line

MAX_BYTES = 256 << 20


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class BlockEdit(_Part):
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


class ExecutionCase(_Part):
    """An execution case: inputs, and the set of block edits (its place in the plan's `sets`)."""

    number: int
    edits: int
    inputs: dict[str, str]


class CasePlan(_Part):
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
    for row in sorted(counters):
        if (method := program.methods.get(row)) is not None:
            executions = method.executions(counters[row]).tolist()
            name = f"{method.census.name}{method.census.descriptor}"
            blocks = method.census.blocks
            found += [(method.class_name, name, i) for i, count in enumerate(executions) if count and blocks[i].editable]
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

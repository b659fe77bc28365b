"""Read an operation census (docs/dev/formats.md, "Operation census"). The file can come from elsewhere, so all is checked."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Annotated, Literal, NoReturn, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from navitas.base.errors import UsageError
from navitas.base.model_defects import first_defect
from navitas.base.regular_files import as_utf8, open_regular
from navitas.base.untrusted_text import printable_line

GC = "GC"
"""The garbage collector's operation, which has no block."""
VERSION = 1
_MAX_BYTES = 1 << 28
_MAX_NAME = 70_000  # a name in a class file has at most 65,535 bytes
_MAX_CODE = 65_535
_GZIP = b"\x1f\x8b"
_REMEDY = "Write it again with navitas operations census."

OperationClass = Literal["Control", "Function", "Boolean", "Arithmetic", "Assignment", "Comparison", "Reference", "Library"]
CLASSES: tuple[str, ...] = get_args(OperationClass)
"""The classes of operations, in the order of tables."""
Name = Annotated[str, Field(min_length=1, max_length=_MAX_NAME)]
Number = Annotated[int, Field(ge=0, le=1 << 24)]
Pc = Annotated[int, Field(ge=0, le=_MAX_CODE)]
Count = Annotated[int, Field(ge=1, le=_MAX_CODE)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class CensusOperation(_Part):
    """An operation or library function, and its class."""

    name: Name
    kind: OperationClass = Field(alias="class")


class InlinedCode(_Part):
    """Code that the compiler inlined into a block: its source file, and its first and last line there."""

    file: Name
    lines: tuple[Number, Number]


class CensusBlock(_Part):
    """A basic block: offsets of its first and last instruction, lines, and counts by index of operation.

    `lines` are those of the class's own source file. For `inlined` code, the lines of its calls are among them.

    Its executions are the sum of the method's counters in `plus`, minus those in `minus`. `editable` are the offsets of the first
    and last instruction that a block edit removes or repeats, and `edit_operations` the counts of these instructions.
    """

    pc: tuple[Pc, Pc]
    lines: tuple[Number, Number] | None
    inlined: list[InlinedCode] = []
    next: list[Number]
    handlers: list[Number]
    plus: list[Number] = []
    minus: list[Number] = []
    operations: list[tuple[Number, Count]]
    editable: tuple[Pc, Pc] | None = None
    edit_operations: list[tuple[Number, Count]] = []


class CensusMethod(_Part):
    """A method with code. `note` is why its source was not used. `unmatched` has operations without a block, and lines.

    `counters` is the number of counters in a build with `--probes blocks`. 0: the census was written without them.
    """

    name: Name
    descriptor: Name
    by: Literal["source", "bytecode"]
    note: str | None
    counters: Number = 0
    blocks: list[CensusBlock]
    unmatched: list[tuple[Number, Number]]


class CensusClass(_Part):
    """A class, and the SHA-256 of its class file."""

    name: Name
    file: str | None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    methods: list[CensusMethod]


class Census(_Part):
    """The operations of all blocks."""

    format: Literal["navitas-census"]
    version: Literal[1]
    operations: list[CensusOperation]
    classes: list[CensusClass]
    notes: list[str]

    def problem(self) -> str | None:
        """Return the first number that refers to nothing, or None."""
        if len({each.name for each in self.operations}) != len(self.operations):
            return "an operation is listed twice"
        if len({each.name for each in self.classes}) != len(self.classes):
            return "a class is listed twice"
        for each in self.classes:
            for method in each.methods:
                found = _problem(method, len(self.operations))
                if found is not None:
                    return f"{each.name}.{method.name}: {found}"
        return None


def _problem(method: CensusMethod, operations: int) -> str | None:
    last = -1
    for block in method.blocks:
        if block.pc[0] <= last or block.pc[1] < block.pc[0]:
            return "its blocks are not in code order"
        last = block.pc[1]
        if any(number >= len(method.blocks) for number in (*block.next, *block.handlers)):
            return "a block is followed by one that does not exist"
        if any(number >= method.counters for number in (*block.plus, *block.minus)):
            return "a block has a counter that does not exist"
        if block.editable is not None and not block.pc[0] == block.editable[0] <= block.editable[1] <= block.pc[1]:
            return "an editable range is not the start of its block"
        counts = dict(block.operations)
        if any(block.editable is None or count > counts.get(index, 0) for index, count in block.edit_operations):
            return "an editable range has more operations than its block"
    used = [index for block in method.blocks for index, _ in block.operations] + [index for index, _ in method.unmatched]
    return "a count is of an operation that is not listed" if any(index >= operations for index in used) else None


def parse_census(text: str | bytes, name: str) -> Census:
    """Return a census from JSON. Raises `UsageError` that names `name` if it is damaged or of another version."""
    try:
        census = Census.model_validate_json(text)
    except ValidationError as error:
        _check_kind(text, name)
        place, message = first_defect(error)
        _refuse(name, f"is damaged at {printable_line(place, 100)}: {printable_line(message, 200)}")
    problem = census.problem()
    if problem is not None:
        _refuse(name, f"is damaged: {printable_line(problem, 300)}")
    return census


def _check_kind(text: str | bytes, name: str) -> None:
    """Raise `UsageError` if a document is of another kind or version. `Census` refuses these, too, but by their fields."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        _refuse(name, "is not JSON")
    if not isinstance(document, dict) or document.get("format") != "navitas-census":
        _refuse(name, "is not an operation census")
    if document.get("version") != VERSION:
        version = printable_line(str(document.get("version")), 20)
        _refuse(name, f"has version {version} of the format, and this Navitas reads version {VERSION}")


def read_census(path: Path) -> Census:
    """Return the census in a file, plain or compressed by gzip. Raises `UsageError` that names the file."""
    name = str(path)
    try:
        with open_regular(path) as file:
            is_packed = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            content = (gzip.GzipFile(fileobj=file) if is_packed else file).read(_MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        _refuse(name, f"cannot be read ({getattr(error, 'strerror', None) or error})")
    if len(content) > _MAX_BYTES:
        _refuse(name, f"is larger than {_MAX_BYTES >> 20} MB")
    return parse_census(as_utf8(content), name)


def _refuse(name: str, problem: str) -> NoReturn:
    raise UsageError(f"{printable_line(name, 300)} {problem}", _REMEDY)

"""The file that describes execution cases: TOML (docs/operations.md, "Execution cases")."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from navitas.errors import UsageError
from navitas.model_defects import first_defect
from navitas.regular_files import read_regular
from navitas.untrusted_text import printable_line

MAX_BYTES = 1 << 20
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
        return CaseFile.model_validate(tomllib.loads(read_regular(path, MAX_BYTES).decode()))
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}", "Check the path.") from error
    except ValidationError as error:
        place, message = first_defect(error)
        raise UsageError(f"{name}: {printable_line(place, 200)}: {printable_line(message, 200)}", _EXAMPLE) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name}: not TOML: {printable_line(str(error), 200)}", _EXAMPLE) from None

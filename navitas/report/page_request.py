"""What a page shows beyond the recording: what changed since an earlier one, lines of source code, and operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from navitas.energy.analyze.profile import Profile
from navitas.report.source_code import SourceCode

if TYPE_CHECKING:  # Options of commands import this module, and must not import pydantic.
    from navitas.insight.operations.rankings import RankedOperation


@dataclass(frozen=True, slots=True)
class EarlierRecording:
    """A recording of an earlier build, as the user named it."""

    name: str
    profile: Profile


@dataclass(frozen=True, slots=True)
class PageRequest:
    """`before`: the recording that the page compares with. `sources`: the source code of methods.

    `operations`: those that ran, by a census; their energies are by a model of operations, if there is one.
    """

    before: EarlierRecording | None = None
    sources: SourceCode | None = None
    operations: tuple[RankedOperation, ...] = ()

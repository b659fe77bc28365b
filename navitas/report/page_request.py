"""What a report shows beyond the recording: what changed since an earlier one; a page also source code and operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from navitas.energy.analyze.profile import Profile
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.statement import Statement
from navitas.report.source_code import SourceCode

if TYPE_CHECKING:  # Options of commands import this module, and must not import pydantic.
    from navitas.insight.operations.rankings import RankedOperation


@dataclass(frozen=True, slots=True)
class EarlierRecording:
    """A recording of an earlier build, as the user named it."""

    name: str
    profile: Profile


def change_since(before: EarlierRecording | None, figures: Figures) -> Statement | None:
    """Return what changed since an earlier recording, as `changed`. None without one."""
    if before is None:
        return None
    from navitas.report.change import changed  # noqa: PLC0415  # What compares is slow to import.

    return changed(figures, before.name, Figures(before.profile))


@dataclass(frozen=True, slots=True)
class PageRequest:
    """`before`: the recording that the page compares with. `sources`: the source code of methods.

    `operations`: those that ran, by a census; their energies are by a model of operations, if there is one.
    """

    before: EarlierRecording | None = None
    sources: SourceCode | None = None
    operations: tuple[RankedOperation, ...] = ()

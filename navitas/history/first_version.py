"""Sessions of history files of version 1, which have no app energy: all energy of tests, by component and in sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from navitas.compare.session import Energy, Joules
from navitas.history.stored_session import FigureRow, StoredSession

_NOW: Final[dict[str, Energy | Literal["thread", "method"]]] = {"component": "total", "thread": "thread", "method": "method"}


class FirstFigureRow(NamedTuple):
    """The energy of a figure in one run of a test. That of `test` is the sum of its components."""

    test: str
    repeat: int
    kind: Literal["test", "component", "thread", "method"]
    name: str
    energy_j: Joules


class FirstStoredSession(StoredSession):
    """A session of version 1."""

    figures: list[FirstFigureRow]  # type: ignore[assignment]

    def now(self) -> StoredSession:
        """Return the session as this version stores it. Raises `ValueError` if it was changed after it was added."""
        self.check()
        kept = [row for row in self.figures if row.kind != "test"]
        figures = [FigureRow(row.test, row.repeat, _NOW[row.kind], row.name, row.energy_j) for row in kept]
        return StoredSession.model_construct(**{**dict(self), "figures": figures}).signed()

    def in_turns(self) -> Sequence[object]:
        """Return all figures: in version 1, they distinguish versions in turns."""
        return sorted(self.figures)

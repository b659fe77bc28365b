"""Compare two versions of a program by the recordings or JSON reports of their sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from navitas.base.errors import UsageError
from navitas.base.json_text import fields
from navitas.insight.compare.comparison import (
    LEAST_SHARE,
    MARGIN_PERCENT,
    Comparison,
    FigureChange,
    check_distinct,
    compare,
    paired,
)
from navitas.insight.compare.effect import Deviations, Effect
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.compare.session import Session, in_shared_sessions
from navitas.insight.compare.verdict import Verdict
from navitas.recording.layout import MANIFEST_NAME

ReadSession = Callable[[Path], Session]


@dataclass(frozen=True, slots=True)
class ComparedVersions:
    """The sessions of two versions, and what changed. `together`: each session has runs of both versions, in mixed order."""

    before: tuple[Session, ...]
    after: tuple[Session, ...]
    choice: FigureChoice
    together: bool
    margin_percent: float
    comparison: Comparison

    def as_json(self) -> dict[str, Any]:
        """Return the members of the document of `navitas compare --json` (docs/comparing.md)."""
        return {
            "schema_version": 2,
            "before": [one.name for one in self.before],
            "after": [one.name for one in self.after],
            "same_session": self.together,
            "energy": self.choice.energy,
            "margin_percent": self.margin_percent,
            "changes": [_row(one) for one in self.comparison.changes],
            "removed": [one._asdict() for one in self.comparison.removed],
            "added": [one._asdict() for one in self.comparison.added],
            "left_out": list(self.comparison.left_out),
            "warnings": list(self.comparison.warnings),
        }


def compare_versions(
    before: Sequence[Path],
    after: Sequence[Path],
    choice: FigureChoice | None = None,
    *,
    read: ReadSession,
    same_session: bool = False,
    margin_percent: float = MARGIN_PERCENT,
    least_share: float = LEAST_SHARE,
) -> ComparedVersions:
    """Compare the sessions in recordings and JSON reports of two versions, one path for each session.

    `choice`: the figures, by default those of app energy. `same_session`: recordings of equal name are of one session with runs
    of both versions; if the recordings say so themselves, this is not needed. `read` reads a path: `navitas.report.sessions`
    has one. Raises the errors of `compare`, `read` and `paired`, and `UsageError` if a side has a session twice, or both sides
    have the same path.
    """
    old, new = ([read(path) for path in side] for side in (before, after))
    for side in (old, new):
        check_distinct(side)
    _check_paths(before, after)
    if same_session and in_shared_sessions(old, new) is None:
        new = paired(old, new, [[path.name.partition(".")[0] for path in side] for side in (before, after)])
    return compare_sessions(old, new, choice, same_session=same_session, margin_percent=margin_percent, least_share=least_share)


def compare_sessions(
    before: Sequence[Session],
    after: Sequence[Session],
    choice: FigureChoice | None = None,
    *,
    same_session: bool = False,
    margin_percent: float = MARGIN_PERCENT,
    least_share: float = LEAST_SHARE,
) -> ComparedVersions:
    """Compare sessions, as `compare_versions`. `same_session`: the i-th sessions of both versions were one. Raises the errors of
    `compare`."""
    if (shared := in_shared_sessions(before, after)) is not None:
        after, same_session = shared, True
    choice = choice or FigureChoice()
    found = compare(before, after, choice, together=same_session, margin_percent=margin_percent, least_share=least_share)
    return ComparedVersions(tuple(before), tuple(after), choice, same_session, margin_percent, found)


def _check_paths(before: Sequence[Path], after: Sequence[Path]) -> None:
    """Raise `UsageError` if a path is on both sides, under whatever name."""
    paths = {path.resolve(): path for path in before}
    for path in after:
        if (other := paths.get(path.resolve())) is not None:
            names = str(path) if other == path else f"{other} and {path}: the same recording"
            raise UsageError(f"{names} is both before and after", "Give the recordings of two versions.")


def session_paths(side: Path) -> tuple[list[Path], list[str]]:
    """Return a recording or report, or those in a folder; and the names of skipped folders, which are no recordings.

    Raises `UsageError` if there is none.
    """
    if not side.is_dir() or is_recording(side):
        return [side], []
    entries = sorted(side.iterdir())
    found = [one for one in entries if is_recording(one) or (one.suffix.lower() == ".json" and one.is_file())]
    if not found:
        raise UsageError(f"{side} has no recordings and no JSON reports", "Give a recording, a JSON report, or a folder of them.")
    return found, [one.name for one in entries if one.is_dir() and one not in found]


def is_recording(path: Path) -> bool:
    try:
        return (path / MANIFEST_NAME).is_file()
    except OSError:  # Names of sessions need not be paths, and may be too long for one.
        return False


def _row(one: FigureChange) -> dict[str, Any]:
    # `dataclasses.asdict` takes ten times as long.
    judged, effect = None if one.verdict is None else fields(one.verdict, *Verdict.__slots__), None
    if one.effect is not None:
        effect = {**fields(one.effect, *Effect.__slots__), "spread": fields(one.effect.spread, *Deviations.__slots__)}
    figures = {**fields(one, "before_j", "after_j"), "effect": effect, "adjusted_p": one.p, "verdict": judged}
    return {**one.subject._asdict(), **figures}

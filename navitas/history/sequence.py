"""Which sessions of a history belong together, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from navitas.compare.session import Session


class SessionSeries(NamedTuple):
    """Sessions that can be compared, in order. `left_out`: how many others there are."""

    sessions: tuple[Session, ...]
    left_out: int


def latest_series(sessions: Sequence[Session]) -> SessionSeries:
    """Return the sessions of the device, power profile and project of the latest session, by time."""
    ordered = sorted(sessions, key=lambda one: one.created_utc)
    kept = [one for one in ordered if _group(one) == _group(ordered[-1])]
    return SessionSeries(tuple(kept), len(ordered) - len(kept))


def by_revision(sessions: Sequence[Session], revisions: Sequence[str]) -> list[Session]:
    """Return sessions in the order of their revisions, then by time. Those of other revisions are placed by time."""
    place = {revision: index for index, revision in enumerate(revisions)}
    ordered = sorted(
        (one for one in sessions if one.origin.revision in place),
        key=lambda one: (place[one.origin.revision], bool(one.origin.dirty), one.created_utc),
    )
    for one in sorted((one for one in sessions if one.origin.revision not in place), key=lambda one: one.created_utc):
        later = next((i for i, other in enumerate(ordered) if other.created_utc > one.created_utc), len(ordered))
        ordered.insert(later, one)
    return ordered


def latest_of_each(sessions: Sequence[Session]) -> list[Session]:
    """Leave out all but the last of the sessions that ran in turns: what shifts one of them shifts all."""
    last = {one.session: index for index, one in enumerate(sessions)}
    return [one for index, one in enumerate(sessions) if not one.session or last[one.session] == index]


def _group(one: Session) -> tuple[str, str, str]:
    return one.device, one.power_profile, one.origin.project


def label(session: Session) -> str:
    """A session's short revision (`+`: with changes), or its time."""
    origin = session.origin
    return f"{origin.revision[:8]}{'+' if origin.dirty else ''}" if origin.revision else session.created_utc[:19]


def labels(sessions: Sequence[Session]) -> list[str]:
    """The labels of sessions. Those of the same revision also have their times."""
    found = [label(one) for one in sessions]
    return [
        f"{text} {one.created_utc[:16]}" if one.origin.revision and found.count(text) > 1 else text
        for text, one in zip(found, sessions, strict=True)
    ]

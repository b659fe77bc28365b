"""The sessions of a baseline that a version can be compared with: of the same device, project and tests, measured alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from navitas.base.errors import UsageError
from navitas.base.untrusted_text import printable, printable_list
from navitas.insight.compare.session import Session
from navitas.insight.history.stored_session import is_same

MOST_SESSIONS = 20
"""The newest sessions that count: older ones are of older code."""
_NAMES = 3
_EVIDENCE = "evidence of "


class _Condition(NamedTuple):
    """What a baseline's session has to share with the version to judge. `read` returns it as a text."""

    name: str
    read: Callable[[Session], str]


def levels(session: Session) -> list[str]:
    """Return the level of evidence of each component."""
    names = sorted(name for name in session.conditions if name.startswith(_EVIDENCE))
    return [f"{name.removeprefix(_EVIDENCE)} {session.conditions[name]}" for name in names]


_CONDITIONS = (
    _Condition("device", lambda session: session.device),
    _Condition("power profile", lambda session: session.power_profile),
    _Condition("project", lambda session: session.origin.project),
    _Condition("choice of tests", lambda session: session.choice),
    _Condition("evidence", lambda session: ", ".join(levels(session))),
    _Condition("settings", lambda session: session.origin.settings),
)


def matching(baseline: Sequence[Session], after: Sequence[Session], name: str) -> list[Session]:
    """Return the newest sessions of a baseline that were measured as the sessions `after` were. `name` is the baseline's.

    Raises `UsageError` with the reason if there is none.
    """
    reference = after[0]
    others = [session for session in baseline if not any(is_same(session, judged) for judged in after)]
    if not others:
        raise UsageError(f"{name} has no other session", "Add sessions of the version before: navitas baseline add RECORDING…")
    for condition in _CONDITIONS:
        wanted = condition.read(reference)
        kept = [session for session in others if condition.read(session) == wanted]
        if not kept:
            raise UsageError(
                f"{name} has no session with this {condition.name}: {_shown(others, condition)}, and {reference.name} has"
                f" {printable(wanted, 100)!r}",
                f"Measure with the same {condition.name}, or add a session with this one: navitas baseline add RECORDING…",
            )
        others = kept
    return sorted(others, key=lambda session: session.created_utc)[-MOST_SESSIONS:]


def group_of(session: Session) -> tuple[str, ...]:
    """Return what the sessions of a baseline that belong together have in common."""
    return tuple(condition.read(session) for condition in _CONDITIONS)


def check_addable(session: Session) -> None:
    """Raise `UsageError` for a session that is no reference: with uncommitted changes, of a busy device, or with failed tests."""
    reasons = (
        (bool(session.origin.dirty), "was measured with uncommitted changes", "Commit them, and measure again."),
        (not session.is_fit, "is of a busy or hot device", "Measure again on a quiet one."),
        (bool(session.failed), f"has failed tests: {printable_list(sorted(session.failed), _NAMES)}", "Fix them first."),
    )
    for is_wrong, problem, remedy in reasons:
        if is_wrong:
            raise UsageError(f"{session.name} {problem}", remedy)


def _shown(sessions: Sequence[Session], condition: _Condition) -> str:
    values = sorted({condition.read(session) for session in sessions})
    return f"its sessions have {printable_list([repr(value) for value in values], _NAMES)}"

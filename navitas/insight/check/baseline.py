"""The sessions of a baseline that a version can be compared with: of the same device, project and tests, measured alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from navitas.base.errors import UsageError
from navitas.base.untrusted_text import printable_line, printable_list
from navitas.insight.compare.session import Session
from navitas.insight.history.stored_session import is_same

MOST_SESSIONS = 20
"""The newest sessions that count: older ones are of older code."""
_NAMES = 3
_EVIDENCE, _SETTING = "evidence of ", "setting "


class _Condition(NamedTuple):
    """What a baseline's session has to share with the version to judge. `read` returns its parts by name."""

    name: str
    read: Callable[[Session], Mapping[str, str]]

    def unlike(self, session: Session, other: Session) -> list[str]:
        """Return the names of the parts in which two sessions differ."""
        parts, others = self.read(session), self.read(other)
        return sorted(name for name in {**parts, **others} if parts.get(name) != others.get(name))


def _parts(session: Session, prefix: str) -> dict[str, str]:
    conditions = session.conditions.items()
    return {name.removeprefix(prefix): value for name, value in conditions if name.startswith(prefix)}


_CONDITIONS = (
    _Condition("device", lambda session: {"": session.device}),
    _Condition("power profile", lambda session: {"": session.power_profile}),
    _Condition("project", lambda session: {"": session.origin.project}),
    _Condition("choice of tests", lambda session: {"": session.choice}),
    _Condition("evidence", lambda session: _parts(session, _EVIDENCE)),
    _Condition("settings", lambda session: _parts(session, _SETTING)),
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
        kept = [session for session in others if not condition.unlike(session, reference)]
        if not kept:
            nearest = min(others, key=lambda session: len(condition.unlike(session, reference)))
            unlike = condition.unlike(nearest, reference)
            there, here = (_shown(condition.read(session), unlike) for session in (nearest, reference))
            raise UsageError(
                f"{name} has no session with the same {condition.name}: {printable_line(nearest.name, 200)} has"
                f" {there}, and {reference.name} has {here}",
                f"Measure with the same {condition.name}, or add such a session: navitas baseline add RECORDING…",
            )
        others = kept
    return sorted(others, key=lambda session: session.created_utc)[-MOST_SESSIONS:]


def group_of(session: Session) -> tuple[str, ...]:
    """Return what the sessions of a baseline that belong together have in common."""
    return tuple(str(sorted(condition.read(session).items())) for condition in _CONDITIONS)


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


def _shown(parts: Mapping[str, str], names: Sequence[str]) -> str:
    """Return some parts of a condition: `mode 'tick', no seed`."""
    values = [f"{name} {parts[name]!r}".lstrip() if name in parts else f"no {name}" for name in names]
    return printable_list(values, _NAMES)

"""A session as a history file keeps it, checked as strictly as a report when it comes back."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Json

from navitas.compare.session import Joules, Kind, Origin, Session, TestRun
from navitas.history.schema import LONGEST

MOST_REPEATS = 100_000


def _time(text: str) -> str:
    if datetime.fromisoformat(text).utcoffset() != timedelta():
        raise ValueError("the time is not in UTC")
    return text


Time = Annotated[str, Field(max_length=40), AfterValidator(_time)]
_Name = Annotated[str, Field(max_length=LONGEST)]
_Repeat = Annotated[int, Field(ge=0, le=2**53)]


class FigureRow(NamedTuple):
    """The energy of a figure in one run of a test."""

    test: _Name
    repeat: _Repeat
    kind: Literal["test", "component", "thread", "method"]
    name: _Name
    energy_j: Joules


class StoredSession(BaseModel):
    """The columns of a session, its repeats and its figures. Raises `ValidationError` for what no report can have."""

    model_config = ConfigDict(strict=True, frozen=True)

    identity: str
    digest: str
    name: _Name
    created_utc: Time
    device: _Name
    power_profile: _Name
    project: str
    revision: Annotated[str, Field(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})?$")]
    dirty: Literal[0, 1] | None
    settings: _Name
    navitas_version: _Name
    conditions: Json[dict[str, str]]
    not_passed: Json[list[str]]
    turns: _Name
    is_fit: Literal[0, 1]
    repeats: Annotated[list[_Repeat], Field(min_length=1, max_length=MOST_REPEATS)]
    figures: list[FigureRow]

    def session(self) -> Session:
        """Return the session. Raises `ValueError` if a figure is missing, or it was changed after it was added."""
        dirty = None if self.dirty is None else bool(self.dirty)
        origin = Origin(self.project, self.revision, dirty, self.settings, self.navitas_version)
        found = Session(
            self.name, self.created_utc, self.device, self.power_profile, self.conditions, tuple(self.repeats),
            _tests(self.figures), frozenset(self.not_passed), self.turns, bool(self.is_fit), origin,
        )  # fmt: skip
        if any(set(runs) != set(found.repeats) for runs in found.tests.values()):
            raise ValueError("a repeat has no figures")
        if (self.identity, self.digest) != (identity(found), digest(found)):
            raise ValueError("other figures than were added")
        return found


COLUMNS = tuple(name for name in StoredSession.model_fields if name not in ("repeats", "figures"))


def columns(session: Session) -> tuple[object, ...]:
    """Return the values of `COLUMNS`."""
    origin = session.origin
    of_json = (json.dumps(session.conditions, sort_keys=True), json.dumps(sorted(session.not_passed)))
    return (
        *(identity(session), digest(session), session.name[:LONGEST], session.created_utc, session.device),
        *(session.power_profile, origin.project, origin.revision, origin.dirty, origin.settings, origin.navitas_version),
        *(*of_json, session.session, session.is_fit),
    )


def rows(session: Session) -> list[FigureRow]:
    """Return the figures of a session."""
    found: list[FigureRow] = []
    for test, runs in session.tests.items():
        for repeat, run in runs.items():
            found.append(FigureRow(test, repeat, "test", test, float(run.energy_j)))
            found += [FigureRow(test, repeat, "component", name, float(value)) for name, value in run.components.items()]
            found += [FigureRow(test, repeat, "thread", name, float(value)) for name, value in run.threads.items()]
            found += [FigureRow(test, repeat, "method", name, float(value)) for name, value in run.methods.items()]
    return found


def identity(session: Session) -> str:
    """Two recordings of the same second, device and project differ in their revision, or were measured in turns."""
    origin = session.origin
    in_turns = sorted(rows(session)) if session.session else []  # two versions can have the same revision
    return _sha256([session.created_utc, session.device, origin.project, origin.revision, origin.dirty, in_turns])


def digest(session: Session) -> str:
    """Return a digest of all that the identity does not have."""
    origin = session.origin
    known = (session.power_profile, origin.settings, origin.navitas_version, session.conditions, sorted(session.not_passed))
    return _sha256([*known, session.session, session.is_fit, session.repeats, sorted(rows(session))])


def _tests(figures: Iterable[FigureRow]) -> dict[str, dict[int, TestRun]]:
    totals: dict[tuple[str, int], float] = {}
    parts: dict[tuple[str, int], dict[Kind, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for one in figures:
        if one.kind == "test":
            totals[one.test, one.repeat] = one.energy_j
        else:
            parts[one.test, one.repeat][one.kind][one.name] = one.energy_j
    if parts.keys() - totals.keys():
        raise ValueError("a test has no energy")
    tests: dict[str, dict[int, TestRun]] = defaultdict(dict)
    for (test, repeat), energy_j in totals.items():
        of_run = parts[test, repeat]
        tests[test][repeat] = TestRun(energy_j, of_run["component"], of_run["thread"], of_run["method"])
    return dict(tests)


def _sha256(content: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

"""A session as a history file keeps it, checked as strictly as a report when it comes back.

Files of version 1 have no app energy: all energy of tests, by component and in sum.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Json

from navitas.insight.compare.figures import ENERGIES
from navitas.insight.compare.session import Joules, Origin, Session, TestRun
from navitas.insight.compare.subject import Energy
from navitas.insight.history.schema import LONGEST

MOST_REPEATS = 100_000
_NOW: Final[dict[str, Energy | Literal["thread", "method"]]] = {"component": "total", "thread": "thread", "method": "method"}


def _time(text: str) -> str:
    if datetime.fromisoformat(text).utcoffset() != timedelta():
        raise ValueError("the time is not in UTC")
    return text


Time = Annotated[str, Field(max_length=40), AfterValidator(_time)]
_Name = Annotated[str, Field(max_length=LONGEST)]
StoredKind = Energy | Literal["thread", "method"]
_Repeat = Annotated[int, Field(ge=0, le=2**53)]


class FigureRow(NamedTuple):
    """An energy in one run of a test: of a component (`kind`: which energy of the test), a thread or a method."""

    test: _Name
    repeat: _Repeat
    kind: StoredKind
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

    @classmethod
    def of(cls, session: Session) -> Self:
        """Return what is stored of a session. Nothing is checked."""
        return cls.unsigned(session).signed()

    @classmethod
    def unsigned(cls, session: Session) -> Self:
        """Return what is stored of a session, without its identity and digest."""
        origin = session.origin
        return cls.model_construct(
            name=session.name[:LONGEST], created_utc=session.created_utc, device=session.device,
            power_profile=session.power_profile, project=origin.project, revision=origin.revision, dirty=origin.dirty,
            settings=origin.settings, navitas_version=origin.navitas_version, conditions=session.conditions,
            not_passed=sorted(session.not_passed), turns=session.session, is_fit=session.is_fit, repeats=list(session.repeats),
            figures=_rows(session),
        )  # fmt: skip

    def signed(self) -> Self:
        """Return the session with its own identity and digest."""
        return self.model_copy(update={"identity": _identity(self), "digest": _digest(self)})

    def check(self) -> None:
        """Raise `ValueError` if it was changed after it was signed."""
        if (self.identity, self.digest) != (_identity(self), _digest(self)):
            raise ValueError("other figures than were added")

    def values(self) -> tuple[object, ...]:
        """Return the values of `COLUMNS`."""
        as_json = {"conditions": json.dumps(self.conditions, sort_keys=True), "not_passed": json.dumps(self.not_passed)}
        return tuple(as_json.get(name, getattr(self, name)) for name in COLUMNS)

    def in_turns(self) -> Sequence[object]:
        """Return the figures that distinguish versions in turns, which can have the same revision."""
        return sorted(row for row in self.figures if row.kind == "total")

    def session(self) -> Session:
        """Return the session. Raises `ValueError` if a figure is missing, or it was changed after it was added."""
        self.check()
        origin = Origin(self.project, self.revision, _bool(self.dirty), self.settings, self.navitas_version)
        found = Session(
            self.name, self.created_utc, self.device, self.power_profile, self.conditions, tuple(self.repeats),
            _tests(self.figures), frozenset(self.not_passed), self.turns, bool(self.is_fit), origin,
        )  # fmt: skip
        if any(set(runs) != set(found.repeats) for runs in found.tests.values()):
            raise ValueError("a repeat has no figures")
        return found


COLUMNS = tuple(name for name in StoredSession.model_fields if name not in ("repeats", "figures"))


def is_same(one: Session, other: Session) -> bool:
    """Whether two sessions are of the same recording."""
    return _identity(StoredSession.unsigned(one)) == _identity(StoredSession.unsigned(other))


def too_long(session: Session) -> str | None:
    """Return a name of a session that is longer than files keep: of a test, thread, method, component or device."""
    names = {session.device, session.power_profile, session.session, *session.tests}
    for runs in session.tests.values():
        for run in runs.values():
            names.update(run.threads, run.methods, *run.energies.values())
    return next((name for name in sorted(names) if len(name) > LONGEST), None)


def _rows(session: Session) -> list[FigureRow]:
    found: list[FigureRow] = []
    for test, runs in session.tests.items():
        for repeat, run in runs.items():
            parts: list[tuple[StoredKind, dict[str, float]]] = [("thread", run.threads), ("method", run.methods)]
            for kind, joules in (*parts, *run.energies.items()):
                found += [FigureRow(test, repeat, kind, name, float(energy_j)) for name, energy_j in joules.items()]
    return found


def _identity(one: StoredSession) -> str:
    """Two recordings of the same second, device and project differ in their revision, or were measured in turns."""
    in_turns = one.in_turns() if one.turns else []
    return _sha256([one.created_utc, one.device, one.project, one.revision, _bool(one.dirty), in_turns])


def _digest(one: StoredSession) -> str:
    """A digest of all that the identity does not have."""
    known = (one.power_profile, one.settings, one.navitas_version, one.conditions, one.not_passed)
    return _sha256([*known, one.turns, bool(one.is_fit), one.repeats, sorted(one.figures)])


def _bool(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def _tests(figures: Iterable[FigureRow]) -> dict[str, dict[int, TestRun]]:
    parts: dict[tuple[str, int], dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for one in figures:
        parts[one.test, one.repeat][one.kind][one.name] = one.energy_j
    tests: dict[str, dict[int, TestRun]] = defaultdict(dict)
    for (test, repeat), of_run in parts.items():
        energies = {energy: of_run[energy] for energy in ENERGIES if energy in of_run}
        if "total" not in energies:
            raise ValueError("a test has no energy")
        tests[test][repeat] = TestRun(energies, of_run["thread"], of_run["method"])
    return dict(tests)


def _sha256(content: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


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

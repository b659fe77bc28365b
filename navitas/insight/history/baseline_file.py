"""Sessions in a small, sorted JSON file for a project's repository: one line for each figure of a session, for diffs.

It has the figures of the repeats with four digits. Methods and threads with little energy are in one row for each module, so
sums stay as they are. A digest finds changes by hand.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from navitas.base.errors import HistoryError
from navitas.base.model_defects import first_defect
from navitas.base.regular_files import as_utf8, read_regular
from navitas.base.untrusted_text import printable_line
from navitas.insight.compare.session import Joules, Session
from navitas.insight.compare.subject import module_of
from navitas.insight.history.stored_session import FigureRow, StoredKind, StoredSession

VERSION = 1
_MAX_BYTES = 1 << 28
_LEAST_SHARE = 0.001
"""The least share of a test's energy of a method with a row of its own."""
_REST = "(methods with less than 0.1 %)"
_ID_LENGTH = 12
_REMEDY = "Restore it from the repository, or make a new one: navitas baseline add RECORDING…"


class _FigureLine(NamedTuple):
    """The joules of a figure in the repeats of a session, whose identity begins with `session`; None without it in a repeat."""

    kind: StoredKind
    test: str
    name: str
    session: str
    energies_j: list[Joules | None]


class _SessionLine(BaseModel):
    """A session without its figures."""

    model_config = ConfigDict(extra="allow", strict=True)

    identity: str
    repeats: list[int]


class _Baseline(BaseModel):
    model_config = ConfigDict(strict=True)

    navitas_baseline: Annotated[int, Field(ge=1)]
    sessions: list[_SessionLine]
    figures: list[_FigureLine]


def baseline_text(sessions: Sequence[Session]) -> str:
    stored = sorted((_small(session) for session in sessions), key=lambda kept: (kept.created_utc, kept.identity))
    heads = [kept.model_dump(exclude={"figures"}) for kept in stored]
    lines = sorted(line for kept in stored for line in _lines(kept))
    parts = [json.dumps(part, ensure_ascii=True, sort_keys=True) for part in heads], [json.dumps(line) for line in lines]
    listed = [",\n".join(part) for part in parts]
    return f'{{"navitas_baseline": {VERSION},\n"sessions": [\n{listed[0]}\n],\n"figures": [\n{listed[1]}\n]}}\n'


def read_baseline(file: Path) -> list[Session]:
    """Return the sessions of a file, in the order of their times.

    Raises `HistoryError` that names the file if it is damaged, was changed by hand, or is of a newer Navitas.
    """
    text = as_utf8(read_regular(file, _MAX_BYTES))
    try:
        baseline = _Baseline.model_validate_json(text)
    except ValidationError as error:
        where, message = first_defect(error)
        at = f" at {printable_line(where, 100)}" if where else ""
        raise HistoryError(f"{file} is no baseline{at}: {printable_line(message, 200)}", _REMEDY) from error
    if baseline.navitas_baseline > VERSION:
        problem = f"{file} has version {baseline.navitas_baseline} of baselines, and this Navitas knows version {VERSION}"
        raise HistoryError(problem, "Use the newer Navitas that wrote it.")
    rows: dict[str, list[FigureRow]] = defaultdict(list)
    repeats = {line.identity[:_ID_LENGTH]: line.repeats for line in baseline.sessions}
    for kind, test, name, session, energies_j in baseline.figures:
        for repeat, energy_j in zip(repeats.get(session, ()), energies_j, strict=False):
            if energy_j is not None:
                rows[session].append(FigureRow(test, repeat, kind, name, energy_j))
    return [_session(file, line, rows[line.identity[:_ID_LENGTH]]) for line in baseline.sessions]


def _session(file: Path, line: _SessionLine, rows: list[FigureRow]) -> Session:
    values = line.model_dump()
    as_json = {name: json.dumps(values.get(name)) for name in ("conditions", "not_passed")}
    try:
        return StoredSession.model_validate(values | as_json | {"figures": rows}).session()
    except ValueError as error:
        when = printable_line(str(values.get("created_utc", "unknown time")), 40)
        raise HistoryError(f"{file}: the session of {when} was changed after it was added", _REMEDY) from error


def _small(session: Session) -> StoredSession:
    stored = StoredSession.unsigned(session)
    return stored.model_copy(update={"figures": _rows(stored.figures)}).signed()


def _rows(figures: Iterable[FigureRow]) -> list[FigureRow]:
    """Return the rows with four digits; those of methods with little energy as sums."""
    sums: dict[tuple[str, int, StoredKind, str], float] = defaultdict(float)
    figures = list(figures)
    largest: dict[tuple[str, str], float] = defaultdict(float)
    totals: dict[tuple[str, int], float] = defaultdict(float)
    for row in figures:
        if row.kind == "method":
            totals[row.test, row.repeat] += row.energy_j
    for row in figures:
        if row.kind == "method":
            total_j = totals[row.test, row.repeat]
            largest[row.test, row.name] = max(largest[row.test, row.name], row.energy_j / total_j if total_j > 0 else 1.0)
    for test, repeat, kind, name, energy_j in figures:
        is_small = kind == "method" and largest[test, name] < _LEAST_SHARE
        sums[test, repeat, kind, _rest_of(name) if is_small else name] += energy_j
    return [FigureRow(*key, float(f"{energy_j:.4g}")) for key, energy_j in sums.items()]


def _rest_of(name: str) -> str:
    """Return the name of the row with the methods of the same module that have little energy."""
    module = module_of(name)
    return f"{module}:{_REST}" if module else _REST


def _lines(stored: StoredSession) -> Iterator[tuple[str, str, str, str, tuple[float | None, ...]]]:
    energies: dict[tuple[StoredKind, str, str], dict[int, float]] = defaultdict(dict)
    for test, repeat, kind, name, energy_j in stored.figures:
        energies[kind, test, name][repeat] = energy_j
    for (kind, test, name), by_repeat in energies.items():
        yield kind, test, name, stored.identity[:_ID_LENGTH], tuple(by_repeat.get(repeat) for repeat in stored.repeats)

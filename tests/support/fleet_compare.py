"""Compare two engines' results for one fleet. All values must be equal; fractions may differ in the last digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from navitas.fleet.diagnoses.advice import app_actions
from navitas.fleet.diagnoses.diagnosis import diagnoses_of, suspects
from navitas.fleet.diagnoses.versions import find_versions
from navitas.fleet.files import read_table
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.findings.results import Row, bug_rows, hog_rows, score_rows
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.paper import paper_findings, paper_sums
from navitas.fleet.paper.paper_findings import paper_bug_rows, paper_hog_rows
from navitas.fleet.stages import Fleet

_KEYS = ("client", "app", "package", "screen", "network")


class Compared(NamedTuple):
    """A compared table: its number of rows, whether everything except fractions is equal, and the largest difference.

    Equality includes row order. `apart` is relative to the larger value.
    """

    name: str
    rows: int
    is_equal: bool
    apart: float


def findings(fleet: Fleet, with_paper: bool = True) -> dict[str, Sequence[Row]]:
    """Return all findings of a fleet, as commands print them."""
    hogs = find_hogs(fleet)
    bugs = find_bugs(fleet, hogs)
    versions = find_versions(fleet, hogs, bugs)
    found: dict[str, Sequence[Row]] = {
        "hogs": hog_rows(fleet, hogs, versions.since),
        "versions of hogs": versions.rows,
        "bugs": bug_rows(fleet, bugs),
        "J-scores": score_rows(score_clients(fleet)),
        "actions": app_actions(fleet, hogs, bugs, diagnoses_of(fleet, hogs, bugs, suspects(hogs, bugs))),
    }
    if with_paper:
        paper_sums.bring_up_to_date(fleet)
        compared = paper_findings.find_hogs(fleet)
        found["the paper's hogs"] = paper_hog_rows(fleet, compared)
        found["the paper's bugs"] = paper_bug_rows(fleet, paper_findings.find_bugs(fleet, compared))
    return found


def same_findings(one: dict[str, Sequence[Row]], other: dict[str, Sequence[Row]]) -> list[Compared]:
    """Compare rows in order."""
    assert one.keys() == other.keys()
    return [_compared(name, *(pa.Table.from_pylist([row.as_json() for row in of[name]]) for of in (one, other))) for name in one]


def same_stages(one: Path, other: Path) -> list[Compared]:
    """Compare all tables in two folders of stage results, by kind. Row order has no effect."""
    names = [sorted(file.relative_to(work) for file in work.rglob("*.parquet")) for work in (one, other)]
    found: dict[str, list[Compared]] = {}
    for name in names[0]:
        tables = (_ordered(read_table(work / name)) for work in (one, other))
        found.setdefault(name.parts[0], []).append(_compared(str(name), *tables) if name in names[1] else _missing(str(name)))
    found.setdefault("files", []).append(Compared("files", len(names[0]), names[0] == names[1], 0.0))
    return [
        Compared(kind, sum(of.rows for of in of_kind), all(of.is_equal for of in of_kind), max(of.apart for of in of_kind))
        for kind, of_kind in found.items()
    ]


def _missing(name: str) -> Compared:
    return Compared(name, 0, False, 0.0)


def _ordered(table: pa.Table) -> pa.Table:
    keys = [(name, "ascending") for name in _KEYS if name in table.column_names]
    return table.sort_by(keys) if keys else table


def _compared(name: str, one: pa.Table, other: pa.Table) -> Compared:
    if one.column_names != other.column_names or one.num_rows != other.num_rows:
        return Compared(name, one.num_rows, False, float("inf"))
    fractions = [column for column in one.column_names if pa.types.is_floating(one[column].type)]
    rest = one.drop_columns(fractions).equals(other.drop_columns(fractions))
    apart = max((part for column in fractions for part in _apart(one[column], other[column])), default=0.0)
    return Compared(name, one.num_rows, rest, apart)


def _apart(one: pa.ChunkedArray, other: pa.ChunkedArray) -> Iterator[float]:
    left, right = (np.asarray(column.to_numpy(), np.float64) for column in (one, other))
    differs = np.flatnonzero(~((left == right) | (np.isnan(left) & np.isnan(right))))
    with np.errstate(invalid="ignore"):
        parts = np.abs(left[differs] - right[differs]) / np.maximum(np.abs(left[differs]), np.abs(right[differs]))
    yield float(np.nan_to_num(parts, nan=np.inf).max(initial=0.0))

"""From a table and options to execution cases: the target, the features, and columns that cannot have a cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.base.errors import UsageError
from navitas.insight.operations.regress.cases import Cases
from navitas.insight.operations.regress.families import NAMES, fold_numbers
from navitas.insight.operations.regress.noise import Noise
from navitas.insight.operations.regress.table import Table, shown
from navitas.recording.parse.arrays import F64, I64, Bool

LEAST_ROWS = 8
MOST_FEATURES = 2000
_APART = 4
"""A cost needs this many rows with another value than the usual one: one for each fold."""
_UNIT = r"([_ (\[]*(ns|us|µs|ms|s|sec|seconds|millis)[)\]]?)?"
_TIME = re.compile(rf"(.*[_ ])?(time|duration|elapsed|runtime|wall_?time){_UNIT}", re.IGNORECASE)
AUTO = "auto"
LOSSES = {"squared": Noise.CONSTANT, "between": Noise.ROOT, "relative": Noise.PROPORTIONAL}
"""Losses, and the kind of noise for which each is right: it weighs squared errors by the inverse of the noise's variance."""
LOSS_CHOICES = (AUTO, *LOSSES)


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What to fit. `family`: None selects one by cross-validation. `level`: the share of cases that intervals contain.

    `loss`: one of `LOSS_CHOICES`; `auto` selects one of `LOSSES` by the errors of left-out cases.

    Raises `UsageError` for a family or loss that does not exist.
    """

    target: str
    group: str | None = None
    ignore: Sequence[str] = ()
    time: str | None = None
    family: str | None = None
    level: float = 0.9
    drop_missing: bool = False
    loss: str = AUTO

    def __post_init__(self) -> None:
        for kind, name, names in (("family", self.family or NAMES[0], NAMES), ("loss", self.loss, LOSS_CHOICES)):
            if name not in names:
                raise UsageError(f"no {kind} {name!r}", f"Use {', '.join(names)}.")


@dataclass(frozen=True, slots=True)
class Prepared:
    """Cases and their features. `left_out`: name, usual value and reason of other columns.

    `time`: the name of a column with times and its values, (n,), in the order of the cases. It need not be a feature.
    """

    cases: Cases
    names: tuple[str, ...]
    left_out: tuple[tuple[str, float, str], ...]
    ignored: tuple[str, ...]
    time: tuple[str, F64] | None
    notes: tuple[str, ...]


def prepare(table: Table, options: FitOptions) -> Prepared:
    """Check and select columns and rows. Raises `UsageError` as `navitas.insight.operations.regress.fit.fit_table` does."""
    target, group, time = options.target, options.group, options.time
    table.check_known([target], "--target")
    table.check_known([group] if group is not None else [], "--group")
    table.check_known(options.ignore, "--ignore")
    ignored = [target, *([group] if group is not None else []), *options.ignore]
    names = [name for name in table.columns if name not in ignored]
    table.check_known([time] if time is not None else [], "--time")
    used = [target, *names, *([time] if time is not None and time not in names else [])]
    table.refuse_texts(used)
    notes: list[str] = []
    y = table.numbers(target)
    kept = _complete(table, used, options.drop_missing, notes)
    y = y[kept]
    _check_target(table, target, y, kept)
    features, left_out = _selected(table, names, kept, notes)
    if not features:
        what = f"no column has a cost: {'; '.join(notes)}" if left_out else f"no column besides {shown(ignored)}"
        raise UsageError(f"{table.name}: {what}", "Measure cases with different numbers of operations, one column for each.")
    if len(features) > MOST_FEATURES:
        raise UsageError(f"{table.name}: {len(features):,} features, more than {MOST_FEATURES:,}", "Leave some out by --ignore.")
    groups = (
        None if group is None else np.asarray(np.unique(np.array(table.texts(group))[kept], return_inverse=True)[1], np.int64)
    )
    fold = fold_numbers(len(y), groups)
    order = np.argsort(fold, kind="stable")
    x = np.empty((len(y), len(features)), order="F")
    scale = np.ones(len(features))
    for place, name in enumerate(features):
        column = table.numbers(name)[kept][order]
        scale[place] = np.abs(column).max()
        x[:, place] = column / scale[place]
    ends = np.cumsum(np.bincount(fold)).tolist()
    folds = tuple(slice(begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True))
    cases = Cases(x, y[order], scale, folds, None if groups is None else groups[order])
    named = time or _time(features)
    times = None if named is None else (named, table.numbers(named)[kept][order])
    return Prepared(cases, tuple(features), tuple(left_out), tuple(ignored), times, tuple(notes))


def _complete(table: Table, names: Sequence[str], drop: bool, notes: list[str]) -> I64:
    """The rows without empty cells."""
    empty: Bool = np.zeros(table.rows, bool)
    count, columns, first = 0, [], (table.rows, "")
    for name in names:
        if table.values[name].null_count or table.has_nan(name):
            missing = np.isnan(table.numbers(name))
            empty |= missing
            count += int(missing.sum())
            columns.append(name)
            first = min(first, (int(missing.argmax()), name))
    if count and not drop:
        what = f"{count:,} empty cells in {shown(columns)}, the first in column {first[1]!r}, row {first[0]}"
        raise UsageError(f"{table.name}: {what}", "Fill them, or add --drop-missing to leave out these rows.")
    if count:
        notes.append(f"{int(empty.sum()):,} rows with empty cells were left out")
    return np.flatnonzero(~empty)


def _check_target(table: Table, target: str, y: F64, rows: I64) -> None:
    if len(y) < LEAST_ROWS:
        raise UsageError(f"{table.name}: {len(y)} usable rows, but a fit needs {LEAST_ROWS}", "Measure more execution cases.")
    negative = np.flatnonzero(y < 0)
    if negative.size:
        what = f"{y[negative[0]]:g} is negative, but energy is not"
        raise UsageError(f"{table.name}: column {target!r}, row {rows[negative[0]]}: {what}", "Correct or remove the row.")
    if np.ptp(y) <= 1e-12 * np.abs(y).max():
        raise UsageError(f"{table.name}: column {target!r} is {y[0]:g} in all rows", "Measure cases that differ.")


def _selected(table: Table, names: Sequence[str], rows: I64, notes: list[str]) -> tuple[list[str], list[tuple[str, float, str]]]:
    """The columns that change in enough rows, and the others."""
    features, left_out = [], []
    for name in names:
        values = table.numbers(name)[rows]
        usual = float(np.partition(values, len(values) // 2)[len(values) // 2])
        tolerance = 1e-9 * float(np.abs(values).max())
        apart = int((np.abs(values - usual) > tolerance).sum())
        if apart >= _APART:
            features.append(name)
        else:
            left_out.append((name, usual, "rare" if apart else "constant"))
    for reason, text in (("constant", "never change, so idling has their energy"), ("rare", f"in fewer than {_APART} cases")):
        of_it = [name for name, _, why in left_out if why == reason]
        if of_it:
            notes.append(f"left out: {shown(of_it)}: {text}")
    return features, left_out


def _time(features: Sequence[str]) -> str | None:
    """The only feature whose name is that of a time."""
    found = [name for name in features if _TIME.fullmatch(name)]
    return found[0] if len(found) == 1 else None

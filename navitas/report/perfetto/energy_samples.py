"""Energy as stack samples: whole µJ of call paths at points in time. Their sum is the energy of all runs that count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.base.units import UJ_PER_J
from navitas.energy.attribute.curves import group_starts
from navitas.energy.attribute.ledger import NO_TEST, Ledger, counted_runs
from navitas.recording.parse.arrays import F64, I64, ColumnTable

MOST_STEPS = 200_000
"""The most samples with a time of their own. The energy of further ones counts at the times of their path's other samples."""
_ROUNDING_UJ = 1e-6


@dataclass(frozen=True, slots=True)
class EnergySamples(ColumnTable):
    """`weight_uj` of a call path of an owner at `t_ns` (CLOCK_MONOTONIC). `owner` and `path` are rows of the ledger."""

    t_ns: I64
    owner: I64
    path: I64
    weight_uj: I64


def energy_samples(ledger: Ledger) -> EnergySamples:
    """Return the self energy of all call paths in the runs that count, by test and step of time.

    A path's energy in a test is spread over time as `Ledger.call_steps` has it. Other energy counts in the middle of its test,
    or, outside of tests, of its run.
    """
    energy, counted = ledger.energy, counted_runs(ledger)
    rows = np.flatnonzero(counted[ledger.owners.run[energy.owner]])
    rows = rows[np.lexsort((energy.path[rows], energy.owner[rows], energy.test[rows]))]
    test, owner, path = (column[rows].astype(np.int64) for column in (energy.test, energy.owner, energy.path))
    first = np.flatnonzero(group_starts(test, owner, path)) if len(rows) else rows
    joules = np.add.reduceat(energy.exclusive_j[rows], first) if len(rows) else np.empty(0)
    test, owner, path = test[first], owner[first], path[first]
    row, t_ns, share = _over_time(ledger, _keys(ledger, test, owner, path))
    alone = np.setdiff1d(np.arange(len(first)), row)
    row = np.concatenate([row, alone])
    t_ns = np.concatenate([t_ns, _middle_ns(ledger, test[alone], owner[alone])])
    energy_uj = joules[row] * np.concatenate([share, np.ones(len(alone))]) * UJ_PER_J
    order, weight_uj = whole_uj(np.cumsum(group_starts(test, owner), dtype=np.int64)[row], energy_uj)
    used = order[weight_uj > 0]
    return EnergySamples(t_ns[used], owner[row[used]], path[row[used]], weight_uj[weight_uj > 0])


def whole_uj(group: I64, energy_uj: F64) -> tuple[I64, I64]:
    """Round energies to whole µJ, none of them negative. Returns an order of the rows, and the weights in this order.

    The remainder of a row is carried to the next one. A negative energy lowers the rows that follow it: others of its group, or,
    if the sum of the group is negative, of other groups. So the sum of all is rounded once.
    """
    total = np.bincount(group, energy_uj)
    order = np.lexsort((energy_uj >= 0, group, total[group] >= 0))
    carried = np.maximum.accumulate(np.maximum(np.cumsum(energy_uj[order]), 0.0))
    return order, np.diff(np.floor(carried + _ROUNDING_UJ), prepend=0.0).astype(np.int64)


def _keys(ledger: Ledger, test: I64, owner: I64, path: I64) -> I64:
    return ((test - NO_TEST) * len(ledger.owners) + owner) * len(ledger.paths) + path


def _over_time(ledger: Ledger, keys: I64) -> tuple[I64, I64, F64]:
    """Return a row of `keys` for each step of energy, its time, and its share of the row's energy."""
    steps = ledger.call_steps
    if steps is None or not len(keys):
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    chosen = np.flatnonzero((steps.raw_j > 0) & counted_runs(ledger)[ledger.owners.run[steps.owner]])
    if len(chosen) > MOST_STEPS:
        chosen = np.sort(chosen[np.argpartition(-steps.raw_j[chosen], MOST_STEPS)[:MOST_STEPS]])
    test, owner, path, step = (column[chosen].astype(np.int64) for column in (steps.test, steps.owner, steps.path, steps.step))
    wanted = _keys(ledger, test, owner, path)
    row = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    matching = keys[row] == wanted
    row, raw_j = row[matching], steps.raw_j[chosen][matching]
    run = ledger.owners.run[owner[matching]]
    step_ns = np.array([entry.call_step_ns for entry in ledger.runs], np.int64)[run]
    start_ns = np.array([entry.start_ns for entry in ledger.runs], np.int64)[run]
    t_ns = start_ns + step[matching] * step_ns + step_ns // 2
    tests = ledger.tests
    t_ns = np.clip(t_ns, tests.start_ns[test[matching]], tests.end_ns[test[matching]])
    return row, t_ns, raw_j / np.bincount(row, raw_j, len(keys))[row]


def _middle_ns(ledger: Ledger, test: I64, owner: I64) -> I64:
    runs = np.array([(entry.start_ns, entry.end_ns) for entry in ledger.runs], np.int64).reshape(-1, 2)[ledger.owners.run[owner]]
    inside = test != NO_TEST
    low, high = runs[:, 0], runs[:, 1]
    low[inside], high[inside] = ledger.tests.start_ns[test[inside]], ledger.tests.end_ns[test[inside]]
    middle: I64 = low + (high - low) // 2
    return middle

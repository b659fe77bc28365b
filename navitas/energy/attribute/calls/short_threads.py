"""Many short threads of one kind: samples of those with too many, by chance, stand for time of those with too few.

All samples of such threads stand for the same CPU time. A thread of 1.5 periods has one sample in its middle, or two near its
ends. If each thread had its own samples alone, those in the middle would stand for twice the time of those near the ends, and no
number of threads would make up for it. So a sample keeps what its thread has for it, and gives the rest to threads of its kind
whose samples are too few for their time. Each thread has all of its energy, in the paths of its own samples as far as they go.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.calls.self_totals import CPU_NS, SelfTotals
from navitas.energy.attribute.curves import group_starts
from navitas.energy.attribute.forest import binned, row_sums
from navitas.energy.attribute.run_rows import OWN_ROWS
from navitas.recording.parse.arrays import F64, I64, Bool

FEW_SAMPLES = 64
"""Threads with fewer samples in a test share them if there are more than `OWN_ROWS` of a kind. In fewer threads, the error of the
number of samples is larger than what sharing corrects."""
_ROUNDING_NS = 1e-3


@dataclass(frozen=True, slots=True)
class SharedSamples:
    """What samples own, with threads of one kind.

    `kept` has a row for each sample, `given` those of samples on other threads than theirs. `receiver` is the first sample of the
    thread of each row of `given`, and `drawn_j` the energy that each sample stands for.
    """

    kept: SelfTotals
    given: SelfTotals
    receiver: I64
    drawn_j: F64


def shared_by_kind(owned: SelfTotals, kind: I64, is_alone: Bool) -> SharedSamples:
    """Share what samples own among threads of one `kind`. Samples are by thread in a test.

    `is_alone`: no other sample of the thread has the same time. Threads with such samples share nothing.
    """
    energy_j = sum(owned.joules.values(), np.zeros(len(owned)))
    starts = group_starts(owned.window, owned.thread)
    group, first = np.cumsum(starts) - 1, np.flatnonzero(starts)
    if len(first) <= OWN_ROWS:  # The usual case takes no time.
        return SharedSamples(owned, owned.chosen(first[:0]), first[:0], energy_j)
    size, count = len(first), np.bincount(group).astype(np.float64)
    cpu_ns = binned(group, owned.amounts[CPU_NS], size)
    is_short = (count < FEW_SAMPLES) & (cpu_ns > 0) & (np.bincount(group[~is_alone], minlength=size) == 0)
    pool = _crowds(owned.window[first], kind[first], is_short)
    stands_for = _ratios(pool, cpu_ns, count)
    surplus_ns, lack_ns = (np.maximum(sign * (stands_for - 1), 0.0) * cpu_ns for sign in (1, -1))
    # Threads that do other work at another power would change each other's energy, so those of like power share.
    rank = np.argsort(np.lexsort((binned(group, energy_j, size) / np.maximum(cpu_ns, 1.0), pool)))
    giver = np.flatnonzero(surplus_ns[group] > 0)
    giver = giver[np.argsort(rank[group[giver]], kind="stable")]
    taker = np.flatnonzero(lack_ns > 0)
    taker = taker[np.argsort(rank[taker])]
    row, to, part_ns = _matched((surplus_ns / count)[group[giver]], lack_ns[taker])
    row, to = giver[row], taker[to]
    same = pool[group[row]] == pool[to]  # Rounding errors may join the end of a pool to the begin of the next one.
    row, to, part_ns = row[same], to[same], part_ns[same]
    taken_ns = binned(to, part_ns, size)
    kept = np.where(taken_ns > 0, np.minimum(stands_for, 1.0), 1.0)
    share = (1 - kept[to]) * part_ns / taken_ns[to]
    given = SelfTotals(
        owned.window[first[to]],
        owned.thread[first[to]],
        owned.path[row],
        np.zeros((len(owned.counts), len(to)), np.int64),
        row_sums(group, owned.amounts, size)[:, to] * share,
        {component: binned(group, column, size)[to] * share for component, column in owned.joules.items()},
    )
    return SharedSamples(owned.scaled(kept[group]), given, first[to], energy_j * stands_for[group])


def _crowds(window: I64, kind: I64, is_short: Bool) -> I64:
    """Return equal numbers for short threads of one kind in a test, if there are many; else -1."""
    short, pool = np.flatnonzero(is_short), np.full(len(window), -1)
    key = window[short] * (int(kind.max(initial=0)) + 1) + kind[short]
    _, number, members = np.unique(key, return_inverse=True, return_counts=True)
    many = members[number] > OWN_ROWS
    pool[short[many]] = number[many]
    return pool


def _ratios(pool: I64, cpu_ns: F64, count: F64) -> F64:
    """Return the CPU time that each thread's samples stand for, by what it has: 1 outside of pools."""
    ratio, member = np.ones(len(pool)), np.flatnonzero(pool >= 0)
    if len(member):
        own = pool[member]
        each_ns = np.bincount(own, cpu_ns[member]) / np.maximum(np.bincount(own, count[member]), 1.0)
        ratio[member] = count[member] * each_ns[own] / cpu_ns[member]
    return ratio


def _matched(given_ns: F64, taken_ns: F64) -> tuple[I64, I64, F64]:
    """Match what is given with what is taken, in order. Returns pairs of rows of both, and how much each pair has."""
    ends = np.cumsum(given_ns), np.cumsum(taken_ns)
    end_ns = np.sort(np.concatenate(ends))
    part_ns = np.diff(end_ns, prepend=0.0)
    row, to = (np.searchsorted(own, end_ns - part_ns / 2) for own in ends)
    matched = np.flatnonzero((part_ns > _ROUNDING_NS) & (row < len(given_ns)) & (to < len(taken_ns)))
    return row[matched], to[matched], part_ns[matched]

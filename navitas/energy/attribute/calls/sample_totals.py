"""The energy of stack samples: each owns the same CPU time of its thread as its neighbors, with the thread's power there.

A sample at a regular time, or at random, stands for its period. The midpoints to its neighbors would give it less where a thread
begins, ends or waits: samples right after a wait own nothing of what the thread did long before, those at its end half of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.amounts import Amounts
from navitas.energy.attribute.calls.paths import Paths
from navitas.energy.attribute.calls.sample_turns import MOST_PATHS, CommonCallers, turns_of
from navitas.energy.attribute.calls.self_totals import CPU_NS, DRAWS, WALL_NS, SelfTotals, merged_totals
from navitas.energy.attribute.calls.short_threads import SharedSamples, shared_by_kind
from navitas.energy.attribute.calls.step_totals import StepTotals
from navitas.energy.attribute.curves import group_starts, middle, overlaps
from navitas.energy.attribute.window_spans import NO_WINDOW, WindowSpans
from navitas.recording.parse.arrays import F64, I32, I64, Bool
from navitas.recording.parse.stack_samples import Stacks, StackSamples

BLOCK = 1 << 17
"""The samples that are read at a time."""
_MERGED_ROWS = 8 * BLOCK
MOST_PERIODS = 10.0
"""Neighbors with more CPU time between them than this number of periods have lost samples between them. Timers of cores hit a
thread that often waits at random: one gap of 22,000 is as long, and one of 50 is longer than four periods."""


STRETCH = 64
"""The least number of consecutive samples of a thread in a test that own the same CPU time, if there are as many."""


def paths_of_stacks(stacks: Stacks, paths: Paths) -> I64:
    """Return the call path of each row of `stacks`. New paths are added to `paths`."""
    return paths.of_forest(stacks.parent.astype(np.int64), stacks.frame.astype(np.int64))


def totals_of_samples(
    samples: StackSamples,
    paths: Paths,
    spans: WindowSpans,
    amounts: Amounts,
    *,
    kind: I64,
    skipped: Bool,
    steps: StepTotals | None = None,
) -> SelfTotals:
    """Sum up the samples by test, thread and call path. New paths are added to `paths`.

    A stretch of samples owns what is between the midpoints to its neighbors; a thread's first and last one in a test own up to
    the test's edges. If more CPU time than `MOST_PERIODS` periods lies between two samples, or a sample and an edge, each owns
    the share of half a period, and the rest is of no call. Samples of a stretch own the same CPU time; those at one time share
    it. Many short threads of one `kind` share their samples (short_threads.py). Times are CPU times. Samples outside of tests and
    of `skipped` threads own nothing. `steps` gets the joules over time, if there is one.
    """
    parts: list[SelfTotals] = []
    path = paths_of_stacks(samples.stacks, paths)
    callers = CommonCallers(paths) if len(paths) <= MOST_PATHS else None
    period_ns = _period_ns(samples, amounts)
    for block in _blocks(samples, spans, skipped):
        cpu_ns, power = amounts.clocks(block.thread, block.t_ns)
        owned = _owned(block, path[block.stack], period_ns, amounts, power)
        shared = shared_by_kind(owned, kind[block.thread], block.at_once == 1)
        if steps is not None:
            steps.add_spans(shared.kept, block.low_ns, block.high_ns)
            steps.add_spans(shared.given, block.low_ns[shared.receiver], block.high_ns[shared.receiver])
        parts.append(merged_totals(_with_turns(shared, cpu_ns, callers)))
        if sum(map(len, parts)) > _MERGED_ROWS:
            parts = [merged_totals(parts)]
    return merged_totals(parts)


def _period_ns(samples: StackSamples, amounts: Amounts) -> float | None:
    """Return the period of samples: the median CPU time between neighbors, if it is longer than the requested period.

    Kernels without fine timers interrupt a thread at their own tick.
    """
    if samples.period_ns is None or samples.period_ns <= 0:
        return None
    rows = np.arange(0, len(samples) - 1, max(len(samples) // BLOCK, 1))
    rows = rows[samples.thread[rows] == samples.thread[rows + 1]]
    between, _ = amounts.between(samples.thread[rows].astype(np.int64), samples.t_ns[rows], samples.t_ns[rows + 1])
    cpu_ns = between[CPU_NS][between[CPU_NS] > 0]
    return max(samples.period_ns, float(np.median(cpu_ns))) if len(cpu_ns) else samples.period_ns


@dataclass(frozen=True, slots=True)
class _Block:
    """Samples in tests, by thread, then time. Each has the span from `low_ns` to `high_ns`, divided by the samples at its time.

    `before_ns` and `after_ns` are the neighbors, or a test's edges.
    """

    window: I64
    thread: I64
    stack: I64
    t_ns: I64
    before_ns: I64
    after_ns: I64
    low_ns: I64
    high_ns: I64
    at_once: I64


def _blocks(samples: StackSamples, spans: WindowSpans, skipped: Bool) -> Iterator[_Block]:
    """Yield the samples in tests. A block ends between two times of a thread, or is a part of those at one time."""
    low, size = 0, len(samples)
    while low < size:
        high = _end_of_block(samples, low)
        # Of very many samples at one time, one shows the times of all.
        shown = high if high - low <= BLOCK else low + 1
        # One more sample on each side is the neighbor of the first and of the last one.
        before, after = max(low - 1, 0), min(high + 1, size)
        row = np.concatenate([np.arange(before, shown), np.arange(high, after)])
        thread, t_ns = samples.thread[row].astype(np.int64), samples.t_ns[row]
        window = spans.at(t_ns)
        window[skipped[thread]] = NO_WINDOW
        block = _with_spans(window, thread, samples.stack[row].astype(np.int64), t_ns, spans)
        inside = np.flatnonzero((window != NO_WINDOW) & (row >= low) & (row < high))
        if len(inside):
            chosen = _Block(*(getattr(block, name)[inside] for name in _Block.__slots__))
            yield from [chosen] if shown == high else _parts(chosen, samples.stack[low:high])
        low = high


def _end_of_block(samples: StackSamples, low: int) -> int:
    """Return the end of the block that begins at `low`: all samples at one time, if they are more than `BLOCK`."""

    def number_at(row: int, first: int, last: int) -> int:
        own = slice(first, last)
        return int(np.count_nonzero((samples.t_ns[own] == samples.t_ns[row]) & (samples.thread[own] == samples.thread[row])))

    high = min(low + BLOCK, len(samples))
    if high < len(samples):
        split = number_at(high, low, high)
        if split < high - low:
            return high - split
        while more := number_at(low, high, high + BLOCK):
            high += more
    return high


def _parts(sample: _Block, stack: I32) -> Iterator[_Block]:
    """Yield the samples with these stacks, all at the time of one."""
    for first in range(0, len(stack), BLOCK):
        own = stack[first : first + BLOCK].astype(np.int64)
        columns = {name: np.repeat(getattr(sample, name), len(own)) for name in _Block.__slots__}
        yield _Block(**{**columns, "stack": own, "at_once": np.full(len(own), len(stack))})


def _with_spans(window: I64, thread: I64, stack: I64, t_ns: I64, spans: WindowSpans) -> _Block:
    is_start = group_starts(window, thread, t_ns)
    start, of_start = np.flatnonzero(is_start), np.cumsum(is_start) - 1
    at_once = np.diff(np.append(start, len(t_ns)))
    own_window, own_thread, own_ns = window[start], thread[start], t_ns[start]
    is_first = group_starts(own_window, own_thread)
    is_last = np.append(is_first[1:], True)
    edge = np.maximum(own_window, 0)
    edges = (spans.start_ns, spans.end_ns) if len(spans.start_ns) else (np.zeros(1, np.int64), np.zeros(1, np.int64))
    before = np.where(is_first, edges[0][edge], np.roll(own_ns, 1))
    after = np.where(is_last, edges[1][edge], np.roll(own_ns, -1))
    low = np.where(is_first, before, middle(before, own_ns))
    high = np.where(is_last, after, middle(own_ns, after))
    columns = (column[of_start] for column in (before, after, low, high, at_once))
    return _Block(window, thread, stack, t_ns, *columns)


def _owned(block: _Block, path: I64, period_ns: float | None, amounts: Amounts, power: Mapping[int, F64]) -> SelfTotals:
    """Return what each sample of a block owns. `power` is that of each component at each sample, as far as it is known."""
    own, joules = amounts.between(block.thread, block.low_ns, block.high_ns)
    if period_ns is not None:
        for side, gap in (
            (_Spans(block.thread, block.low_ns, block.t_ns), _Spans(block.thread, block.before_ns, block.t_ns)),
            (_Spans(block.thread, block.t_ns, block.high_ns), _Spans(block.thread, block.t_ns, block.after_ns)),
        ):
            rows, share, whole = _long_gaps(gap, period_ns, amounts)
            sides = amounts.between(*side.of(rows))
            own[:, rows] += whole[0] * share - sides[0]
            for component, column in joules.items():
                column[rows] += whole[1][component] * share - sides[1][component]
    own, joules = _evened(block, own, joules, power)
    own[WALL_NS] = own[CPU_NS]  # in which calls a thread waited is not known
    return SelfTotals(block.window, block.thread, path, np.zeros((3, len(path)), np.int64), own, joules)


def _evened(block: _Block, own: F64, joules: dict[int, F64], power: Mapping[int, F64]) -> tuple[F64, dict[int, F64]]:
    """Divide what the samples of each stretch own among them: times evenly, joules by the component's power, if it is known."""
    first = np.flatnonzero(group_starts(block.window, block.thread))
    of_group = np.maximum(np.diff(np.append(first, len(block.stack))) // STRETCH, 1)
    group, number = overlaps(np.zeros(len(first), np.int64), of_group - 1)
    first = first[group] + STRETCH * number
    size, draw = np.diff(np.append(first, len(block.stack))), 1 / block.at_once

    def sums(column: F64) -> F64:
        return np.repeat(np.add.reduceat(column, first), size)

    even = draw / sums(draw)
    for column in own:
        if column.any():
            column[:] = sums(column * draw) * even
    divided = {}
    for component, column in joules.items():
        share = even
        if component in power:
            weight = draw * power[component]
            total = sums(weight)
            share = np.divide(weight, total, out=even.copy(), where=total > 0)
        divided[component] = sums(column * draw) * share
    return own, divided


def _with_turns(shared: SharedSamples, cpu_ns: F64, callers: CommonCallers | None) -> list[SelfTotals]:
    """Return totals of samples with their draws, and further ones that have the turns of common callers alone."""
    kept, given = shared.kept, shared.given
    group = np.cumsum(group_starts(kept.window, kept.thread)) - 1
    turns = turns_of(group, kept.path, shared.drawn_j, cpu_ns, callers)
    none = np.zeros(len(kept))
    drawn = replace(kept, draws=np.stack([none + 1, np.square(shared.drawn_j), turns.self_j2, turns.inclusive_j2]))
    none = np.zeros(len(turns.at))
    common = replace(kept.chosen(turns.at).scaled(none), path=turns.common, draws=np.stack([none, none, none, turns.common_j2]))
    return [drawn, common, replace(given, draws=np.zeros((DRAWS, len(given))))]


@dataclass(frozen=True, slots=True)
class _Spans:
    """A span of time on a thread for each sample."""

    thread: I64
    from_ns: I64
    to_ns: I64

    def of(self, rows: I64) -> tuple[I64, I64, I64]:
        return self.thread[rows], self.from_ns[rows], self.to_ns[rows]


def _long_gaps(gap: _Spans, period_ns: float, amounts: Amounts) -> tuple[I64, F64, tuple[F64, dict[int, F64]]]:
    """Return the samples whose gap has too much CPU time, half a period's share of the gap, and what is in it."""
    # A thread has at most the wall time, apart from the lag of its clock's readings.
    long = np.flatnonzero(gap.to_ns - gap.from_ns > (MOST_PERIODS - 1) * period_ns)
    long = long[amounts.certain_cpu_ns(*gap.of(long)) > MOST_PERIODS * period_ns]
    whole, joules = amounts.between(*gap.of(long))
    return long, period_ns / 2 / whole[CPU_NS], (whole, joules)

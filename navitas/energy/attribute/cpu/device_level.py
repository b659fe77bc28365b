"""Level *device*: no thread's CPU time is known, so threads inside of calls share the process's energy equally."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.energy.attribute.calls.paths import Paths
from navitas.energy.attribute.calls.walk import walk
from navitas.energy.attribute.curves import EMPTY_CURVE, Curve, Knots, group_starts, overlaps
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.tables import Thread


def shared_equally(threads: Sequence[Thread], paths: Paths, process_j: Curve, start_ns: int) -> tuple[Knots, F64, Curve]:
    """The energy curves of threads, and the energy used while no thread was in a call.

    At every instant, the threads inside of calls share the process's power equally. (Paper 1 charges each of them all of it.)
    """
    owner, enter_ns, exit_ns = _in_calls(threads, paths)
    times = np.unique(np.concatenate([process_j.t_ns, enter_ns, exit_ns]))
    if not process_j.t_ns.size or not times.size:
        count = len(threads)
        return Knots.from_columns(np.arange(count), np.full(count, start_ns), count), np.zeros(count), EMPTY_CURVE
    steps = np.zeros(len(times), np.int64)
    np.add.at(steps, np.searchsorted(times, enter_ns), 1)
    np.add.at(steps, np.searchsorted(times, exit_ns), -1)
    sharing = np.cumsum(steps)[:-1]
    joules = np.diff(process_j.at(times))
    per_thread = np.concatenate([[0.0], np.cumsum(np.where(sharing > 0, joules / np.maximum(sharing, 1), 0.0))])
    unattributed = np.concatenate([[0.0], np.cumsum(np.where(sharing > 0, 0.0, joules))])
    span, at = overlaps(np.searchsorted(times, enter_ns), np.searchsorted(times, exit_ns))
    added = np.where(group_starts(span), 0.0, np.diff(per_thread[at], prepend=0.0))
    without_calls = np.setdiff1d(np.arange(len(threads)), owner)
    owners = np.concatenate([owner[span], without_calls])
    knot_ns = np.concatenate([times[at], np.full(len(without_calls), start_ns)])
    order = np.lexsort((knot_ns, owners))
    knots = Knots.from_columns(owners[order], knot_ns[order], len(threads))
    return knots, knots.cumulate(np.concatenate([added, np.zeros(len(without_calls))])[order]), Curve(times, unattributed)


def _in_calls(threads: Sequence[Thread], paths: Paths) -> tuple[I64, I64, I64]:
    """The spans in which threads were inside of calls: thread, start, end. Spans of one thread do not touch.

    Memory grows with the number of outermost calls, since each adds knots to a thread's curve.
    """
    none = np.empty(0, np.int64)
    owners, starts, ends = [none], [none], [none]
    for batch in walk(threads, paths, none):
        inside = batch.depth > 0
        inside[batch.start[1:] - 1] = False
        begin = np.flatnonzero(np.diff(inside.astype(np.int8), prepend=0) > 0)
        end = np.flatnonzero(np.diff(inside.astype(np.int8), prepend=0) < 0)
        threads_of_pieces = np.array([piece.thread for piece in batch.pieces], np.int64)
        owners.append(threads_of_pieces[np.searchsorted(batch.start, begin, side="right") - 1])
        starts.append(batch.t_ns[begin])
        ends.append(batch.t_ns[end])
    for index, thread in enumerate(threads):
        inside = thread.folded.self_ns > 0
        owners.append(np.full(int(inside.sum()), index))
        starts.append(thread.folded.epoch_start_ns[inside])
        ends.append(thread.folded.epoch_end_ns[inside])
    owner, start, end = np.concatenate(owners), np.concatenate(starts), np.concatenate(ends)
    order = np.lexsort((start, owner))
    owner, start, end = owner[order], start[order], end[order]
    reach = end.copy()
    for number in np.unique(owner).tolist():
        part = slice(*np.searchsorted(owner, [number, number + 1]))
        reach[part] = np.maximum.accumulate(end[part])
    fresh = group_starts(owner)
    fresh[1:] |= start[1:] > reach[:-1]
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(owner)) - 1 if len(first) else first
    return owner[first], start[first], reach[last]

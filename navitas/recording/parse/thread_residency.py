"""Parse threads' `time_in_state` (Android: cpufreq_times) into residencies, and assign them to threads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from navitas.recording.manifest import Policy
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.tables import Thread, TimeInState
from navitas.recording.parse.time_in_state import TICK_NS

PATH = re.compile(r"/proc/\d{1,10}/task/(\d{1,10})/time_in_state$")
_HEADER = re.compile(r"cpu(\d{1,4})$", re.ASCII)
_ROW = re.compile(r"(\d{1,12})[ \t]+(\d{1,9})([ \t]+\d+)?[ \t]*$", re.ASCII)
_MAX_ROWS = 512
"""Phones have about 160 rows. Sums of this many values of 10^9 ticks are less than 2^63 ns."""
_NO_HEADER = -1
_NO_POLICY = -1

Texts = tuple[list[int], list[str]]
"""Times and texts of a file's readings."""
_Shape = tuple[tuple[int, int], ...]
_Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Residency:
    """Readings of one tid between two times at which its counters fell. `tables` has one table per policy, all at `t_ns`."""

    t_ns: I64
    tables: tuple[TimeInState, ...]

    def part(self, low: int, high: int) -> Residency:
        """Return the readings low … high - 1."""
        inside = slice(low, high)
        return Residency(self.t_ns[inside], tuple(replace(t, t_ns=t.t_ns[inside], ns=t.ns[inside]) for t in self.tables))


def parse_residencies(
    readings: Mapping[int, Texts], blocks_ns: I64, policies: Sequence[Policy], tables: Sequence[TimeInState]
) -> tuple[dict[int, list[Residency]], int]:
    """Return residencies by tid in time order, and the number of skipped readings (torn, or with frequencies of no policy).

    A text has rows `kHz ticks` (10 ms; a third column is ignored) under `cpuN` headers, where N is any CPU of a policy.
    Without headers, it has the rows of one policy after another, with the frequencies in `tables`.
    `blocks_ns` are the times of all readings: a thread that the previous reading does not list had not run by then.
    """
    places: dict[_Shape, tuple[_Place, ...] | None] = {}
    found: dict[int, list[Residency]] = {}
    skipped = 0
    for tid, (times, texts) in readings.items():
        # An empty text means that the thread ended after it was listed and before it was read.
        t_ns = [t for t, text in zip(times, texts, strict=True) if text]
        parsed = [_parsed(text) for text in texts if text]
        shapes = Counter(one[0] for one in parsed if one is not None)
        shape = shapes.most_common(1)[0][0] if shapes else ()
        if shape not in places:
            places[shape] = _places(shape, policies, tables)
        rows = places[shape]
        good = [i for i, one in enumerate(parsed) if one is not None and one[0] == shape] if rows else []
        skipped += len(parsed) - len(good)
        if rows and good:
            ticks = np.array([one[1] for i in good if (one := parsed[i]) is not None], np.int64)
            found[tid] = _residencies(np.array(t_ns, np.int64)[good], ticks, rows, blocks_ns)
    return found, skipped


def with_residencies(threads: Sequence[Thread], found: Mapping[int, Sequence[Residency]]) -> tuple[Thread, ...]:
    """Return the threads with their residencies. If several threads used a tid, each gets the readings of its own time."""
    owners: dict[int, list[tuple[int, int, int]]] = {}
    for index, thread in enumerate(threads):
        if thread.tid in found and (span := _span(thread)) is not None:
            owners.setdefault(thread.tid, []).append((*span, index))
    result = list(threads)
    for tid, spans in owners.items():
        spans.sort()
        best: dict[int, Residency] = {}
        for residency in found[tid]:
            for index, part in _split_by_thread(residency, spans):
                if index not in best or len(part.t_ns) > len(best[index].t_ns):
                    best[index] = part
        for index, part in best.items():
            result[index] = replace(result[index], residency=part.tables)
    return tuple(result)


@lru_cache(maxsize=1 << 14)
def _parsed(text: str) -> tuple[_Shape, tuple[int, ...]] | None:
    """Return (header's CPU, kHz) and ticks of each row, or None if the text is empty or torn."""
    cpu, keys, ticks = _NO_HEADER, [], []
    for line in text.splitlines()[: 2 * _MAX_ROWS + 1]:
        if header := _HEADER.match(line.strip()):
            cpu = int(header[1])
        elif row := _ROW.match(line):
            keys.append((cpu, int(row[1])))
            ticks.append(int(row[2]))
        else:
            return None
    return (tuple(keys), tuple(ticks)) if 0 < len(keys) <= _MAX_ROWS and text.endswith("\n") else None


def _places(shape: _Shape, policies: Sequence[Policy], tables: Sequence[TimeInState]) -> tuple[_Place, ...] | None:
    """Return (policy, kHz) of each row, with policy -1 for a row to ignore; None if the rows match no policy."""
    if any(cpu == _NO_HEADER for cpu, _ in shape):
        return _by_frequency([khz for _, khz in shape], policies, tables)
    policy_of_cpu = {cpu: policy.id for policy in policies for cpu in policy.cpus}
    first: dict[int, int] = {}
    for cpu, _ in shape:  # some kernels print a policy's rows once per CPU
        first.setdefault(policy_of_cpu.get(cpu, _NO_POLICY), cpu)
    places = tuple(
        (policy_of_cpu[cpu] if cpu in policy_of_cpu and first[policy_of_cpu[cpu]] == cpu else _NO_POLICY, khz)
        for cpu, khz in shape
    )
    return places if any(policy != _NO_POLICY for policy, _ in places) else None


def _by_frequency(khz: list[int], policies: Sequence[Policy], tables: Sequence[TimeInState]) -> tuple[_Place, ...] | None:
    """Assign rows without headers: policies in sequence, or else each row to the only policy that has its frequency."""
    if len(policies) == 1:
        return tuple((policies[0].id, value) for value in khz)
    known = [(table.policy, table.freq_khz.tolist()) for table in sorted(tables, key=lambda table: table.policy)]
    for descending in (False, True):
        rows = [(policy, value) for policy, values in known for value in (values[::-1] if descending else values)]
        if [value for _, value in rows] == khz:
            return tuple(rows)
    owners = [[policy for policy, values in known if value in values] for value in khz]
    return tuple(zip((own[0] for own in owners), khz, strict=True)) if all(len(own) == 1 for own in owners) else None


def _residencies(t_ns: I64, ticks: I64, rows: Sequence[_Place], blocks_ns: I64) -> list[Residency]:
    """Split where a counter falls, because another thread has the tid from then on."""
    falls = np.nonzero((np.diff(ticks, axis=0) < 0).any(axis=1))[0] + 1
    return [
        _residency(t_ns[low:high], ticks[low:high], rows, blocks_ns) for low, high in pairwise([0, *falls.tolist(), len(t_ns)])
    ]


def _residency(t_ns: I64, ticks: I64, rows: Sequence[_Place], blocks_ns: I64) -> Residency:
    before = int(np.searchsorted(blocks_ns, t_ns[0])) - 1
    if before >= 0 and ticks[0].sum() * TICK_NS <= t_ns[0] - blocks_ns[before] + TICK_NS:
        t_ns = np.concatenate([blocks_ns[before : before + 1], t_ns])
        ticks = np.concatenate([np.zeros_like(ticks[:1]), ticks])
    tables = []
    for policy in sorted({policy for policy, _ in rows} - {_NO_POLICY}):
        khz = np.array([khz for owner, khz in rows if owner == policy], np.int64)
        column = np.array([i for i, (owner, _) in enumerate(rows) if owner == policy], np.int64)
        order = np.argsort(khz, kind="stable")
        ns = ticks[:, column[order]] * TICK_NS
        tables.append(TimeInState(policy, t_ns, khz[order], ns))
    ran = [table for table in tables if table.ns.any()]
    return Residency(t_ns, tuple(ran or tables[:1]))


def _span(thread: Thread) -> tuple[int, int] | None:
    """Return the first and last time at which a thread is known to exist."""
    columns = (thread.anchors.t_ns, thread.samples.t_ns)
    ends = [int(column[i]) for column in columns if len(column) for i in (0, -1)]
    ends += thread.calls.span_ns if len(thread.calls) else ()
    return (min(ends), max(ends)) if ends else None


def _split_by_thread(residency: Residency, spans: Sequence[tuple[int, int, int]]) -> list[tuple[int, Residency]]:
    """Split a residency at the threads' starts. Readings that begin after a thread's end belong to the next thread."""
    t_ns = residency.t_ns
    starts = np.array([start for start, _, _ in spans], np.int64)
    owner = np.maximum(np.searchsorted(starts, t_ns, "right") - 1, 0)
    # A first reading of 0 may be from before the thread began.
    has_birth = len(t_ns) > 1 and not any(table.ns[0].any() for table in residency.tables)
    begin = t_ns[1 if has_birth else 0]
    for k, (_, end, _) in enumerate(spans[:-1]):
        if begin > end:
            owner[owner == k] = k + 1
    cuts = [0, *(np.nonzero(np.diff(owner))[0] + 1).tolist(), len(t_ns)]
    return [(spans[int(owner[low])][2], residency.part(low, high)) for low, high in pairwise(cuts)]

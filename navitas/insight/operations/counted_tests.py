"""How often the counters of each method counted in each run of a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from navitas.base.errors import RecordingError
from navitas.recording.manifest import Manifest, Test
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.tables import BlockCounts, MethodTable, RunTables


@dataclass(frozen=True, slots=True)
class CountedTest:
    """One run of a test. `counters` has the counts of a thread (a place in `threads`) and a method (a row of the method table).

    `collections` is the number of garbage collections, and `wall_s` the wall time in seconds.
    """

    module: str
    name: str
    run: int
    repeat: int
    status: str
    wall_s: float
    threads: tuple[str, ...]
    collections: int
    counters: Mapping[tuple[int, int], I64] = field(repr=False)

    @property
    def key(self) -> tuple[str, str]:
        """Module and `class#method`: the same in all runs of a test."""
        return self.module, self.name

    def by_method(self) -> dict[int, I64]:
        """The counters of each method, summed over threads."""
        return sum_counters([self])


def sum_counters(tests: Iterable[CountedTest]) -> dict[int, I64]:
    """The counters of each method, summed over threads and tests."""
    sums: dict[int, I64] = {}
    for test in tests:
        for (_, method), counts in test.counters.items():
            sums[method] = sums[method] + counts if method in sums else counts
    return sums


def counted_tests(parsed: ParsedRecording, manifest: Manifest, place: str) -> tuple[CountedTest, ...]:
    """Return all runs of tests, in the order of the recording.

    Raises `RecordingError` with `place` if no block was counted, or a method has several numbers of counters.
    """
    for run in parsed.runs:
        if run.calls.block_counts is not None:
            _check_lengths(run.calls.block_counts, parsed.method_table, place)
    listed = {test.id: test for test in manifest.tests}
    found = tuple(test for run in parsed.runs for test in _of_run(run, listed))
    if not any(test.counters for test in found):
        raise RecordingError(
            f"{place}: no executed blocks were counted",
            "Record with navitas profile --granularity block, and a test that passes.",
        )
    return found


def _check_lengths(counts: BlockCounts, table: MethodTable, place: str) -> None:
    lengths: dict[int, int] = {}
    for row, length in zip(counts.method.tolist(), np.diff(counts.start).tolist(), strict=True):
        if lengths.setdefault(row, length) != length:
            name = f"{table.methods[row].class_name}.{table.methods[row].name}"
            remedy = "The recording is damaged, or mixes builds: record again."
            raise RecordingError(f"{place}: {name} has several numbers of counters", remedy)


def _of_run(run: RunTables, listed: Mapping[int, Test]) -> Iterator[CountedTest]:
    counts = run.calls.block_counts
    names = tuple(thread.name for thread in run.threads)
    for window in run.app.windows:
        test = listed[window.test_id]
        span = (window.start_ns, window.end_ns)
        yield CountedTest(
            module=test.module,
            name=f"{test.class_name}#{test.method}",
            run=run.run_id,
            repeat=test.repeat,
            status=test.status,
            wall_s=(window.end_ns - window.start_ns) / 1e9,
            threads=names,
            collections=0 if counts is None else _collections(counts, *span),
            counters={} if counts is None else _counters(counts, *span),
        )


def _counters(counts: BlockCounts, start_ns: int, end_ns: int) -> dict[tuple[int, int], I64]:
    """The records of a window: the runtime publishes counts before each edge of a test, for the time until then."""
    first, last = np.searchsorted(counts.t_ns, [start_ns, end_ns], side="right").tolist()
    found: dict[tuple[int, int], I64] = {}
    for row in range(first, last):
        key = int(counts.thread[row]), int(counts.method[row])
        values = counts.counts[counts.start[row] : counts.start[row + 1]]
        found[key] = found[key] + values if key in found else values
    return found


def _collections(counts: BlockCounts, start_ns: int, end_ns: int) -> int:
    return int(counts.collections[(counts.collected_ns > start_ns) & (counts.collected_ns <= end_ns)].sum())

"""Stack samples for tests of attribution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from attribution_maker import ns

from navitas.recording.parse.stack_samples import Stacks, StackSamples
from navitas.recording.parse.tables import CallTables, RunTables


def stacks(*paths: Sequence[int]) -> Stacks:
    """A forest whose row i is the last frame of path i's own rows: each path has rows of its own."""
    parent: list[int] = []
    frame: list[int] = []
    for path in paths:
        for level, method in enumerate(path):
            parent.append(len(parent) - 1 if level else -1)
            frame.append(method)
    return Stacks(np.array(parent, np.int32), np.array(frame, np.int32))


def samples(rows: Iterable[tuple[int, float, Sequence[int]]], period_ms: float | None = None) -> StackSamples:
    """Samples of (thread, ms, methods from the outermost one)."""
    listed = sorted(rows, key=lambda row: (row[0], row[1]))
    paths = [path for _, _, path in listed]
    ends = np.cumsum([len(path) for path in paths]) - 1
    return StackSamples(
        np.array([thread for thread, _, _ in listed], np.int32),
        np.array([ns(ms) for _, ms, _ in listed], np.int64),
        ends.astype(np.int32),
        stacks(*paths),
        None if period_ms is None else period_ms * 1e6,
    )


def sampled(run: RunTables, taken: StackSamples) -> RunTables:
    """A run with stack samples."""
    return replace(run, calls=CallTables(samples=taken))

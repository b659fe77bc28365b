"""The call that started a chain of handed work: work that was handed over within other handed work."""

from __future__ import annotations

import numpy as np

from navitas.attribute.handed_spans import NO_TASK, HandedSpans
from navitas.parse.arrays import I64
from navitas.parse.hook_calls import Handoffs


def outermost_tasks(handoffs: Handoffs, spans: HandedSpans) -> I64:
    """The first handoff of each handoff's chain: itself, unless its starter ran within other handed work.

    `spans` are the times in which each handoff was the innermost one of its thread.
    """
    outer = task_at(spans, handoffs.origin, handoffs.origin_ns)
    task = np.where(outer == NO_TASK, np.arange(len(handoffs)), outer)
    for _ in range(len(handoffs).bit_length()):  # Each pass doubles the length of the steps.
        further = task[task]
        if (further == task).all():
            break
        task = further
    return task


def task_at(spans: HandedSpans, thread: I64, t_ns: I64) -> I64:
    """The innermost handoff that runs on each thread at each time, `NO_TASK` if there is none."""
    span = spans.at(thread, t_ns)
    return np.where(span == NO_TASK, NO_TASK, spans.task[span]) if len(spans) else np.full(len(thread), NO_TASK)

"""The time that an app waited for a CPU in each test, and the share of it that its own threads do not explain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.window_spans import NO_WINDOW, WindowSpans
from navitas.recording.manifest import Manifest
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.run_queue import RunQueue

STEP_NS = 100_000_000
"""The step in which waiting and running time are compared. It is long compared with a clock's lag of one tick (4 ms)."""


@dataclass(frozen=True, slots=True)
class Waits:
    """By window: the time spent ready to run without a CPU, in total and because of other processes or a CPU limit."""

    waited_ns: F64
    starved_ns: F64


def waits_of(queue: RunQueue, spans: WindowSpans, cpus: int) -> Waits:
    """The waiting time in each window.

    Threads of one app also wait for each other. Other processes can have used only the CPU time that the app left unused. So in
    each step: starved = min(waited, cpus * time - ran).
    """
    grid = np.union1d(_thinned(queue.t_ns), spans.marks)
    window, length_ns = spans.at(grid[:-1]), np.diff(grid)
    ran_ns = np.diff(np.interp(grid, queue.t_ns, queue.ran_ns))
    waited_ns = np.diff(np.interp(grid, queue.t_ns, queue.waited_ns))
    starved_ns = np.minimum(waited_ns, np.maximum(cpus * length_ns - ran_ns, 0.0))
    inside, count = window != NO_WINDOW, len(spans.windows)
    return Waits(binned(window[inside], waited_ns[inside], count), binned(window[inside], starved_ns[inside], count))


def cpus_of(manifest: Manifest) -> int:
    """The number of CPUs available to the app: the device's; on a virtual phone, at most the host's."""
    cpus, host = len(manifest.device.cpus), manifest.provenance.host
    on_host = host.cpus if manifest.device.kind == "virtual" and host is not None else None
    return max(1, cpus if on_host is None else min(cpus, on_host))


def _thinned(t_ns: I64) -> I64:
    """The first time in each step."""
    return t_ns[np.diff(t_ns // STEP_NS, prepend=-1) > 0]

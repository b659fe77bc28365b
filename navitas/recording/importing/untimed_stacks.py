"""What an import needs of stacks without times, and can say of them: their thread, and the share that the trace knows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from navitas.base.errors import RecordingError, UsageError
from navitas.recording.importing.notes import ImportNote
from navitas.recording.importing.place_in_trace import running_threads
from navitas.recording.parse.samples_untimed import NO_THREAD
from navitas.recording.parse.stack_samples import RawSamples
from navitas.recording.parse.trace.trace_tables import Trace

_ALONE = 0.95
"""The least share of a process's CPU time of a thread that counts as the only one."""
_LEAST = 0.5


def only_thread(trace: Trace, pid: int | None, shown: str) -> int:
    """Return the thread of stacks that name none: that which has nearly all CPU time of the process.

    Raises `UsageError` if there is none, or if the process is unknown.
    """
    if pid is None:
        raise UsageError(f"{shown}: the process of the stack samples is unknown", "Choose it: --process PID")
    tids = set(trace.tasks.tid[trace.tasks.tgid == pid].tolist()) | {pid}
    spans = running_threads(trace, tids)
    ran_ns = {tid: int((own.to_ns - own.from_ns).sum()) for tid, own in spans.items() if len(own.from_ns)}
    most = max(ran_ns, key=lambda tid: ran_ns[tid], default=NO_THREAD)
    if most == NO_THREAD or ran_ns[most] < _ALONE * sum(ran_ns.values()):
        raise UsageError(
            f"{shown}: the stack samples name no threads, and {len(ran_ns)} threads of process {pid} run in the trace",
            "Threads differ in energy, so profile with their names: async-profiler's option threads, or JFR.",
        )
    return most


def share_of_running(samples: RawSamples, pid: int, shown: str) -> float:
    """Return the share of samples without times whose threads run in the trace. Raises `RecordingError` if it is small.

    Threads that the trace does not know count as those of the process `pid`.
    """
    foreign = np.array([tid for tid, process in samples.process_of.items() if process != pid], np.int64)
    own = ~np.isin(samples.tid, foreign)
    share = float(np.average(samples.t_ns[own] > 0, weights=None if samples.count is None else samples.count[own]))
    if share < _LEAST:
        raise RecordingError(
            f"{shown}: only {share:.0%} of the stack samples are of threads that run in the trace",
            "Give a trace of the same time.",
        )
    return share


def notes_of_shares(share: float) -> Iterator[ImportNote]:
    """Yield what limits the figures of samples without times."""
    message = (
        "the stack samples have no times: each thread's energy in the whole trace is shared by their numbers, as if its power"
        f" were the same in all of them ({share:.1%} are of threads that run in the trace)"
    )
    yield ImportNote("imported", message, "Errors (±) are those of the number of samples alone. JFR of async-profiler has times.")

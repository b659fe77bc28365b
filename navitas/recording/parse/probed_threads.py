"""Probed threads: the events, folded calls and anchors that the runtime recorded, grouped by thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from navitas.recording.parse.anchors import decode_anchors
from navitas.recording.parse.call_events import encoded_calls
from navitas.recording.parse.chunks import (
    ANCHORS,
    BLOCK_COUNTS,
    CALLS,
    COMMUNICATIONS,
    FOLDED,
    HANDOFFS,
    HOOKS,
    MOUNTS,
    Chunk,
    by_thread_and_type,
)
from navitas.recording.parse.findings import LOST, TORN, Findings
from navitas.recording.parse.folded import decode_folded
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.tables import TID_LIMIT
from navitas.recording.parse.threads import ProbedThread

_OF_ANY_THREAD = (HOOKS, HANDOFFS, COMMUNICATIONS)
"""Types that threads without probes have, too."""
VIRTUAL_THREAD = "VirtualThread"
"""The name of a virtual thread without one. It has neither a kernel thread nor a clock."""
Groups = dict[int, dict[int, list[Chunk]]]
"""Chunks by the serial of their thread, then by type."""


def of_threads(groups: Groups, kind: int) -> list[Chunk]:
    """Return the chunks of one type of all threads."""
    return [chunk for by_type in groups.values() for chunk in by_type.get(kind, ())]


def by_thread(chunks: list[Chunk], findings: Findings) -> Groups:
    """Group the threads' chunks. Lost chunks go to `findings`."""
    groups: Groups = {}
    lost_records = 0
    missing_chunks: Counter[int] = Counter()
    for serial, kind, ordered, missing in by_thread_and_type(chunks):
        missing_chunks[serial] += missing
        if serial:
            groups.setdefault(serial, {})[kind] = ordered
        else:
            lost_records += sum(chunk.lost_before for chunk in ordered)
    names = {serial: name_of(by_type) for serial, by_type in groups.items()}
    message = "{count} chunks of events are missing from the event files"
    findings.add_losses_by_thread("chunks", missing_chunks, names, message, LOST)
    message = "{count} markers, clock or counter readings were lost while recording"
    findings.add_loss("records", lost_records, message, f"{TORN} A test without its end has the status 'cut'.")
    return groups


def name_of(by_type: Mapping[int, Sequence[Chunk]]) -> str:
    """Return the last name of a thread, or an empty string if it has none."""
    return next((chunk.name for ordered in reversed(tuple(by_type.values())) for chunk in reversed(ordered) if chunk.name), "")


def probed_threads(groups: Groups, known: dict[int, Span], findings: Findings) -> list[ProbedThread]:
    """Return the threads by serial. Lost and dropped events go to `findings`."""
    probed = []
    impossible: dict[int, int] = {}
    dropped = 0
    for serial, by_type in groups.items():
        all_chunks = [chunk for kind, ordered in by_type.items() if kind not in _OF_ANY_THREAD for chunk in ordered]
        if not all_chunks:
            continue  # a thread without probes that ran work of another one
        calls, bad_calls = encoded_calls(by_type.get(CALLS, ()), known)
        folded, bad_rows = decode_folded(by_type.get(FOLDED, ()), known)
        lost_events = sum(chunk.lost_before for chunk in all_chunks if chunk.type != BLOCK_COUNTS)
        tid, bad_tids = _tid(all_chunks)
        impossible[serial] = bad_tids
        anchors = decode_anchors(by_type.get(ANCHORS, ()), by_type.get(MOUNTS, ()))
        name = name_of(by_type) or ("" if tid or len(anchors.t_ns) else VIRTUAL_THREAD)
        probed.append(ProbedThread(serial, tid, name, calls, folded, anchors, lost_events))
        dropped += bad_calls + bad_rows
    names = {thread.serial: thread.name for thread in probed}
    lost = {thread.serial: thread.lost_events for thread in probed}
    findings.add_losses_by_thread("events", lost, names, "{count} events were lost while recording", LOST)
    message = "{count} chunks of events have an impossible thread id, which is ignored"
    findings.add_losses_by_thread("thread_ids", impossible, names, message, "Copy the recording again, or record again.")
    message = "{count} events were left out: their method ids are not in the map, or their times are impossible"
    findings.add_loss("foreign_methods", dropped, message, "Their time counts as their callers' time or as untraced.")
    return sorted(probed, key=lambda thread: thread.serial)


def _tid(chunks: Sequence[Chunk]) -> tuple[int, int]:
    """Return the thread id that most chunks name (0 if none), and the number of chunks with an impossible thread id."""
    named = Counter(chunk.tid for chunk in chunks if chunk.tid)
    impossible = sum(count for tid, count in named.items() if tid >= TID_LIMIT)
    ranked = sorted((-count, tid) for tid, count in named.items() if tid < TID_LIMIT)
    return (ranked[0][1] if ranked else 0), impossible

"""Threads as the runtime wrote them: events, folded calls and anchors, gathered from the run's chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from navitas.parse.anchors import decode_anchors
from navitas.parse.call_events import encoded_calls
from navitas.parse.chunks import ANCHORS, CALLS, FOLDED, Chunk, by_thread_and_type
from navitas.parse.findings import LOST, TORN, Findings
from navitas.parse.folded import decode_folded
from navitas.parse.methodmap import Span
from navitas.parse.tables import TID_LIMIT
from navitas.parse.threads import Probed


def of_type(chunks: Iterable[Chunk], kind: int) -> list[Chunk]:
    """The chunks of one type."""
    return [chunk for chunk in chunks if chunk.type == kind]


Groups = dict[int, dict[int, list[Chunk]]]
"""Chunks by their thread's serial and by type."""


def by_thread(chunks: list[Chunk], findings: Findings) -> Groups:
    """The threads' chunks; lost ones go to the findings."""
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
    findings.lose_of_threads("chunks", missing_chunks, names, message, LOST)
    message = "{count} markers, clock or counter readings were lost while recording"
    findings.lose("records", lost_records, message, f"{TORN} A test whose end is lost is shown as cut.")
    return groups


def name_of(by_type: Mapping[int, Sequence[Chunk]]) -> str:
    """The last name of a thread; empty where it has none."""
    return next((chunk.name for ordered in reversed(tuple(by_type.values())) for chunk in reversed(ordered) if chunk.name), "")


def probed_threads(groups: Groups, known: dict[int, Span], findings: Findings) -> list[Probed]:
    """Threads by serial; lost and dropped events go to the findings."""
    probed = []
    impossible: dict[int, int] = {}
    dropped = 0
    for serial, by_type in groups.items():
        every = [chunk for ordered in by_type.values() for chunk in ordered]
        calls, bad_calls = encoded_calls(by_type.get(CALLS, ()), known)
        folded, bad_rows = decode_folded(by_type.get(FOLDED, ()), known)
        lost_events = sum(chunk.lost_before for chunk in every)
        tid, bad_tids = _tid(every)
        impossible[serial] = bad_tids
        anchors = decode_anchors(by_type.get(ANCHORS, ()))
        probed.append(Probed(serial, tid, name_of(by_type), calls, folded, anchors, lost_events))
        dropped += bad_calls + bad_rows
    names = {thread.serial: thread.name for thread in probed}
    lost = {thread.serial: thread.lost_events for thread in probed}
    findings.lose_of_threads("events", lost, names, "{count} events were lost while recording", LOST)
    message = "{count} chunks of events name a thread id that no kernel gives, which is left out"
    findings.lose_of_threads("thread_ids", impossible, names, message, "Copy the recording again, or record again.")
    message = "{count} events with method ids that the map does not hold, or of impossible times, were left out"
    findings.lose("foreign_methods", dropped, message, "Their time counts as their callers' or as untraced.")
    return sorted(probed, key=lambda thread: thread.serial)


def _tid(chunks: Sequence[Chunk]) -> tuple[int, int]:
    """The thread id that most chunks name, 0 where none does, and how many chunks name one that cannot be."""
    named = Counter(chunk.tid for chunk in chunks if chunk.tid)
    impossible = sum(count for tid, count in named.items() if tid >= TID_LIMIT)
    ranked = sorted((-count, tid) for tid, count in named.items() if tid < TID_LIMIT)
    return (ranked[0][1] if ranked else 0), impossible

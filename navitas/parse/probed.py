"""Threads as the runtime wrote them: events, folded calls and anchors, gathered from the run's chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from navitas.parse.anchors import decode_anchors
from navitas.parse.calls import encoded_calls
from navitas.parse.chunks import ANCHORS, CALLS, FOLDED, Chunk, by_thread_and_type
from navitas.parse.findings import LOST, TORN, Findings
from navitas.parse.folded import decode_folded
from navitas.parse.methodmap import Span
from navitas.parse.threads import Probed


def of_type(chunks: Iterable[Chunk], kind: int) -> list[Chunk]:
    """The chunks of one type."""
    return [chunk for chunk in chunks if chunk.type == kind]


_NAMED = 3

Groups = dict[int, dict[int, list[Chunk]]]
"""Chunks by their thread's serial and by type."""


def by_thread(chunks: list[Chunk], findings: Findings) -> Groups:
    """The threads' chunks; lost ones go to the findings."""
    groups: Groups = {}
    missing_chunks = lost_records = 0
    for serial, kind, ordered, missing in by_thread_and_type(chunks):
        missing_chunks += missing
        if serial:
            groups.setdefault(serial, {})[kind] = ordered
        else:
            lost_records += sum(chunk.lost_before for chunk in ordered)
    findings.lose("chunks", missing_chunks, "{count} chunks of events are missing from the event files", LOST)
    message = "{count} markers, clock or counter readings were lost while recording"
    findings.lose("records", lost_records, message, f"{TORN} A test whose end is lost is shown as cut.")
    return groups


def probed_threads(groups: Groups, known: dict[int, Span], findings: Findings) -> list[Probed]:
    """Threads by serial; lost and dropped events go to the findings."""
    probed = []
    dropped = 0
    lost: Counter[str] = Counter()
    for serial, by_type in groups.items():
        every = [chunk for ordered in by_type.values() for chunk in ordered]
        calls, bad_calls = encoded_calls(by_type.get(CALLS, ()), known)
        folded, bad_rows = decode_folded(by_type.get(FOLDED, ()), known)
        lost_events = sum(chunk.lost_before for chunk in every)
        tid = max((chunk.tid for chunk in every), default=0)
        name = next((chunk.name for chunk in reversed(every) if chunk.name), "")
        probed.append(Probed(serial, tid, name, calls, folded, decode_anchors(by_type.get(ANCHORS, ())), lost_events))
        dropped += bad_calls + bad_rows
        lost[name or f"number {serial}"] += lost_events
    findings.lose("events", lost.total(), f"{{count}} events were lost while recording: {_ranked(lost)}", LOST)
    message = "{count} events with method ids that the map does not hold were left out"
    findings.lose("foreign_methods", dropped, message, "Their time counts as their callers' or as untraced.")
    return sorted(probed, key=lambda thread: thread.serial)


def _ranked(lost: Counter[str]) -> str:
    """The threads that lost most, by name."""
    threads = [f"{count} in thread {name}" for name, count in lost.most_common() if count]
    others = [f"the rest in {len(threads) - _NAMED} more"] if len(threads) > _NAMED else []
    return ", ".join(threads[:_NAMED] + others)

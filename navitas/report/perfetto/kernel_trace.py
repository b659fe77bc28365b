"""Recorded kernel traces: whether the trace of a run can be copied, and its copy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import IO

from navitas.energy.analyze.profile import RecordedTables
from navitas.recording.parse.trace.join import PERFETTO_SUFFIXES
from navitas.recording.parse.trace.perfetto_packets import Damaged, by_protobuf, packet_blocks, raw_packets

_FIRST_PACKETS = 64
"""The first clock snapshot of a trace is among these packets, if it is not compressed."""


def kernel_trace_of(recorded: RecordedTables | None, run: int) -> Path | str:
    """Return the file of a run's kernel trace, or why it has none that can be copied.

    A trace that the analysis could not use is left out: its times can be those of another boot. So is a trace as text.
    """
    if recorded is None:
        return "not included: the profile has no recording"
    files = recorded.recording.files("trace", run)
    if not files:
        return "none was recorded"
    if run not in recorded.traced:
        return "not included: it could not be joined with the run"
    path = next((file for file in files if file.suffix in PERFETTO_SUFFIXES), None)
    return f"not included: {files[0].name} is text" if path is None else path


def copy_packets(path: Path, out: IO[bytes], insert: Callable[[], None] | None = None) -> None:
    """Copy the packets of a trace as they are, in bounded memory, up to a damaged end.

    `insert` writes other packets, after the first clock snapshot or at the begin. Perfetto sorts packets as it reads them, so
    it drops those that come much later in the file than others of the same time.

    Raises `RecordingError` if the file cannot be read.
    """
    before = 0 if insert is None else _first_snapshot(path)
    if insert is not None and not before:
        insert()
    for block in filter(None, packet_blocks(path)):
        start = 0
        if insert is not None and 0 < before <= len(block.ends):
            start = block.ends[before - 1]
            out.write(block.data[:start])
            insert()
        before -= len(block.ends)
        out.write(block.data[start:])


def _first_snapshot(path: Path) -> int:
    """Return the number of packets up to the first clock snapshot; 0 if the first packets have none."""
    numbered = enumerate(islice(raw_packets(path), _FIRST_PACKETS), 1)
    return next((number for number, packet in numbered if packet is not None and _has_clocks(packet)), 0)


def _has_clocks(packet: bytes) -> bool:
    decoded = by_protobuf(packet, 0)
    return not isinstance(decoded, Damaged) and bool(decoded.message.HasField("clock_snapshot"))

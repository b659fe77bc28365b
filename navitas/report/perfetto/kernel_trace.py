"""Recorded kernel traces: whether the trace of a run can be copied, and its copy packet by packet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO

from navitas.base.protobuf_writer import content, varint
from navitas.energy.analyze.profile import RecordedTables
from navitas.recording.parse.trace.join import PERFETTO_SUFFIXES
from navitas.recording.parse.trace.perfetto_packets import Damaged, by_protobuf, raw_packets
from navitas.report.perfetto.trace_packets import PACKET

_TAG = content(PACKET, b"")[:1]
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
    first: list[bytes] = []
    for packet in raw_packets(path):
        if packet is None:
            break
        if insert is None:
            out.write(_TAG + varint(len(packet)) + packet)
            continue
        first.append(content(PACKET, packet))
        has_clocks = _has_clocks(packet)
        if has_clocks or len(first) == _FIRST_PACKETS:
            _write_first(first, out, insert, has_clocks=has_clocks)
            insert = None
    if insert is not None:
        _write_first(first, out, insert, has_clocks=False)


def _write_first(first: list[bytes], out: IO[bytes], insert: Callable[[], None], *, has_clocks: bool) -> None:
    if not has_clocks:
        insert()
    out.writelines(first)
    if has_clocks:
        insert()


def _has_clocks(packet: bytes) -> bool:
    decoded = by_protobuf(packet, 0)
    return not isinstance(decoded, Damaged) and bool(decoded.message.HasField("clock_snapshot"))

"""Copies recorded kernel traces packet by packet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from navitas.base.protobuf_writer import content
from navitas.energy.analyze.profile import Recorded
from navitas.recording.parse.trace.join import PERFETTO_SUFFIXES
from navitas.recording.parse.trace.perfetto_packets import raw_packets
from navitas.report.perfetto.trace_packets import PACKET


@dataclass(frozen=True, slots=True)
class CopiedTrace:
    """What became of a run's kernel trace, in words, and the number of packets that were copied."""

    about: str
    packets: int = 0


def copy_kernel_trace(recorded: Recorded | None, run: int, out: IO[bytes]) -> CopiedTrace:
    """Copy the packets of a run's kernel trace, in bounded memory. They stay as they are, also compressed ones.

    A trace that the analysis could not use is left out: its times can be those of another boot. So is a trace as text.

    Raises `RecordingError` if the file cannot be read.
    """
    if recorded is None:
        return CopiedTrace("not included: the profile has no recording")
    files = recorded.recording.files("trace", run)
    if not files:
        return CopiedTrace("none was recorded")
    if run not in recorded.traced:
        return CopiedTrace("not included: it could not be joined with the run")
    path = next((file for file in files if file.suffix in PERFETTO_SUFFIXES), None)
    if path is None:
        return CopiedTrace(f"not included: {files[0].name} is text")
    copied, end = 0, ""
    for packet in raw_packets(path):
        if packet is None:
            end = "; its end is damaged"
        else:
            out.write(content(PACKET, packet))
            copied += 1
    return CopiedTrace(f"included: {copied} packets{end}", copied)

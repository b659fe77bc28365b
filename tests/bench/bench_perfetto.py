"""Time and memory of Perfetto reports: a kernel trace of 1 GB is copied, and a recording of 10 million events exported."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from common import Figures, arguments, compared_with, printed_s, run_measured
from support.big_recording import make_big_recording
from support.perfetto_writer import PerfettoWriter

_COPY = """\
import sys, time
from pathlib import Path
from navitas.report.perfetto.kernel_trace import copy_packets
begin = time.process_time()
with open(sys.argv[2], "wb") as out:
    copy_packets(Path(sys.argv[1]), out, lambda: None)
print(time.process_time() - begin)
"""
_FLOOR = """\
import sys, time
def varint(stream):
    value, shift = 0, 0
    while byte := stream.read(1):
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value
        shift += 7
def written(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return out
begin = time.process_time()
with open(sys.argv[1], "rb") as stream, open(sys.argv[2], "wb") as out:
    while stream.read(1):
        size = varint(stream)
        packet = stream.read(size)
        out.write(b"\\x0a" + written(size) + packet)
print(time.process_time() - begin)
"""
"""The least work of any copy by packets: read each, and write it."""
_EXPORT = """\
import sys, time
import navitas
from navitas.report.registry import find_format
profile = navitas.load(sys.argv[1], call_steps=True, recorded=True)
begin = time.process_time()
with open(sys.argv[2], "wb") as out:
    find_format("perfetto").write(profile, out)
print(time.process_time() - begin)
"""


def main(argv: list[str]) -> int:
    """Write a trace and a recording, and export both in separate processes."""
    options = arguments(__doc__ or "", argv)
    figures = Figures("Perfetto reports (CPU time)")
    scale = 10 if options.quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _copy(figures, folder, (1 << 30) // scale)
        _export(figures, folder, 10_000_000 // scale)
    return figures.close(options.check)


def _copy(figures: Figures, folder: Path, size: int) -> None:
    trace, copy = folder / "trace.pftrace", folder / "copy.pftrace"
    writer = PerfettoWriter()
    for begin in range(0, 1 << 20, 1 << 12):
        writer.compact(begin % 8, [(1 + begin + at, 0, 1000 + at % 50, f"thread{at % 50}") for at in range(1 << 12)])
    block = bytes(writer)
    with trace.open("wb") as stream:
        for _ in range(size // len(block) + 1):
            stream.write(block)
    own, floor = (printed_s(script, trace, copy) for script in (_COPY, _FLOOR))
    same = copy.stat().st_size == trace.stat().st_size
    note = f"{own:.2f} s; {'complete' if same else 'INCOMPLETE'}"
    figures.add(
        f"copy {size / 1e9:.2f} GB of trace, packet by packet", own / floor, "× reading and writing it", at_most=1.2, note=note
    )
    peak = run_measured([sys.executable, "-c", _COPY, trace, copy]).peak_mib
    figures.add(f"copy {size / 1e9:.2f} GB, peak memory", peak, "MiB", at_most=300)


def _export(figures: Figures, folder: Path, events: int) -> None:
    recording, out = folder / "recording", folder / "report.pftrace"
    count = make_big_recording(recording, events)
    own = printed_s(_EXPORT, recording, out)
    peak = run_measured([sys.executable, "-c", _EXPORT, recording, out])
    note = f"{compared_with(own, peak.cpu_s, 'loading and export')}; {out.stat().st_size / 1e6:.1f} MB"
    figures.add(f"{count / 1e6:.1f} M events, export", own, "s", at_most=15.0, note=note)
    figures.add(f"{count / 1e6:.1f} M events, peak memory with loading", peak.peak_mib, "MiB", at_most=512)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

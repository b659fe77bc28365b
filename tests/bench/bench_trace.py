"""Time and memory to read kernel traces: text of 1 GB, a million short-lived threads, and a comparison with E-MANAFA."""

from __future__ import annotations

import gzip
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from common import Figures, arguments, compared_with, printed_s, run_measured
from peer import manafa_python
from support.ftrace_writer import Form
from support.perfetto_samples import SampleWriter
from support.perfetto_writer import PerfettoWriter, idle

from navitas.base.protobuf_writer import varint

_FORM = Form(tgid=True, flags="....")
_SECOND = 100_000
_EACH, _SAMPLES = 500, 200
_S = 1_000_000_000
_READ = """\
import sys, time
from pathlib import Path
import numpy
from navitas.recording.parse.trace.{module} import {reader}
begin = time.process_time()
raw = {reader}(Path(sys.argv[1]))
print(time.process_time() - begin)
"""
_READ_TEXT = _READ.format(module="text_trace", reader="read_text")
_READ_PERFETTO = _READ.format(module="perfetto", reader="read_perfetto")
_IMPORT = """\
import sys, time
from pathlib import Path
import numpy
from navitas.recording.importing.plain_files import plain_file
from navitas.recording.importing.traced_recording import read_kernel_trace
begin = time.process_time()
with plain_file(Path(sys.argv[1]), "trace", is_trace=True) as plain:
    read_kernel_trace(plain, "trace")
print(time.process_time() - begin)
"""
_UNPACK = """\
import gzip, sys, time
begin = time.process_time()
with gzip.open(sys.argv[1]) as stream:
    while stream.read(1 << 20):
        pass
print(time.process_time() - begin)
"""
_LINES = """\
import sys, time, numpy as np
begin, count, buffer = time.process_time(), 0, bytearray(2 << 20)
with open(sys.argv[1], "rb", buffering=0) as stream:
    while size := stream.readinto(buffer):
        count += np.count_nonzero(np.frombuffer(buffer, np.uint8, size) == 10)
print(time.process_time() - begin)
"""
"""The least work of any reader: read and inspect every byte."""
_MANAFA = """\
import sys, time
from manafa.parsing.perfetto.perfettoParser import PerfettoCPUfreqParser
parser, begin = PerfettoCPUfreqParser(), time.process_time()
parser.parse_file(sys.argv[1])
print(time.process_time() - begin)
"""


def main(argv: list[str]) -> int:
    """Write traces, and read each in a separate process."""
    options = arguments(__doc__ or "", argv)
    figures = Figures("Kernel traces (CPU time)")
    scale = 10 if options.quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _text(figures, folder / "trace.txt", (1 << 30) // scale)
        _packed(figures, folder / "trace.txt", (1 << 28) // scale)
        _short_lived(figures, folder / "threads.txt", 1_000_000 // scale)
        _perfetto(figures, folder / "trace.pftrace", 2_000_000 // scale)
        _recorded(figures, folder / "recorded.pftrace", (1 << 30) // scale)
        _sampled(figures, folder, (1 << 30) // scale)
        _compare_with_manafa(figures, folder, 200_000 // scale)
    return figures.close(options.check)


def _text(figures: Figures, path: Path, size: int) -> None:
    lines = _repeated(path, _mixed, size)
    own, floor = printed_s(_READ_TEXT, path), printed_s(_LINES, path)
    note = f"{lines / 1e6:.1f} M lines: {lines / own / 1e6:.2f} M lines/s; {compared_with(own, floor, 'counting lines by numpy')}"
    figures.add("a million lines of text", own / lines * 1e6, "s", at_most=1.0, note=note)
    peak = run_measured([sys.executable, "-c", _READ_TEXT, path]).peak_mib
    figures.add(f"{size / 1e9:.2f} GB of text, peak memory", peak, "MiB", at_most=2048)
    path.unlink()


def _packed(figures: Figures, path: Path, size: int) -> None:
    """An import of a packed trace, compared with that of the same trace and the unpacking alone."""
    _repeated(path, _mixed, size)
    packed = path.with_suffix(".txt.gz")
    with path.open("rb") as source, gzip.open(packed, "wb", compresslevel=6) as out:
        shutil.copyfileobj(source, out)
    apart = printed_s(_IMPORT, path) + printed_s(_UNPACK, packed)
    own = printed_s(_IMPORT, packed)
    note = f"{own:.1f} s, and {apart:.1f} s for its content and the unpacking alone"
    figures.add("a packed trace to its content and the unpacking", own / apart, "x", at_most=1.3, note=note)
    path.unlink()
    packed.unlink()


def _short_lived(figures: Figures, path: Path, threads: int) -> None:
    """Threads that start, run once and end. Thread IDs are reused."""
    with path.open("w") as out:
        for number in range(threads):
            tid, t_ns = 10_000 + number % 22_000, (500 + number // 5_000) * _S + number % 5_000 * 200_000
            name = f"one-shot-{number % 5_000}"
            out.write(_FORM.new_task(0, t_ns, ("main", 9_000), tid, "main", thread=True))
            out.write(_FORM.switch(1, t_ns + 50_000, ("swapper/1", 0, "R"), ("main", tid)))
            out.write(_FORM.exited(1, t_ns + 90_000, (name, tid)))
            out.write(_FORM.switch(1, t_ns + 100_000, (name, tid, "X"), ("swapper/1", 0), tgid=9_000))
    own = printed_s(_READ_TEXT, path)
    figures.add(f"{threads:,} short-lived threads", own, "s", note=f"{4 * threads / own / 1e6:.2f} M lines/s")
    path.unlink()


def _perfetto(figures: Figures, path: Path, events: int) -> None:
    draw, bundle = random.Random(2), 500
    with path.open("wb") as out:
        for number in range(events // bundle):
            begin = number * bundle * 20_000
            trace = PerfettoWriter()
            rows = [(begin + i * 20_000, draw.choice((0, 1, 256)), draw.randrange(1000, 1060), "worker") for i in range(bundle)]
            trace.compact(number % 8, rows)
            out.write(bytes(trace))
    own = printed_s(_READ_PERFETTO, path)
    figures.add(f"{events:,} switches of a Perfetto trace", own, "s", note=f"{events / own / 1e6:.2f} M a second")
    path.unlink()


def _write_recorded(path: Path, size: int, *, samples: int = 0) -> int:
    """Write a phone's recording for Navitas: for each quarter of a second and core, arrays of switches, and single idle states.

    Each quarter has a number of stack samples, too. Returns the number of quarters.
    """
    draw, begin = random.Random(4), 10_000 * _S
    quarter, trace, times = _S // 4, PerfettoWriter(), []
    for cpu in range(8):
        t_ns = sorted(draw.sample(range(begin + cpu, begin + quarter, 9), 2 * _EACH))
        rows = [(t, draw.choice((0, 1)), 0 if i % 2 else draw.randrange(1000, 1060), "worker") for i, t in enumerate(t_ns[::2])]
        trace.compact(cpu, rows)
        trace.bundle(cpu, [idle(t, cpu, i % 2 - 1) for i, t in enumerate(t_ns[1::2])])
        times += [t_ns[0], *t_ns[1::2]]
    stacks = PerfettoWriter()
    stacks.snapshot(begin, begin - 70, 1_700_000_000_000_000_000)
    writer = SampleWriter(stacks)
    writer.begin(frequency=199)
    used = [[(f"function{draw.randrange(5_000)}", "system/lib64/libwork.so") for _ in range(40)] for _ in range(2_000)]
    for stack in used:
        writer.sample(begin - 1, (1000, 1000), stack)
    writer.trace = trace
    for t in sorted(draw.sample(range(begin + 8, begin + quarter, 9), samples)):
        writer.sample(t, (1000, draw.randrange(1000, 1060)), draw.choice(used))
        times.append(t)
    block = np.frombuffer(bytes(trace), np.uint8).copy()
    # Later quarters differ only in their times, which have seven bytes each.
    place = np.array([block.tobytes().index(varint(t)) for t in times])[:, None] + np.arange(7)
    blocks = -(-size // len(block))
    with path.open("wb") as out:
        out.write(bytes(stacks) if samples else b"")
        for number in range(blocks):
            later = np.array(times)[:, None] + number * quarter
            block[place] = (later >> 7 * np.arange(7)) & 0x7F | np.where(np.arange(7) < 6, 0x80, 0)
            out.write(block.tobytes())
    return blocks


def _sampled(figures: Figures, folder: Path, size: int) -> None:
    """A trace with samples, compared with one of the same size without. Cores are busy half of the time, and sampled 200 times a
    second then."""
    paths = folder / "sampled.pftrace", folder / "plain.pftrace"
    quarters = _write_recorded(paths[0], size, samples=_SAMPLES)
    _write_recorded(paths[1], size)
    own, plain = (printed_s(_READ_PERFETTO, path) for path in paths)
    note = f"{_SAMPLES * quarters / 1e6:.1f} M samples, {own:.1f} s, without {plain:.1f} s"
    figures.add(f"{size / 1e9:.2f} GB of a Perfetto trace with stack samples", own / plain, "x", at_most=1.3, note=note)
    for path in paths:
        path.unlink()


def _recorded(figures: Figures, path: Path, size: int) -> None:
    blocks = _write_recorded(path, size)
    took = run_measured([sys.executable, "-c", _READ_PERFETTO, path])
    note = f"{8 * _EACH * blocks / 1e6:.1f} M switches, as many idle states"
    figures.add(f"{size / 1e9:.2f} GB of a Perfetto trace, peak memory", took.peak_mib, "MiB", at_most=2048, note=note)
    figures.add(f"{size / 1e9:.2f} GB of a Perfetto trace, CPU time", took.cpu_s, "s", at_most=40.0)
    path.unlink()


def _compare_with_manafa(figures: Figures, folder: Path, lines: int) -> None:
    """E-MANAFA's reader of frequencies, in a temporary environment, with lines in the form that it accepts."""
    path = folder / "frequencies.txt"
    draw = random.Random(3)
    text = (
        _FORM.frequency(draw.randrange(8), 20_000 * _S + i * 1_000_000, draw.randrange(300_000, 2_800_000)) for i in range(lines)
    )
    path.write_text("".join(text))
    own = printed_s(_READ_TEXT, path)
    try:
        note = compared_with(own, printed_s(_MANAFA, path, python=manafa_python(folder)), "manafa 0.4.14")
    except (OSError, subprocess.SubprocessError) as error:
        note = f"manafa could not be run: {error}"[:80]
    figures.add(f"{lines:,} frequencies", own, "s", note=note)


def _mixed(second: int) -> str:
    """The events of one second of a busy phone: switches, wake-ups, idle states, frequencies."""
    draw, lines = random.Random(1), []
    names = [
        "HeapTaskDaemon",
        "rcu_preempt",
        "ksoftirqd/3",
        "Binder:924_3",
        "surface flinger",
        "kworker/u16:3",
        "main-thread",
        "ACCS0",
    ]
    for number in range(_SECOND):
        cpu, t_ns = draw.randrange(8), second * _S + number * (_S // _SECOND)
        one, other = draw.randrange(8), draw.randrange(8)
        kind = draw.random()
        if kind < 0.55:
            prev = (names[one], 1000 + 137 * one, draw.choice("RSSD"))
            lines.append(_FORM.switch(cpu, t_ns, prev, (names[other], 1000 + 137 * other), tgid=1000))
        elif kind < 0.85:
            lines.append(
                _FORM.line(cpu, t_ns, "sched_waking", f"comm={names[one]} pid={1000 + 137 * one} prio=120 target_cpu=000")
            )
        elif kind < 0.97:
            lines.append(_FORM.idle(cpu, t_ns, draw.choice((-1, 0, 1))))
        else:
            lines.append(_FORM.frequency(cpu, t_ns, draw.randrange(300_000, 2_800_000)))
    return "".join(lines)


def _repeated(path: Path, make: Callable[[int], str], size: int) -> int:
    """Write seconds that differ only in their times; return the number of lines."""
    first = 10_000
    second = make(first).encode()
    seconds = -(-size // len(second))
    with path.open("wb") as out:
        for number in range(seconds):
            out.write(second.replace(b" %d." % first, b" %d." % (first + number)))
    return seconds * _SECOND


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The same stack samples in each form that recordings have: two threads, each sampled every 2 ms for 380 ms."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from support.jfr_writer import JfrText, TraceFrame
from support.jfr_writer import sample as jfr_sample
from support.perfetto_samples import SampleWriter
from support.perfetto_writer import PerfettoWriter
from support.run_bytes import BOOT_OFFSET_NS, REAL_OFFSET_NS, TID0

from navitas.base.protobuf_writer import content, number

_MS = 1_000_000
_STEP_MS = 2
_LIBC, _ODEX, _KERNEL = "/system/lib64/libc.so", "/data/app/a/oat/arm64/base.odex", "[kernel.kallsyms]"
_STACKS = (
    (("a.Main.run", _ODEX),),
    (("a.Main.run", _ODEX), ("a.Work.sort", _ODEX)),
    (("a.Main.run", _ODEX), ("memcpy", _LIBC), ("do_el0_svc", _KERNEL)),
)
"""Functions and their files, outermost first."""
_FUNCTIONS = tuple(dict.fromkeys(function for stack in _STACKS for function in stack))
_FILES = tuple(dict.fromkeys(file for _, file in _FUNCTIONS))
_NAMES = {TID0: "main", TID0 + 1: "worker-1"}


def sampled_file(name: str, start_ns: int, pid: int) -> bytes:
    """Return a file of samples of a process, or a trace with them, of a run that begins at `start_ns`. Its suffix is its form."""
    return FORMS[name.rpartition(".")[2]](start_ns, pid)


def _samples(start_ns: int) -> Iterator[tuple[int, int, int]]:
    """Yield time, thread and number of the stack of each sample."""
    for step, ms in enumerate(range(10, 390, _STEP_MS)):
        for thread in _NAMES:
            yield start_ns + ms * _MS + thread, thread, (step // 7 + thread) % len(_STACKS)


def _jfr(start_ns: int, pid: int) -> bytes:
    def frame(name: str, file: str) -> TraceFrame:
        owner, _, method = name.rpartition(".")
        return ((owner.replace(".", "/"), method, "()V"), 2) if owner else ((file, name, "()L;"), 4)

    stacks = {place: [frame(*function) for function in stack[::-1]] for place, stack in enumerate(_STACKS, 1)}
    samples = [jfr_sample(t_ns, tid, stack + 1) for t_ns, tid, stack in _samples(start_ns)]
    half = len(samples) // 2
    chunks = (JfrText(stacks, _NAMES, b"".join(part), pid=pid, start_ticks=start_ns) for part in (samples[:half], samples[half:]))
    return b"".join(chunk.chunk() for chunk in chunks)


def _perf_script(start_ns: int, pid: int) -> bytes:
    def text(t_ns: int, tid: int, stack: int) -> str:
        frames = "".join(f"\t    {4096 + _FUNCTIONS.index(one):x} {one[0]}+0x5 ({one[1]})\n" for one in _STACKS[stack][::-1])
        seconds = f"{t_ns // 10**9}.{t_ns % 10**9:09}"
        return f"{_NAMES[tid]} {pid}/{tid} [000] {seconds}: 2000000 cpu-clock:\n{frames}\n"

    return "".join(text(*sample) for sample in _samples(start_ns)).encode()


def _collapsed(start_ns: int, _pid: int) -> bytes:
    lines = [
        f"[{_NAMES[tid]} tid={tid}];{';'.join(name for name, _ in _STACKS[stack])} 1" for _, tid, stack in _samples(start_ns)
    ]
    return "\n".join(lines).encode()


def _simpleperf(start_ns: int, pid: int) -> bytes:
    def record(kind: int, body: bytes) -> bytes:
        data = content(kind, body)
        return struct.pack("<I", len(data)) + data

    def chain(stack: int) -> bytes:
        numbers = [(_FILES.index(file), _symbols(file).index(name)) for name, file in _STACKS[stack][::-1]]
        return b"".join(content(3, number(1, 0x1000) + number(2, file) + number(3, symbol)) for file, symbol in numbers)

    records = [record(5, content(1, "cpu-clock:u"))]
    records += [
        record(1, number(1, t_ns) + number(2, tid) + chain(stack) + number(4, 2 * _MS)) for t_ns, tid, stack in _samples(start_ns)
    ]
    for i, file in enumerate(_FILES):
        records.append(record(3, number(1, i) + content(2, file) + b"".join(content(3, name) for name in _symbols(file))))
    records += [record(4, number(1, tid) + number(2, pid) + content(3, name)) for tid, name in _NAMES.items()]
    return b"SIMPLEPERF" + struct.pack("<H", 1) + b"".join(records) + struct.pack("<I", 0)


def _symbols(file: str) -> list[str]:
    return [name for name, of in _FUNCTIONS if of == file]


def _pprof(start_ns: int, _pid: int) -> bytes:
    texts = ["", "samples", "count", "tid", *(name for name, _ in _FUNCTIONS)]
    samples = b"".join(
        content(2, b"".join(number(1, _FUNCTIONS.index(one) + 1) for one in _STACKS[stack][::-1]) + number(2, 1)
                + content(3, number(1, 3) + number(3, tid)))
        for _, tid, stack in _samples(start_ns)
    )  # fmt: skip
    places = b"".join(content(4, number(1, i) + content(4, number(1, i))) for i in range(1, len(_FUNCTIONS) + 1))
    functions = b"".join(content(5, number(1, i) + number(2, i + 3)) for i in range(1, len(_FUNCTIONS) + 1))
    return content(1, number(1, 1) + number(2, 2)) + samples + places + functions + b"".join(content(6, text) for text in texts)


def _perfetto(start_ns: int, pid: int) -> bytes:
    trace = PerfettoWriter()
    boot_ns = start_ns + BOOT_OFFSET_NS
    trace.snapshot(boot_ns + _MS, start_ns + _MS, start_ns + _MS + REAL_OFFSET_NS)
    trace.tree({pid: "org.example.sample"}, [(tid, pid, name) for tid, name in _NAMES.items()])
    writer = SampleWriter(trace)
    writer.begin(frequency=1000 // _STEP_MS)
    for cpu, tid in enumerate(_NAMES):
        trace.polled_frequencies(boot_ns + cpu, [500_000, 500_000])
        trace.compact(cpu, [(boot_ns + (2 + 4 * i) * _MS, i % 2, 0 if i % 2 else tid, _NAMES[tid]) for i in range(98)])
    for t_ns, tid, stack in _samples(boot_ns):
        writer.sample(t_ns, (pid, tid), _STACKS[stack])
    return bytes(trace)


FORMS: dict[str, Callable[[int, int], bytes]] = {
    "jfr": _jfr,
    "txt": _perf_script,
    "collapsed": _collapsed,
    "simpleperf": _simpleperf,
    "pprof": _pprof,
    "pftrace": _perfetto,
}
"""Writes samples, by the suffix of a file. The last one is a trace."""

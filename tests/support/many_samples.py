"""Generate millions of stack samples: recordings of threads that are sampled every ms, in the JFR files of async-profiler, and
collapsed stacks with their numbers."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from support.added_history import add_file
from support.ftrace_writer import Form
from support.jfr_writer import DEFAULT, SAMPLE, JfrText, TraceFrame
from support.recording_maker import make_recording, start_ns
from support.run_bytes import TID0
from support.scenario import Scenario, TestSpec, ThreadSpec

_S, _MS = 1_000_000_000, 1_000_000
_FIRST_MS = 20
_METHODS = 3000
_CHUNK_SAMPLES = 5_000_000
_FIRST_STACK = 128
"""From here on to 2¹⁴, ids of threads and stacks have two bytes, so all events have one length."""


def make_sampled_recording(
    folder: Path, samples: int, *, threads: int = 4, tests: int = 10, stacks: int = 500, depth: int = 40
) -> int:
    """Write a recording of about `samples` samples: each test has stacks of its own, which its threads share.

    Returns the number of samples.
    """
    each = samples // threads
    duration_ms = float(each + 2 * _FIRST_MS)
    step = each / tests
    names = [f"org.example.load.BigTest#test{i}" for i in range(tests)]
    specs = tuple(
        ThreadSpec(f"worker-{i}" if i else "main", busy=((0.0, duration_ms, 1.0),), cpu=i % 4, probed=False)
        for i in range(threads)
    )
    windows = tuple(TestSpec(name, _FIRST_MS + i * step, _FIRST_MS + (i + 0.98) * step) for i, name in enumerate(names))
    scenario = Scenario(duration_ms, threads=specs, tests=windows, sample_ms=200.0, shell_ms=1000.0)
    make_recording(folder, scenario, settings={"mode": "sample"})
    random = Random(1)
    text = JfrText(
        {_FIRST_STACK + i: stack for i, stack in enumerate(one for _ in range(tests) for one in _stacks(random, stacks, depth))},
        {TID0 + i: thread.name for i, thread in enumerate(specs)},
    )
    draw = np.random.default_rng(1)
    data = []
    for low in range(0, each, _CHUNK_SAMPLES // threads):
        ms = np.repeat(np.arange(low, min(low + _CHUNK_SAMPLES // threads, each)), threads)
        thread = np.tile(np.arange(threads), len(ms) // threads)
        own = np.minimum((ms / step).astype(np.int64), tests - 1) * stacks
        stack = own + (stacks * draw.random(len(ms)) ** 3).astype(np.int64)  # Few stacks have most samples.
        t_ns = start_ns() + (_FIRST_MS + ms) * _MS + draw.integers(0, _MS // 10, len(ms)) + thread
        text.events = _events(t_ns, thread + TID0, stack + _FIRST_STACK)
        data.append(text.chunk())
    add_file(folder, "samples-0.jfr", "samples", b"".join(data))
    return each * threads


def _stacks(random: Random, count: int, depth: int) -> list[list[TraceFrame]]:
    """Stacks of one depth, innermost frame first. Each leaves an earlier one at a random depth."""
    made: list[list[int]] = []
    for _ in range(count):
        shared = random.choice(made)[: random.randrange(depth)] if made else []
        made.append(shared + [random.randrange(_METHODS) for _ in range(depth - len(shared))])
    return [
        [((f"org/example/load/Class{number // 10:04}", f"method{number:05}", "()V"), 2) for number in reversed(one)]
        for one in made
    ]


def _events(t_ns: NDArray[np.int64], thread: NDArray[np.int64], stack: NDArray[np.int64]) -> bytes:
    """The bytes of `jfr_writer.sample` of each row. Times have six bytes."""
    columns = [np.full_like(t_ns, 13), np.full_like(t_ns, SAMPLE)]
    for values, size in ((t_ns, 6), (thread, 2), (stack, 2)):
        last = 7 * (size - 1)
        assert values.min() >> last and not values.max() >> last + 7
        columns += [values >> 7 * i & 0x7F | (0x80 if i < size - 1 else 0) for i in range(size)]
    columns.append(np.full_like(t_ns, DEFAULT))
    return np.stack(columns, axis=1).astype(np.uint8).tobytes()


def write_counted_stacks(
    folder: Path, samples: int, *, threads: int = 4, stacks: int = 5000, depth: int = 40
) -> tuple[Path, Path]:
    """Write collapsed stacks of about `samples` samples, each stack in every thread, and a trace in which these threads run.

    Returns the trace and the stacks.
    """
    form, first_ns, on_ns, every_ns = Form(tgid=True), 100 * _S, 30 * _MS, 40 * _MS
    named = [(f"worker-{i}" if i else "main", TID0 + i) for i in range(threads)]
    lines: list[tuple[int, str]] = []
    for cpu, task in enumerate(named):
        idle = (f"swapper/{cpu}", 0)
        for t_ns in range(first_ns, first_ns + 10 * _S, every_ns):
            lines.append((t_ns, form.switch(cpu, t_ns, (*idle, "R"), task, tgid=TID0)))
            lines.append((t_ns + on_ns, form.switch(cpu, t_ns + on_ns, (*task, "S"), idle, tgid=TID0)))
    (trace := folder / "trace.txt").write_text("# tracer: nop\n#\n" + "".join(line for _, line in sorted(lines)))
    paths = [";".join(f"{owner}.{name}" for (owner, name, _), _ in reversed(one)) for one in _stacks(Random(1), stacks, depth)]
    count = samples // threads // stacks
    with (collapsed := folder / "stacks.txt").open("w") as out:
        out.writelines(f"[{name} tid={tid}];{path} {count}\n" for name, tid in named for path in paths)
    return trace, collapsed

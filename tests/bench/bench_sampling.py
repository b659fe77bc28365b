"""The cost of samples each ms, in CPU time: of a thread's work in one JVM, in turns without them, and of a JVM's start and end.

Needs a JDK, and async-profiler in the cache (`navitas profile --mode sample` fetches it).
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Figures, arguments, run_measured

from navitas.capture.build import async_profiler
from navitas.capture.build.java import find_java
from navitas.capture.collect.runs.jvm_attach import load_agent

SOURCE = Path(__file__).parent / "java/SampledWork.java"
ROUNDS = 100_000
ENGINES = {"ctimer": "timers of CPU time", "cpu": "perf events"}
MEDIAN, UPPER = 1.02, 1.05


def ratios(classes: Path, event: str, turns: int) -> list[float]:
    """The CPU time of the work with samples, divided by that of the same work before and after."""
    library, output = async_profiler.find(), classes / f"{event}.jfr"
    start = async_profiler.start_options(str(output), event=event)
    command: list[str | Path] = [
        find_java(),
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+DebugNonSafepoints",
        "-cp",
        classes,
        "SampledWork",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None

        def work_ns() -> int:
            print(ROUNDS, file=process.stdin, flush=True)
            return int(process.stdout.readline())  # type: ignore[union-attr]

        for _ in range(4):  # for the compiler
            work_ns()
        found, before_ns = [], work_ns()
        for _ in range(turns):
            load_agent(process.pid, library, start)
            sampled_ns = work_ns()
            load_agent(process.pid, library, "stop,quiet")
            after_ns = work_ns()
            found.append(2 * sampled_ns / (before_ns + after_ns))
            before_ns = after_ns
        process.stdin.close()
    return sorted(found)


def upper_limit(found: list[float]) -> float:
    """The upper 95 % limit of the median, by the ranks of the values."""
    return found[min(len(found) - 1, math.ceil(len(found) / 2 + 0.98 * math.sqrt(len(found))) - 1)]


def whole_s(classes: Path, event: str | None, runs: int) -> float:
    """The median CPU time of a JVM that does nothing."""
    agent: list[str] = []
    if event is not None:
        library = async_profiler.find()
        agent = [f"-agentpath:{library}={async_profiler.start_options(str(classes / 'start.jfr'), event=event)}"]
    return statistics.median(run_measured([find_java(), *agent, "--version"]).cpu_s for _ in range(runs))


def main(argv: list[str]) -> int:
    """Print the figures of the engine that this machine has, with limits, and of the other one."""
    options = arguments(__doc__ or "", argv)
    turns = 8 if options.quick else 20
    used = async_profiler.engine()
    figures = Figures("Samples each ms")
    with tempfile.TemporaryDirectory() as folder:
        classes = Path(folder)
        subprocess.run([find_java().with_name("javac"), "-d", classes, SOURCE], check=True)
        nothing_s = whole_s(classes, None, turns)
        for event, starter in ENGINES.items():
            found = ratios(classes, event, turns)
            limits = (MEDIAN, UPPER) if event == used else (None, None)
            name = f"{starter}{' (used here)' if event == used else ''}"
            figures.add(f"{name}: median of {turns}", statistics.median(found), "×", at_most=limits[0], note="without samples")
            figures.add(f"{name}: upper 95 % limit", upper_limit(found), "×", at_most=limits[1])
            figures.add(f"{name}: start and end", 1000 * (whole_s(classes, event, turns) - nothing_s), "ms", note="CPU time")
    return figures.close(options.check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

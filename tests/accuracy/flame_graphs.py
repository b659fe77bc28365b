"""Methods' shares by async-profiler's own flame graph, which has time, and by Navitas, which has energy, of the same samples.

    .venv/bin/python tests/accuracy/flame_graphs.py [RECORDING --method PATTERN]

The samples are those of a JVM, in a recording of `--mode sample` or `record --java`; by default, of the simulated program
`allocation`, whose truth is known. async-profiler's converter, which Maven fetches, turns the JFR files into collapsed stacks.
Prints inclusive shares of methods. Exit code 1: the converter and Navitas do not read the same samples of a method.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from sampled_shares import PERIOD_NS, analyzed
from support.jfr_writer import JfrText, TraceFrame, sample
from truth.energy import integrate
from truth.methods import truth_of
from truth.programs import PROGRAMS
from truth.samples import PID, T0_NS
from truth.stacks import StackSample, perf_script, sampled_by_threads
from truth.workloads import simulate

import navitas
from navitas.capture.build.java import find_java
from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.jfr.read_jfr import read_jfr
from navitas.recording.parse.stack_samples import Frame
from navitas.recording.store import open_recording

CONVERTER = "tools.profiler:jfr-converter:4.2"
ALL = ""
"""The name of all samples together."""
TYPE = re.compile(r"_\[\w\]$")
"""How a frame ran: interpreted, compiled, inlined, in the kernel."""
COMPILED, NATIVE = 2, 4


def simulated(path: Path) -> tuple[Profile, dict[str, float]]:
    """Write the samples of a simulated run as JFR. Returns its profile by them, and the true share of each method."""
    record = simulate("allocation", 1, workloads=PROGRAMS)
    truth = truth_of(record, integrate(record))
    taken = sampled_by_threads(record, PERIOD_NS, 1)
    path.write_bytes(_jfr(taken))
    _, profile = analyzed(record, [perf_script(taken, PID, T0_NS, PERIOD_NS)])
    return profile, {name.replace("#", "."): method.inclusive_j / truth.app_j for name, method in truth.methods.items()}


def _jfr(taken: Sequence[StackSample]) -> bytes:
    stacks = {methods: number for number, methods in enumerate(dict.fromkeys(each.methods for each in taken), 1)}
    frames: dict[int, Sequence[TraceFrame]] = {
        number: [_frame(method) for method in reversed(methods)] for methods, number in stacks.items()
    }
    events = b"".join(sample(each.t_ns + T0_NS, each.thread.tid, stacks[each.methods]) for each in taken)
    return JfrText(frames, {each.thread.tid: each.thread.name for each in taken}, events, start_ticks=T0_NS).chunk()


def _frame(method: str) -> TraceFrame:
    class_name, _, name = method.partition("#")
    return ((class_name.replace(".", "/"), name, "()V"), COMPILED) if name else (("", method, ""), NATIVE)


def flame_graph(jfr: Sequence[Path], folder: Path) -> Counter[str]:
    """The samples of each method by async-profiler's converter, from Maven Central or the user's mirror."""
    fetch = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={CONVERTER}", f"-DoutputDirectory={folder}"]
    subprocess.run(fetch, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (jar,), samples = folder.glob("jfr-converter-*.jar"), Counter[str]()
    for number, path in enumerate(jfr):
        collapsed = folder / f"{number}.collapsed"
        command = [str(find_java()), "-jar", str(jar), "--dot", "-o", "collapsed", str(path), str(collapsed)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for line in collapsed.read_text().splitlines():
            stack, _, count = line.rpartition(" ")
            for method in {ALL, *(TYPE.sub("", frame) for frame in stack.split(";"))}:
                samples[method] += int(count)
    return samples


def by_navitas(jfr: Sequence[Path]) -> Counter[str]:
    """The samples of each method by Navitas' reader, named as by the converter."""
    samples = Counter[str]()
    for path in jfr:
        raw = read_jfr(path)
        numbers, parents = raw.stacks.frame.tolist(), raw.stacks.parent.tolist()
        for row, count in Counter(raw.stack.tolist()).items():
            for method in {ALL, *_methods(raw.frames, numbers, parents, row)}:
                samples[method] += count
    return samples


def _methods(frames: Sequence[Frame], numbers: list[int], parents: list[int], row: int) -> Iterator[str]:
    while row >= 0:
        frame = frames[numbers[row]]
        yield f"{frame.class_name}.{frame.name}" if frame.class_name else frame.name
        row = parents[row]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", type=Path, nargs="?")
    parser.add_argument("--method", action="append", help="only methods whose class and name fit the pattern (org.example.*)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, true = Path(name), dict[str, float]()
        if arguments.recording is None:
            jfr = [folder / "samples.jfr"]
            profile, true = simulated(jfr[0])
        else:
            jfr, profile = list(open_recording(arguments.recording).files("samples")), navitas.load(arguments.recording)
        samples, own = flame_graph(jfr, folder), by_navitas(jfr)
    app_j, unequal = sum(test.app_j for test in profile.tests), samples[ALL] != own[ALL]
    print("| method | samples | flame graph: time | energy | difference, points | simulated truth |")
    print("|---|---|---|---|---|---|")
    for total in profile.method_totals():
        method = f"{total.method.class_name}.{total.method.name}"
        if not any(fnmatchcase(method, pattern) for pattern in arguments.method or ["org.example.*"]):
            continue
        unequal |= samples[method] != own[method]
        time, energy = samples[method] / samples[ALL], total.inclusive_j / app_j
        error = 2 * total.inclusive_error.probes_j / app_j
        print(
            f"| `{method}` | {samples[method]} | {100 * time:.1f} % | {100 * energy:.1f} ± {100 * error:.1f} % |"
            f" {100 * (energy - time):+.1f} | {f'{100 * true[method]:.1f} %' if method in true else ''} |"
        )
    print(f"samples: {samples[ALL]} by async-profiler's converter, {own[ALL]} by Navitas")
    return int(unequal)


if __name__ == "__main__":
    sys.exit(main())

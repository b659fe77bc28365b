"""Instrumentation of Guava in one warm bulk call, compared with JaCoCo's offline instrumenter in the same JVM (needs Maven)."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import astuple, dataclass
from pathlib import Path

from common import ROOT, Figures, arguments, shown
from support.maven import fetch

from navitas.capture.build.java import find_java, jar

_SOURCE = ROOT / "tests/bench/java/InstrumentBench.java"
_ARTIFACTS = ("com.google.guava:guava:33.3.1-jre", "org.jacoco:org.jacoco.core:0.8.12")
_WARM_UP_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Round:
    """One round: wall and CPU time in ms of JaCoCo, of ours, and of ours with hooks, and the number of classes of each."""

    jacoco_ms: float
    jacoco_cpu_ms: float
    jacoco_classes: int
    ours_ms: float
    ours_cpu_ms: float
    our_classes: int
    hooked_ms: float
    hooked_cpu_ms: float
    hooked_classes: int


def main(argv: list[str]) -> int:
    """Report the median ratio of the warm rounds. Also reports CPU time, because our instrumenter uses all cores."""
    options = arguments(__doc__ or "", argv)
    rounds = measure(8 if options.quick else 32)
    jacoco_ms, jacoco_cpu_ms, jacoco_classes, ours_ms, ours_cpu_ms, our_classes, _, hooked_cpu_ms, _ = (
        statistics.median(column) for column in zip(*map(astuple, rounds), strict=True)
    )
    figures = Figures("Instrumenting Guava, compared with JaCoCo's offline instrumenter")
    ratio = statistics.median(each.ours_ms / each.jacoco_ms for each in rounds)
    note = f"{shown(ours_ms, 'ms')}, {our_classes:,.0f} classes; JaCoCo {shown(jacoco_ms, 'ms')}, {jacoco_classes:,.0f}"
    figures.add("wall time: ratio", ratio, "×", at_most=1.0, note=note)
    ratio = statistics.median(each.ours_cpu_ms / each.jacoco_cpu_ms for each in rounds)
    figures.add("CPU time: ratio", ratio, "×", note=f"{shown(ours_cpu_ms, 'ms')}; JaCoCo {shown(jacoco_cpu_ms, 'ms')}")
    ratio = statistics.median(each.hooked_cpu_ms / each.ours_cpu_ms for each in rounds)
    note = f"{shown(hooked_cpu_ms, 'ms')}; without hooks {shown(ours_cpu_ms, 'ms')}"
    figures.add("CPU time with hooks: ratio", ratio, "×", at_most=1.03, note=note)
    return figures.close(options.check)


def measure(rounds: int) -> list[Round]:
    """Run warm rounds of all in turns in one JVM. Ours writes map and state files, and reuses nothing of earlier rounds."""
    with tempfile.TemporaryDirectory() as folder:
        libraries = fetch(_ARTIFACTS, Path(folder) / "libraries", transitive=True)
        guava = next(libraries.glob("guava-*.jar"))
        class_path = os.pathsep.join([str(jar("navitas-bridge.jar")), str(libraries / "*")])
        command = [str(find_java()), "-cp", class_path, str(_SOURCE), str(guava), folder, str(_WARM_UP_ROUNDS + rounds)]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    fields = [tuple(map(float, line.split())) for line in lines[_WARM_UP_ROUNDS:]]
    return [Round(a, b, int(c), d, e, int(f), g, h, int(i)) for a, b, c, d, e, f, g, h, i in fields]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

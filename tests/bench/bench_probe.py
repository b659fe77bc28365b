"""The cost of a probed call, compared with two System.nanoTime() in the same iteration (JMH; needs Maven)."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from common import ROOT, Figures, arguments, compared_with

MODULE = ROOT / "instrumenter/bench"
JAR = MODULE / "target/navitas-bench.jar"
# Limits by (mode, callees), as multiples of two System.nanoTime(), the least cost of a probe that reads clocks.
MAX_RATIO = {("events", "one"): 1.15, ("events", "eight"): 1.15, ("folded", "one"): 1.2, ("folded", "eight"): 1.45}
MAX_NS = {("tick", "one"): 6.0, ("tick", "eight"): 16.0}
_BYTES_OF_NO_OBJECT = 1.0


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a call in ns without the call itself, and of two clock readings, for a mode, callees and number of threads."""

    mode: str
    callees: str
    threads: int
    pair_ns: float
    clock_ns: float
    allocated_bytes: float
    pairs: float


def main(argv: list[str]) -> int:
    """Compute the median ratio of both costs over the least disturbed quarter of the iterations.

    Load on the same physical core disturbs an iteration, and also makes its clock readings more expensive.
    """
    options = arguments(__doc__ or "", argv)
    build()
    figures = Figures("Probes")
    for threads in (1, 2):
        for cost in measure(threads, iterations=15 if options.quick else 160):
            name = f"{cost.mode}, {cost.callees} callee{'s' * (cost.callees != 'one')}, {threads} thread{'s' * (threads > 1)}"
            note = compared_with(cost.pair_ns, cost.clock_ns, "two nanoTime()", "ns")
            key = (cost.mode, cost.callees)
            if key in MAX_RATIO:
                note = f"{cost.pair_ns:.1f} ns; two nanoTime() {cost.clock_ns:.1f} ns; {cost.pairs / 1e6:,.0f} M pairs"
                figures.add(f"{name}: ratio", cost.pair_ns / cost.clock_ns, "×", at_most=MAX_RATIO[key], note=note)
            else:
                figures.add(f"{name}: a call", cost.pair_ns, "ns", at_most=MAX_NS[key], note=note)
            figures.add(f"{name}: allocated a call", cost.allocated_bytes, "B", at_most=_BYTES_OF_NO_OBJECT)
    return figures.close(options.check)


def build() -> None:
    """Build the runtime, the hooks and the benchmarks from the checkout. JAR contains all."""
    maven = ["mvn", "-q", "-B", "-f"]
    subprocess.run([*maven, ROOT / "instrumenter/pom.xml", "-pl", "runtime,hooks", "-am", "install", "-DskipTests"], check=True)
    subprocess.run([*maven, MODULE, "package"], check=True)


@dataclass(frozen=True, slots=True)
class Result:
    """What JMH measured with some parameters: sums of each iteration, and bytes that a call allocates."""

    params: dict[str, str]
    sums: dict[str, list[float]]
    allocated_bytes: float

    def median_ns(self, name: str) -> float:
        """The median of the iterations' time for a call."""
        return statistics.median(ns / calls for ns, calls in zip(self.sums[name], self.sums["calls"], strict=True) if calls)


def results(benchmark: str, iterations: int, threads: int = 1) -> Iterator[Result]:
    """Run a benchmark in a separate JVM for each choice of parameters."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        settings = ["-t", str(threads), "-i", str(iterations), "-prof", "gc", "-v", "SILENT", "-rf", "json", "-rff", str(file)]
        subprocess.run(["java", "-jar", str(JAR), benchmark, *settings], check=True, stdout=subprocess.DEVNULL)
        for entry in json.loads(file.read_text()):
            metrics = entry["secondaryMetrics"]
            sums = {name: metric["rawData"][0] for name, metric in metrics.items() if "rawData" in metric}
            yield Result(entry["params"], sums, metrics["gc.alloc.rate.norm"]["score"])


def measure(threads: int, iterations: int) -> Iterator[Cost]:
    """Run every mode and pattern of callees on this number of threads."""
    for found in results("ProbeBenchmark", iterations, threads):
        rows = zip(*(found.sums[name] for name in ("calls", "plainNs", "clockNs", "probedNs")), strict=True)
        costs = [((probed - plain) / calls, (clock - plain) / calls) for calls, plain, clock, probed in rows if calls]
        calm = sorted(costs, key=lambda cost: cost[1])[: max(len(costs) // 4, 1)]
        clock_ns = statistics.median(clock for _, clock in calm)
        pair_ns = statistics.median(pair / clock for pair, clock in calm) * clock_ns
        mode, callees = found.params["mode"], found.params["callees"]
        yield Cost(mode, callees, threads, pair_ns, clock_ns, found.allocated_bytes, sum(found.sums["calls"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

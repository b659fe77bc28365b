"""The cost of the record of a communication between modules, compared with two System.nanoTime() (JMH; needs Maven).

And of whole hooks, beyond the same calls without them: with the classes of Android's framework, on Robolectric.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench_probe import JAR, build
from common import ROOT, Figures, arguments

MAX_NS = 5000.0
_HOOK_COSTS = ROOT / "instrumenter/hooks-android/target/surefire-reports/org.navitas.hooks.HookCostTest-output.txt"


@dataclass(frozen=True, slots=True)
class RecordCost:
    """Costs in ns of a mode: of a record, and of two clock readings; and the bytes that both allocate."""

    mode: str
    record_ns: float
    clock_ns: float
    allocated_bytes: float


def main(argv: list[str]) -> int:
    """Report the medians over the iterations."""
    options = arguments(__doc__ or "", argv)
    build()
    figures = Figures("Communications")
    for cost in measure(iterations=5 if options.quick else 20):
        note = f"{cost.record_ns / cost.clock_ns:.1f} × two nanoTime() ({cost.clock_ns:.0f} ns)"
        figures.add(f"{cost.mode}: a record", cost.record_ns, "ns", at_most=MAX_NS, note=note)
        figures.add(f"{cost.mode}: allocated a record", 2 * cost.allocated_bytes, "B")
    for name, cost_ns in whole_hooks(rounds=200 if options.quick else 400).items():
        figures.add(f"the hook of {name}", cost_ns, "ns", at_most=MAX_NS, note="with the framework's classes, on Robolectric")
    return figures.close(options.check)


def measure(iterations: int) -> Iterator[RecordCost]:
    """Run each mode in a separate JVM."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        settings = ["-i", str(iterations), "-prof", "gc", "-v", "SILENT", "-rf", "json", "-rff", str(result)]
        subprocess.run(["java", "-jar", str(JAR), "CommunicationBenchmark", *settings], check=True, stdout=subprocess.DEVNULL)
        for entry in json.loads(result.read_text()):
            sums = {name: metric["rawData"][0] for name, metric in entry["secondaryMetrics"].items() if "rawData" in metric}
            record_ns, clock_ns = (
                statistics.median(ns / calls for ns, calls in zip(sums[name], sums["calls"], strict=True) if calls)
                for name in ("recordNs", "clockNs")
            )
            allocated = entry["secondaryMetrics"]["gc.alloc.rate.norm"]["score"]
            yield RecordCost(entry["params"]["mode"], record_ns, clock_ns, allocated)


def whole_hooks(rounds: int) -> dict[str, float]:
    """Run the test that prints what each hook adds to a call, in ns. With fewer rounds, the JVM has not compiled all calls."""
    settings = ["-Dtest=HookCostTest", "-Dsurefire.failIfNoSpecifiedTests=false", f"-Dnavitas.cost.rounds={rounds}"]
    settings.append("-Dtest.jvm=")  # with both JIT compilers
    command = ["mvn", "-q", "-B", "-f", str(ROOT / "instrumenter/pom.xml"), "-pl", "hooks-android", "-am", "verify", *settings]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    printed = re.findall(r"^cost of (.+): (-?\d+) ns$", _HOOK_COSTS.read_text(), re.MULTILINE)
    return {name: float(cost_ns) for name, cost_ns in printed}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

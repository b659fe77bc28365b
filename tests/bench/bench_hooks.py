"""The cost of a hooked call of an API, and of a small read of a file with and without hooks (JMH; needs Maven)."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench_probe import JAR, build
from common import Figures, arguments

MAX_NS = 1000.0
_BYTES_OF_NO_OBJECT = 4.0
"""An object has 16 bytes or more. The buffers of the writer are counted, too."""


@dataclass(frozen=True, slots=True)
class HookCost:
    """Costs of a call in ns of a mode: a hook around nothing, and a read of one byte without and with hooks."""

    mode: str
    hook_ns: float
    plain_ns: float
    hooked_ns: float
    allocated_bytes: float


def main(argv: list[str]) -> int:
    """Report the medians over the iterations."""
    options = arguments(__doc__ or "", argv)
    build()
    figures = Figures("Hooks")
    for cost in measure(iterations=5 if options.quick else 20):
        figures.add(f"{cost.mode}: a hooked call of nothing", cost.hook_ns, "ns", at_most=MAX_NS)
        note = f"{cost.hooked_ns:.0f} ns; without hooks {cost.plain_ns:.0f} ns"
        figures.add(f"{cost.mode}: a read of one byte: ratio", cost.hooked_ns / cost.plain_ns, "×", note=note)
        figures.add(f"{cost.mode}: what hooks add to it", cost.hooked_ns - cost.plain_ns, "ns", at_most=MAX_NS)
        figures.add(f"{cost.mode}: allocated a call", cost.allocated_bytes, "B", at_most=_BYTES_OF_NO_OBJECT)
    return figures.close(options.check)


def measure(iterations: int) -> Iterator[HookCost]:
    """Run each mode in a separate JVM."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        settings = ["-i", str(iterations), "-prof", "gc", "-v", "SILENT", "-rf", "json", "-rff", str(result)]
        subprocess.run(["java", "-jar", str(JAR), "HookBenchmark", *settings], check=True, stdout=subprocess.DEVNULL)
        for entry in json.loads(result.read_text()):
            sums = {name: metric["rawData"][0] for name, metric in entry["secondaryMetrics"].items() if "rawData" in metric}

            def median(name: str, sums: dict[str, list[float]] = sums) -> float:
                return statistics.median(ns / calls for ns, calls in zip(sums[name], sums["calls"], strict=True) if calls)

            allocated = entry["secondaryMetrics"]["gc.alloc.rate.norm"]["score"]
            yield HookCost(entry["params"]["mode"], median("hookNs"), median("plainNs"), median("hookedNs"), allocated)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The cost of the record of a communication between modules, compared with two System.nanoTime() (JMH; needs Maven).

And of whole hooks, beyond the same calls without them: with the classes of Android's framework, on Robolectric.
"""

from __future__ import annotations

import re
import subprocess
import sys

from bench_probe import build, results
from common import ROOT, Figures, arguments

MAX_NS = 5000.0
_HOOK_COSTS = ROOT / "instrumenter/hooks-android/target/surefire-reports/org.navitas.hooks.intents.HookCostTest-output.txt"


def main(argv: list[str]) -> int:
    """Report the medians over the iterations."""
    options = arguments(__doc__ or "", argv)
    build()
    figures = Figures("Communications")
    for found in results("CommunicationBenchmark", iterations=5 if options.quick else 20):
        mode, record_ns, clock_ns = found.params["mode"], found.median_ns("recordNs"), found.median_ns("clockNs")
        note = f"{record_ns / clock_ns:.1f} × two nanoTime() ({clock_ns:.0f} ns)"
        figures.add(f"{mode}: a record", record_ns, "ns", at_most=MAX_NS, note=note)
        figures.add(f"{mode}: allocated a record", 2 * found.allocated_bytes, "B")
    for name, cost_ns in whole_hooks(rounds=200 if options.quick else 400).items():
        figures.add(f"the hook of {name}", cost_ns, "ns", at_most=MAX_NS, note="with the framework's classes, on Robolectric")
    return figures.close(options.check)


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

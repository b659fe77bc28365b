"""Score the estimate against the virtual phone's rails (`make accuracy`): total CPU energy by run.

Prints a table. Exits with 1 if a workload's median error exceeds 3 % or any run's error 5 %.
The scored workloads differ from those that the estimate was tuned with (`--tuning` runs these).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.rails import rails_by_run

from navitas.capture.build.gradle import build_bundles
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.session import profile
from navitas.cli.habits.progress import ConsoleProgress
from navitas.virtual_phone.start import virtual_phone

WORKLOADS = Path(__file__).parent / "workloads"
MEDIAN_LIMIT, RUN_LIMIT = 0.03, 0.05
SCORED = ("sorts", "frames", "bursts", "garbage", "pool", "contention", "mostlySleeps", "mixedLoad")
TUNING = ("steady", "halfIdle", "twoThreads")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tuning", action="store_true", help="the tuning workloads instead of the scored ones")
    parser.add_argument("--phone", default="default")
    parser.add_argument("--keep", type=Path, help="keep the recordings in this folder")
    arguments = parser.parse_args()
    table = Table(
        "workload", "rails J", "errors %", "median %", "worst %", title=f"Estimate against rails, phone: {arguments.phone}"
    )
    bad = False
    with tempfile.TemporaryDirectory() as folder, ConsoleProgress() as progress:
        out = arguments.keep or Path(folder)
        class_name, names = ("TuningTest", TUNING) if arguments.tuning else ("ScoreTest", SCORED)
        bundles = build_bundles(WORKLOADS, on_line=progress.detail)
        with virtual_phone(phone=arguments.phone) as device:
            for name in names:
                options = ProfileOptions(tests=(f"{class_name}#{name}",), repeat=arguments.runs)
                profile(device, bundles, options, out / name, progress)
                pairs = rails_by_run(out / name)
                errors = [estimate / rails - 1 for estimate, rails in pairs]
                median, worst = statistics.median(map(abs, errors)), max(map(abs, errors))
                bad = bad or median > MEDIAN_LIMIT or worst > RUN_LIMIT
                rails_j = statistics.mean(rails for _, rails in pairs)
                shown = " ".join(f"{100 * error:+.1f}" for error in errors)
                table.add_row(name, f"{rails_j:.2f}", shown, f"{100 * median:.1f}", f"{100 * worst:.1f}")
    Console().print(table)
    Console().print(f"limits: median {100 * MEDIAN_LIMIT:.0f} %, any run {100 * RUN_LIMIT:.0f} %: {'missed' if bad else 'kept'}")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())

"""Scores E_processing and the savings that advice predicts against a simulated app (`make accuracy`).

Prints Markdown tables for docs/dev/accuracy-measurements.md. Exit code 1: a target is missed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))
from processing_score import BUSY, ENTRIES, FAULTY, processing_errors, saving_error, simulated_graph
from truth.samples import LEVELS
from truth.workloads import SCORING_SEEDS

PROCESSING_TARGET, SAVING_TARGET = 0.03, 0.20


def main() -> int:
    print("| evidence | E_processing, median | largest |\n|---|---|---|")
    missed = []
    for level in LEVELS:
        errors = [abs(error) for seed in SCORING_SEEDS for _, error in processing_errors(simulated_graph(BUSY, seed, level))]
        print(f"| {level} | {100 * median(errors):.1f} | {100 * max(errors):.1f} |")
        if level == "sched" and max(errors) > PROCESSING_TARGET:
            missed.append(f"E_processing at {level}: {max(errors):.1%} > {PROCESSING_TARGET:.0%}")
    print(f"\n{len(ENTRIES)} entries, {len(SCORING_SEEDS)} seeds.\n\n| rule | saving, median | largest |\n|---|---|---|")
    for rule in FAULTY:
        errors = [saving_error(rule, seed) for seed in SCORING_SEEDS]
        largest = max(errors, key=abs)
        print(f"| `{rule}` | {100 * median(errors):+.1f} | {100 * largest:+.1f} |")
        if abs(largest) > SAVING_TARGET:
            missed.append(f"the saving of {rule}: {largest:+.1%}, the target is ± {SAVING_TARGET:.0%}")
    print("\n".join(missed))
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())

"""Compare the savings that advice predicts with the virtual phone's rails (`make accuracy`).

The app in tests/accuracy/faults has the fault of each rule, or not. Each round records both variants in the same use, in
alternating order. The rails are read in the use itself, around what each rule is about: docs/dev/accuracy-measurements.md.
Exits with 1 if a rule misses its fault, finds one in the fixed app, or predicts a saving that is off by more than 20 %.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1]))
from rail_windows import Interval, Window, saving_j, windows
from support.example_apps import make_example

import navitas
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.runs.app_use import Use, record
from navitas.capture.device.base import Device
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.report.maps import map_ids
from navitas.insight.graph.advice import RULES, advice
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.module_graph import ModuleGraph, Repetitions
from navitas.virtual_phone.start import virtual_phone

APP = Path(__file__).parent / "faults"
FAULTY, FIXED = "faulty", "fixed"
TARGET = 0.20
_MINUTE_MS, _WAITED_NS = 60_000, 3600 * 10**9
_TARGET_SDK = 25  # an alarm may start a service in the background


@dataclass(frozen=True, slots=True)
class Measured:
    """One recorded use: what the rails measured, what each rule would have saved, and the messages that it would avoid."""

    windows: Mapping[str, Window]
    saving_j: Mapping[str, float]
    avoided: Mapping[str, float]


@dataclass(slots=True)
class Rounds:
    """The uses of both variants, in the order of rounds."""

    faulty: list[Measured] = field(default_factory=list)
    fixed: list[Measured] = field(default_factory=list)

    def predicted_j(self, rule: str) -> float:
        return mean(one.saving_j.get(rule, 0.0) for one in self.faulty)

    def measured_j(self, rule: str) -> Interval:
        return Interval.of([saving_j(a.windows, b.windows, rule) for a, b in zip(self.faulty, self.fixed, strict=True)])

    def error(self, rule: str) -> float:
        return self.predicted_j(rule) / self.measured_j(rule).mean - 1


def measure(device: Device, bundle: Bundle, variant: str, recording: Path, progress: Progress) -> Measured:
    """Record a variant of the app in its use."""
    script = f"FIXED={'true' if variant == FIXED else 'false'}\n{(APP / 'use.sh').read_text('utf-8')}"
    use = Use(bundle.manifest.package, script, lambda: None, map_ids, bundle)
    done = record(device, use, ProfileOptions(record="hooks"), recording, progress)
    assert not done.crashed and not done.troubles, done.troubles
    return read(recording)


def read(recording: Path) -> Measured:
    """Read the rails that the use printed, and the advice on its recording."""
    output = (recording / "runs" / "0" / "instrument.txt").read_text("utf-8")
    savings: defaultdict[str, float] = defaultdict(float)
    avoided: defaultdict[str, float] = defaultdict(float)
    for one in advice(by_alarm_clock(module_graph(navitas.load(recording)))):
        savings[one.rule.id] += one.saving_j or math.nan
        avoided[one.rule.id] += one.avoided
    return Measured(windows(output), savings, avoided)


def by_alarm_clock(graph: ModuleGraph) -> ModuleGraph:
    """The graph as if the phone had waited, not advanced its clock of alarms: Navitas does not judge rates where it was advanced.

    Exact alarms request no period. The app sets each one for the next minute.
    """
    edges = (
        replace(edge, exact=_waited(edge.exact), inexact=_waited(edge.inexact), repeating=_waited(edge.repeating))
        for edge in graph.edges
    )
    return replace(graph, edges=tuple(edges), run_ns=graph.runs * _WAITED_NS)


def _waited(repeats: Repetitions) -> Repetitions:
    period_ms = repeats.period_ms or _MINUTE_MS
    return replace(repeats, mean_period_ns=period_ms * 1e6, period_ms=period_ms) if repeats.count > 1 else repeats


def rows(rounds: Rounds) -> Iterator[str]:
    """Yield a Markdown table."""
    yield "| rule | avoided messages | predicted, J | measured, J | difference, % | of the rounds, % |"
    yield "|---|---|---|---|---|---|"
    for rule in (rule.id for rule in RULES):
        measured = rounds.measured_j(rule)
        avoided = mean(one.avoided.get(rule, 0.0) for one in rounds.faulty)
        each = " ".join(f"{100 * Rounds([a], [b]).error(rule):+.1f}" for a, b in zip(rounds.faulty, rounds.fixed, strict=True))
        figures = f"{rounds.predicted_j(rule):.2f} | {measured.mean:.2f} ± {measured.half:.2f} | {100 * rounds.error(rule):+.1f}"
        yield f"| `{rule}` | {avoided:.3g} | {figures} | {each} |"


def missed(rounds: Rounds) -> Iterator[str]:
    """Yield what is not as it should be."""
    for rule in (rule.id for rule in RULES):
        if not all(rule in one.saving_j for one in rounds.faulty):
            yield f"{rule} misses its fault"
        if any(rule in one.saving_j for one in rounds.fixed):
            yield f"{rule} finds a fault in the fixed app"
        if not abs(rounds.error(rule)) <= TARGET:
            yield f"the saving of {rule}: {rounds.error(rule):+.1%}, the target is ± {TARGET:.0%}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of both variants [5]")
    parser.add_argument("--keep", type=Path, help="keep the recordings in this folder")
    options = parser.parse_args(arguments)
    rounds = Rounds()
    with tempfile.TemporaryDirectory() as folder, ConsoleProgress() as progress:
        bundle = make_example(APP, Path(folder), target_sdk=_TARGET_SDK)
        out = options.keep or Path(folder) / "recordings"
        with virtual_phone() as device:
            for number in range(options.rounds):
                for variant in (FAULTY, FIXED) if number % 2 == 0 else (FIXED, FAULTY):
                    found = measure(device, bundle, variant, out / f"{variant}-{number}", progress)
                    (rounds.fixed if variant == FIXED else rounds.faulty).append(found)
    print("\n".join(rows(rounds)))
    faults = list(missed(rounds))
    print("\n".join(faults))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())

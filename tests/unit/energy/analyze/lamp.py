"""A second component for tests: a lamp with constant base power and extra power for the first thread of a run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from attribution_maker import MODEL, POLICIES, manifest, method_table, nested, run, thread
from traces import METHODS

from navitas.energy.analyze.profile import About, Profile
from navitas.energy.attribute.build import build_ledger
from navitas.energy.attribute.component import Component, ComponentCurves, ComponentInputs, EvidenceLevel, RailUse, ThreadCurves
from navitas.energy.attribute.cpu.cpu_component import Cpu
from navitas.energy.attribute.curves import Curve, Knots
from navitas.recording.manifest import Manifest, Run, Test
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables

BASE_W, THREAD_W = 0.25, 0.125
ABOUT = About("made", {}, {}, {}, None, 4.0)


@dataclass
class Lamp:
    """`dark`: runs without data about the lamp. Without `threads`, it draws only base power."""

    threads: bool = True
    dark: tuple[int, ...] = ()
    name: str = "lamp"
    levels: tuple[EvidenceLevel, ...] = (EvidenceLevel("seen"), EvidenceLevel("guessed"))
    rail: str = ""

    def rail_use(self, rail: str) -> RailUse | None:
        return RailUse.ACTIVE if self.rail and rail == self.rail else None

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        if run.run_id in self.dark:
            return None
        ends = np.array([run.start_ns, run.end_ns])
        base = Curve(ends, BASE_W * (ends - ends[0]) / 1e9)
        return ComponentCurves("guessed", (Reason("not_seen", "not seen by anyone"),), self._threads(run, inputs), base=base)

    def _threads(self, run: RunTables, inputs: ComponentInputs) -> ThreadCurves | None:
        if not self.threads or not run.threads:
            return None
        edges = np.unique([run.start_ns, *inputs.marks.tolist(), run.end_ns])
        owner = np.repeat(np.arange(len(run.threads)), len(edges))
        t_ns = np.tile(edges, len(run.threads))
        energy_j = np.where(owner == 0, THREAD_W * (t_ns - run.start_ns) / 1e9, 0.0)
        return ThreadCurves(Knots.from_columns(owner, t_ns, len(run.threads)), energy_j)


BOTH: tuple[Component, ...] = (Cpu(), Lamp())


def profile_with(
    runs: Sequence[RunTables], components: Sequence[Component] = BOTH, *, baselines: Collection[int] = ()
) -> Profile:
    """Return the profile of runs with three tests each (`traces.random_run`). Run i has the id i. `baselines`: baseline runs."""
    numbered = tuple(replace(run, run_id=number) for number, run in enumerate(runs))
    parsed = ParsedRecording(method_table(METHODS), numbered, (), ())
    return Profile(build_ledger(parsed, _manifest(len(runs), baselines), MODEL, components=components), ABOUT)


def _manifest(runs: int, baselines: Collection[int]) -> Manifest:
    made = manifest(3, policies=POLICIES)
    tests: list[Test] = [test.model_copy(update={"run": run, "repeat": run}) for run in range(runs) for test in made.tests]
    fields = {"module": ":", "package": "a", "map_id": "0", "exit": "complete"}
    described = [Run.model_validate({"id": run, "repeat": run, "baseline": run in baselines, **fields}) for run in range(runs)]
    return made.model_copy(update={"tests": tests, "runs": described})


CALLER = thread(1, nested((100, 500, 0), (200, 300, 1)), [(0, 0), (1000, 500)])


def lit_runs(count: int) -> list[RunTables]:
    """Return runs of one second. A thread runs m0 from 100 to 500 ms, which calls m1 from 200 to 300 ms."""
    return [run([CALLER], [(0, 600), (600, 800)])] * count


def lit() -> Profile:
    """Return the profile of one `lit_runs` run, with a second busy thread without a lamp."""
    (own,) = lit_runs(1)
    return profile_with([replace(own, threads=(CALLER, thread(2, samples=[(0, 0), (1000, 300)])))])

"""Profile the workload in each way of recording, on a phone for each seed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.options import ProfileOptions, Record
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.session import profile
from navitas.capture.device.base import Device
from navitas.virtual_phone.start import virtual_phone
from traffic.plan import make_plan, read_log, write_plan
from traffic.scores import CallCosts, Costs, Run, RunScore, score_run
from traffic.server import log_server
from traffic.truth import physics

WORKLOAD = Path(__file__).resolve().parents[1] / "io_workload"
LINK_BYTES_PER_S = 5e6  # 40 Mbit/s
INTERVALS_MS = (100, 500, 1000, 2000, 3000)
_WARM_UP = 4


@dataclass(frozen=True, slots=True)
class Variant:
    """A way of recording."""

    name: str
    record: Record
    interval_ms: int | None = None

    def options(self, test: str) -> ProfileOptions:
        """Return the options to profile a test. Phones are prepared, as physical ones are by default."""
        return ProfileOptions(tests=(test,), record=self.record, sample_interval_ms=self.interval_ms, prepare=True)


PLAIN = Variant("none", "none")
BOTH = Variant("both", "both")
VARIANTS = (
    PLAIN,
    *(Variant(f"sampling {ms} ms", "sampling", ms) for ms in INTERVALS_MS),
    Variant("hooks", "hooks"),
    BOTH,
)


class Workload:
    """The project in a folder, built without hooks and with hooks when first needed."""

    def __init__(self, folder: Path, progress: Progress, gradle: str | None = None) -> None:
        self._folder = folder
        self._progress = progress
        self._gradle = gradle
        self._built: dict[bool, tuple[Path, list[Bundle]]] = {}

    def of(self, variant: Variant) -> tuple[Path, list[Bundle]]:
        """Return the folder and the bundles for a way of recording. The tests run in the folder."""
        hooks = variant.record != "none"
        if hooks not in self._built:
            self._progress.stage("building")
            project = self._folder / ("hooked" if hooks else "plain")
            shutil.copytree(WORKLOAD, project, ignore=shutil.ignore_patterns("build", ".gradle"))
            bundles = build_bundles(project, BuildOptions(gradle=self._gradle, hooks=hooks), on_line=self._progress.detail)
            self._built[hooks] = (project, bundles)
        return self._built[hooks]


def run_seed(
    workload: Workload,
    seed: int,
    variants: Sequence[Variant],
    out: Path,
    progress: Progress,
    *,
    scale: float = 1.0,
    calls: bool = True,
) -> Iterator[RunScore]:
    """Profile the seed's plan in each variant, in an order drawn from the seed, on the seed's phone."""
    plan = make_plan(seed, scale)
    order = list(variants)
    Random(seed).shuffle(order)
    world = physics(seed)
    with virtual_phone(seed=seed) as device, log_server(LINK_BYTES_PER_S) as server:
        for variant in order:
            folder, bundles = workload.of(variant)
            progress.stage(f"seed {seed}: {variant.name}")
            write_plan(folder, server.port, plan)
            name = variant.name.replace(" ", "-")
            recording = out / f"{seed}-{name}"
            _profile(device, bundles, variant.options("PhasesTest#phases"), recording, progress)
            server.settle()
            moved, log = list(server.log), read_log(folder)
            server.log.clear()
            recorded_bytes = sum(path.stat().st_size for path in recording.rglob("*") if path.is_file())
            spent = None
            if calls:
                _profile(device, bundles, variant.options("CallsTest#calls"), out / f"{seed}-{name}-calls", progress)
                spent = _call_costs(folder)
                server.log.clear()
            costs = Costs((log.end_ns - log.start_ns) * 1e-9, log.cpu_ns * 1e-9, recorded_bytes, spent)
            yield score_run(Run(seed, variant.name, recording, world, moved, log, costs))


def _profile(device: Device, bundles: list[Bundle], options: ProfileOptions, recording: Path, progress: Progress) -> None:
    outcome = profile(device, bundles, options, recording, progress)
    if outcome.failures:
        raise RuntimeError(f"{recording.name}: {outcome.failures}")


def _call_costs(folder: Path) -> CallCosts:
    """Return medians over the rounds after the warm-up."""
    rounds: dict[str, list[tuple[float, float]]] = {}
    for line in (folder / "calls.txt").read_text().splitlines():
        what, count, wall_ns, cpu_ns = line.split()
        rounds.setdefault(what, []).append((int(wall_ns) / int(count), int(cpu_ns) / int(count)))
    write, browse = ([median(column) for column in zip(*rounds[what][_WARM_UP:], strict=True)] for what in ("write", "browse"))
    return CallCosts(*write, *browse)

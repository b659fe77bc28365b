"""The runs of one version of the tests' code, and its recording."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from navitas.android.r8_mapping import MAPPING, MOST_MAPPING_BYTES, SourceNames, parse_mapping
from navitas.base.errors import BuildError
from navitas.base.folder_lock import FolderLock
from navitas.base.owned_folder import owned_folder
from navitas.capture.bundle.manifest import AndroidManifest
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.apps import map_cache
from navitas.capture.collect.apps.installing import clears_data
from navitas.capture.collect.apps.packages import compile_apps
from navitas.capture.collect.opened import Opened, opened, read_facts
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.runs.choice import Choice, choose
from navitas.capture.collect.runs.instrument import InstrumentResult
from navitas.capture.collect.runs.run_recorder import RunPlan
from navitas.capture.collect.runs.target import target_of
from navitas.capture.collect.state.guard import Warn
from navitas.capture.collect.trace.stack_sampling import check_sampling
from navitas.capture.device.base import Device
from navitas.recording.manifest import Provenance

_CUT = "its end is missing: the process died before it"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TurnStep:
    """One run of a turn: some tests of a bundle, with or (`baseline`) without probes."""

    choice: Choice
    class_argument: str
    baseline: bool


class Turns:
    """The turns of a profiling. In each turn, all tests run once; the first `options.warmup` turns do not count.

    The order in a turn is random, so that the device's drift affects all tests and versions alike.
    """

    def __init__(self, options: ProfileOptions, *, versions: int = 1) -> None:
        self._options = options
        self._shuffles = versions > 1 or options.max_turns > 1
        self._random = random.Random(options.seed)

    def numbers(self, is_enough: Callable[[], bool] | None) -> Iterator[int]:
        """Yield the numbers of the turns, until `is_enough` after the least number of turns, or until the last turn."""
        options = self._options
        for number in range(options.max_turns):
            yield number
            if number + 1 >= options.least_turns and (is_enough is None or is_enough()):
                return

    def steps(self, selected: Sequence[Choice]) -> list[TurnStep]:
        """Return the runs of the next turn."""
        baselines = (False, True) if self._options.baseline else (False,)
        return self.shuffled(
            [
                TurnStep(choice, argument, baseline)
                for baseline, choice in itertools.product(baselines, selected)
                for argument in choice.class_arguments
            ]
        )

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order, or as they are if there is only one turn of one version."""
        return self._random.sample(items, len(items)) if self._shuffles else list(items)


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the tests' code: its bundles, and the folder of its recording, whose lock the caller may hold."""

    name: str
    bundles: Sequence[Bundle]
    output: Path
    provenance: Provenance | None = None
    lock: FolderLock | None = None


@dataclass(frozen=True, slots=True)
class ProfilingOutcome:
    """Where the recording is, which tests did not pass, and why events are missing.

    `failures` maps test names to the first line of the reason. Names include the module, except the root project's.
    """

    recording: Path
    failures: dict[str, str]
    crashed: bool
    troubles: tuple[str, ...] = ()


@dataclass(slots=True)
class VersionRuns:
    """The tests of an installed version, its open recording, and the results of its runs so far."""

    version: Version
    recording: Opened
    selected: Sequence[Choice]
    _names: dict[str, SourceNames]
    _failures: dict[str, str] = field(default_factory=dict)
    _crashed: bool = False
    _troubles: list[str] = field(default_factory=list)
    _next_id: int = 0

    @property
    def packages(self) -> list[str]:
        """The packages whose processes run the tests."""
        return [target_of(choice.bundle).package for choice in self.selected]

    def compile(self, device: Device, options: ProfileOptions, progress: Progress) -> None:
        """Compile the installed apps as the options say."""
        if options.compile_mode is not None:
            progress.stage(f"compiling ({options.compile_mode})")
            compile_apps(device, self.packages, options.compile_mode)

    def run(self, step: TurnStep, turn: int, *, warmup: bool) -> None:
        """Run one step of a turn."""
        bundle, target = step.choice.bundle.manifest, target_of(step.choice.bundle)
        clear = clears_data(step.choice.bundle)
        known = (self._next_id, bundle.module, target.package, bundle.map_id, turn, target, step.class_argument, clear)
        plan = RunPlan(*known, baseline=step.baseline, warmup=warmup)
        self._next_id += 1
        done = self.recording.runner.run_tests(plan)
        self._failures |= _failures(plan.module, done, self._names[plan.map_id])
        self._crashed = self._crashed or done.crashed
        # A process that died has lost up to half a second of data. Its crash already explains this.
        self._troubles += [] if done.crashed else done.troubles

    def outcome(self) -> ProfilingOutcome:
        """Return the results of all runs."""
        return ProfilingOutcome(self.version.output, self._failures, self._crashed, tuple(self._troubles))


@contextmanager
def opened_version(
    device: Device, version: Version, options: ProfileOptions, progress: Progress, warn: Warn
) -> Iterator[VersionRuns]:
    """List an installed version's tests, and begin its recording. See `opened`. `warn` gets modules that are left out."""
    progress.stage("listing tests")
    with ThreadPoolExecutor(1, "navitas-facts") as meanwhile:
        facts = meanwhile.submit(read_facts, device, options)
        selected = choose(device, version.bundles, options.tests, warn, isolate=options.isolate)
    names = {choice.bundle.manifest.map_id: source_names(choice.bundle) for choice in selected}
    project = version.bundles[0].manifest.project
    for target in map(target_of, (choice.bundle for choice in selected) if options.mode == "sample" else ()):
        if not target.is_jvm:
            check_sampling(device, target.package, options.trace)
    with opened(device, options, project, version.output, progress, facts=facts.result(), lock=version.lock) as recording:
        for choice in selected:
            recording.add_map(map_cache.map_of_bundle(choice.bundle))
            recording.warn_of_build(choice.bundle.manifest, options)
            if options.mode == "sample":
                recording.writer.add_names(choice.bundle.manifest.map_id, mapping_of(choice.bundle))
        yield VersionRuns(version, recording, selected, names)


def _failures(module: str, done: InstrumentResult, names: SourceNames) -> dict[str, str]:
    """Map test names to reasons. Names include the module, except the root project's, because modules may share class names."""
    place = "" if module == ":" else f"{module} "
    bad = {name: status for name, status in done.tests.items() if status in ("failed", "cut")}
    reasons = {name: done.stacks.get(name) or (_CUT if status == "cut" else status) for name, status in bad.items()}
    return {f"{place}{name}": names.retraced(reason.strip().split("\n")[0]) for name, reason in reasons.items()}


def source_names(bundle: Bundle) -> SourceNames:
    """Return the names of a bundle's minified code, for what R8's and ProGuard's `retrace` do; empty if it is not minified.

    Raises `BuildError` if they are unreadable.
    """
    return parse_mapping(mapping_of(bundle).decode("utf-8", "replace").split("\n"))


def mapping_of(bundle: Bundle) -> bytes:
    """Return the mapping.txt of a bundle, empty if it is not minified. Raises `BuildError` if it is unreadable."""
    manifest = bundle.manifest
    if not isinstance(manifest, AndroidManifest) or manifest.mapping is None:
        return b""
    with owned_folder("navitas-names-") as folder:
        file = bundle.extract(manifest.mapping, folder / MAPPING)
        if file.stat().st_size > MOST_MAPPING_BYTES:
            most = f"{MOST_MAPPING_BYTES:,} bytes"
            raise BuildError(f"{bundle.path}: {manifest.mapping} has more than {most}", "Build the project again.")
        return file.read_bytes()

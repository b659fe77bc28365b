"""A profiling session: install bundles, run the tests in all repeats, and make one recording."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import Bundle
from navitas.collect import map_cache
from navitas.collect.choice import Choice, choose
from navitas.collect.compile_mode import compile_apps
from navitas.collect.installing import installed
from navitas.collect.instrument import InstrumentResult
from navitas.collect.opened import opened
from navitas.collect.options import ProfileOptions
from navitas.collect.progress import Progress
from navitas.collect.retrace import SourceNames, source_names
from navitas.collect.run_recorder import RunPlan
from navitas.collect.state.measuring import condition_at_start, measured
from navitas.collect.target import target_of
from navitas.device.base import Device
from navitas.folder_lock import FolderLock

_CUT = "its end is missing: the process died before it"


@dataclass(frozen=True, slots=True)
class ProfilingOutcome:
    """Where the recording is, which tests did not pass, and why events are missing.

    `failures` maps test names to the first line of the reason. Names include the module, except the root project's.
    """

    recording: Path
    failures: dict[str, str]
    crashed: bool
    troubles: tuple[str, ...] = ()


def profile(
    device: Device,
    bundles: Sequence[Bundle],
    options: ProfileOptions,
    output: Path,
    progress: Progress,
    *,
    lock: FolderLock | None = None,
) -> ProfilingOutcome:
    """Run the selected tests of all bundles on the device and write a recording to `output`. The caller may hold its lock.

    Raises `UsageError` if no test matches, `BuildError` for a damaged bundle, `DeviceError` if the device is lost or not fit
    to be measured, and `RecordingError` if `output` is not writable. In each case a partial recording is kept.
    """
    start = condition_at_start(device, options)
    with installed(device, bundles, progress):
        progress.stage("listing tests")
        unlisted: list[str] = []
        selected = choose(device, bundles, options.tests, unlisted.append, isolate=options.isolate)
        names = {choice.bundle.manifest.map_id: source_names(choice.bundle) for choice in selected}
        with opened(device, options, bundles[0].manifest.project, output, progress, lock=lock) as recording:
            for choice in selected:
                recording.add_map(map_cache.map_of_bundle(choice.bundle))
                recording.warn_of_build(choice.bundle.manifest, options)
            for text in unlisted:
                recording.writer.warn("tests_not_listed", text, "its tests were not run")
            failures: dict[str, str] = {}
            crashed = False
            troubles: list[str] = []
            packages = [target_of(choice.bundle).package for choice in selected]
            if options.compile_mode is not None:
                progress.stage(f"compiling ({options.compile_mode})")
                compile_apps(device, packages, options.compile_mode)
            permissions = recording.permissions(packages)
            with measured(device, start, options, recording.writer.warn, progress, permissions=permissions) as cool_down:
                for plan in _plans(selected, options):
                    cool_down(plan.repeat)
                    progress.stage(_stage(plan, len(selected), options.repeat))
                    done = recording.runner.run_tests(plan)
                    failures |= _failures(plan.module, done, names[plan.map_id])
                    crashed = crashed or done.crashed
                    # A process that died has lost up to half a second of data. Its crash already explains this.
                    troubles += [] if done.crashed else done.troubles
            recording.finish(progress)
    return ProfilingOutcome(output, failures, crashed, tuple(troubles))


def _plans(selected: Sequence[Choice], options: ProfileOptions) -> Iterator[RunPlan]:
    """Yield the runs, repeats outermost, so that the device's drift affects all modules alike; each with its baseline."""
    number = 0
    for turn, baseline in itertools.product(range(options.repeat), (False, True) if options.baseline else (False,)):
        for choice in selected:
            bundle, target = choice.bundle.manifest, target_of(choice.bundle)
            clear = isinstance(bundle, AndroidManifest) and bundle.orchestrator and bundle.clear_package_data
            for argument in choice.class_arguments:
                known = (number, bundle.module, target.package, bundle.map_id, turn, target, argument, clear)
                yield RunPlan(*known, baseline=baseline)
                number += 1


def _stage(plan: RunPlan, modules: int, repeat: int) -> str:
    where = f" of {plan.module}" if modules > 1 else ""
    turn = f" (run {plan.repeat + 1} of {repeat})" if repeat > 1 else ""
    return f"running tests{where}{turn}{' without probes' if plan.baseline else ''}"


def _failures(module: str, done: InstrumentResult, names: SourceNames) -> dict[str, str]:
    """Map test names to reasons. Names include the module, except the root project's, because modules may share class names."""
    place = "" if module == ":" else f"{module} "
    bad = {name: status for name, status in done.tests.items() if status in ("failed", "cut")}
    reasons = {name: done.stacks.get(name) or (_CUT if status == "cut" else status) for name, status in bad.items()}
    return {f"{place}{name}": names.retraced(reason.strip().split("\n")[0]) for name, reason in reasons.items()}

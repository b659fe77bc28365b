"""A profiling session: install bundles, run the tests in all repeats, and make a recording of each version."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path

from navitas.base.folder_lock import FolderLock
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.apps.installing import installed, warn_of_cleared_data
from navitas.capture.collect.apps.kept_apps import AppWarning, kept_apps
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.runs.version_runs import ProfilingOutcome, Turns, Version, VersionRuns, opened_version
from navitas.capture.collect.state.guard import Warn
from navitas.capture.collect.state.measuring import condition_at_start, measured
from navitas.capture.device.base import Device
from navitas.recording.codes import WarningCode

__all__ = ["ProfilingOutcome", "Version", "profile", "profile_versions"]

IsEnough = Callable[[], bool]
"""Whether the recordings so far are enough. Called between turns, if `ProfileOptions.is_open`."""


def profile(
    device: Device,
    bundles: Sequence[Bundle],
    options: ProfileOptions,
    output: Path,
    progress: Progress,
    *,
    lock: FolderLock | None = None,
    is_enough: IsEnough | None = None,
) -> ProfilingOutcome:
    """Run the selected tests of all bundles on the device and write a recording to `output`. See `profile_versions`."""
    version = Version("", bundles, output, options.provenance, lock)
    return profile_versions(device, [version], options, progress, is_enough=is_enough)[0]


def profile_versions(
    device: Device, versions: Sequence[Version], options: ProfileOptions, progress: Progress, *, is_enough: IsEnough | None = None
) -> tuple[ProfilingOutcome, ...]:
    """Run the selected tests of all versions in each repeat, and write a recording of each version.

    Several versions take turns on the device, in random order: most are the same app, so only one can be installed.

    Raises `UsageError` if no test matches, `BuildError` for a damaged bundle, `DeviceError` if the device is lost or not fit
    to be measured, and `RecordingError` if an output is not writable. In each case partial recordings are kept.
    """
    options = options.with_seed()
    if len(versions) > 1:
        options = replace(options, session=secrets.token_hex(8))
    start = condition_at_start(device, options)
    turns = Turns(options, versions=len(versions))
    alone = len(versions) == 1
    with ExitStack() as stack:
        every = [bundle for version in versions for bundle in version.bundles]
        warnings = stack.enter_context(kept_apps(device, every, progress))
        warnings += warn_of_cleared_data(device, every, progress)
        recorded: list[VersionRuns] = []
        for version in versions:
            settings = replace(options, provenance=version.provenance)
            left_out: list[AppWarning] = []
            warn_of_module = _kept(left_out, progress)
            installing = installed(device, version.bundles, progress, warn_of_module)
            with nullcontext(stack.enter_context(installing)) if alone else installing as bundles:
                able = replace(version, bundles=bundles)
                recorded.append(stack.enter_context(opened_version(device, able, settings, progress, warn_of_module)))
            for notice in left_out:
                recorded[-1].recording.writer.warn(*notice)
        if alone:
            recorded[0].compile(device, options, progress)

        def warn(code: WarningCode, text: str, remedy: str) -> None:
            for one in recorded:
                one.recording.writer.warn(code, text, remedy)

        for warning in warnings:
            warn(*warning)
        permissions = recorded[0].recording.permissions(recorded[0].packages) if alone else ()
        with measured(device, start, options, warn, progress, permissions=permissions) as cool_down:
            for turn in turns.numbers(is_enough):
                for one in turns.shuffled(recorded):
                    with nullcontext() if alone else installed(device, one.version.bundles, progress):
                        if not alone:
                            one.compile(device, options, progress)
                        for step in turns.steps(one.selected):
                            cool_down(turn)
                            progress.stage(_stage(one, step.choice.bundle.manifest.module, turn, options, step.baseline))
                            one.run(step, turn, warmup=turn < options.warmup)
        for one in recorded:
            one.recording.finish(progress)
    return tuple(one.outcome() for one in recorded)


def _kept(warnings: list[AppWarning], progress: Progress) -> Warn:
    """Return what shows a warning at once, and adds it to `warnings`."""

    def warn(code: WarningCode, message: str, remedy: str) -> None:
        progress.warning(message, remedy)
        warnings.append((code, message, remedy))

    return warn


def _stage(runs: VersionRuns, module: str, turn: int, options: ProfileOptions, baseline: bool) -> str:
    where = f" of {module}" if len(runs.selected) > 1 else ""
    version = f" of {runs.version.name}" if runs.version.name else ""
    if turn < options.warmup:
        count = f" (warm-up {turn + 1} of {options.warmup})"
    else:
        most = f"at most {options.max_repeat}" if options.is_open else f"{options.repeat}"
        count = f" (run {turn - options.warmup + 1} of {most})" if options.max_turns > 1 else ""
    return f"running tests{where}{version}{count}{' without probes' if baseline else ''}"

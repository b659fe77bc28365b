"""Record one use of an installed, instrumented app, by a person or by a command on the device, without tests."""

from __future__ import annotations

import select
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TextIO

from navitas.base.errors import DeviceError, RecordingError, UsageError
from navitas.base.folder_lock import FolderLock
from navitas.base.owned_folder import owned_folder
from navitas.base.test_patterns import TestName
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.apps import app_files, map_cache
from navitas.capture.collect.apps.app_files import AppFolder
from navitas.capture.collect.apps.app_processes import first_process, has_no_activity, processes, start_app
from navitas.capture.collect.apps.installing import installed
from navitas.capture.collect.apps.kept_apps import kept_apps
from navitas.capture.collect.opened import opened, read_facts
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.progress import Progress
from navitas.capture.collect.runs.input_script import LINE_MARK
from navitas.capture.collect.runs.instrument import InstrumentResult
from navitas.capture.collect.runs.run_recorder import RunPlan
from navitas.capture.collect.runs.target import Target
from navitas.capture.collect.runs.version_runs import ProfilingOutcome, mapping_of
from navitas.capture.collect.state.measuring import condition_at_start, measured
from navitas.capture.collect.trace.stack_sampling import check_sampling
from navitas.capture.device.base import Device
from navitas.capture.device.phone_user import foreground_user, is_profile
from navitas.recording.late_maps import MAP_UNKNOWN, UNKNOWN_MAP

WHOLE = "use"
"""The method name of the recording's only entry."""
_POLL_S = 0.3
# The runtime writes its buffers every half second. Anything after its last write is lost when the app ends.
_FLUSH_S = 1.2
_MODULE = ":"
# By then, most apps have called an instrumented method, and the runtime has written it.
_MAP_S = 3.0
_MAP_BYTES = 1 << 16
_MAP_REMEDY = "give the bundle from its build with --bundle, or its map.json with --map"
_EXIT_MARK = "navitas-exit:"
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class Use:
    """An app to record, how it is used, and what is known of its build.

    `command` is a command line on the device. If it is empty, `until` returns when the use is over.
    `map_ids` returns the ids of the method maps that the event files of a run's folder name.
    """

    package: str
    command: str
    until: Callable[[], None]
    map_ids: Callable[[Path], set[str]]
    bundle: Bundle | None = None
    map: map_cache.KnownMap | None = None
    bound_s: float | None = None
    """Upper bound of the duration of `until`, if known."""
    script: Path | None = None
    """The file whose events `command` sends."""
    is_monkey: bool = False
    """`command` is `monkey`, which uses only apps of the phone's user in the foreground."""


def record(
    device: Device, use: Use, options: ProfileOptions, output: Path, progress: Progress, *, lock: FolderLock | None = None
) -> ProfilingOutcome:
    """Record the use of an app at `output`. The caller may already hold the lock of `output`.

    Raises `DeviceError` if the app is not installed or not instrumented, or if the device is lost. Raises `RecordingError` if its
    method map turns out to be unknown before the use begins. If this turns out later, the recording is kept, with a warning.
    Raises `UsageError` if the command cannot use the app of the measured user.
    """
    if use.is_monkey or use.script is not None:
        _check_front(device, use)
    start = condition_at_start(device, options)
    bundles = [use.bundle] if use.bundle else []
    with kept_apps(device, bundles, progress) as warnings, installed(device, bundles, progress) if bundles else nullcontext():
        if not device.shell(f"pm path{device.info.user_flag} {shlex.quote(use.package)}").text.strip():
            raise DeviceError(f"device {device.info.serial}: {use.package} is not installed", "install it, or give --bundle")
        is_sampled = options.mode == "sample"
        if is_sampled:
            check_sampling(device, use.package, options.trace)
        known = use.map or (map_cache.map_of_bundle(use.bundle) if use.bundle else map_cache.NO_METHODS if is_sampled else None)
        use = replace(use, map=known)
        plan = replace(_plan(use), has_runtime=not is_sampled)
        facts, project = read_facts(device, options), (known and known.project) or use.package
        with opened(device, options, project, output, progress, facts=facts, lock=lock) as recording:
            for warning in warnings:
                recording.writer.warn(*warning)
            if use.bundle:
                recording.warn_of_build(use.bundle.manifest, options)
            if known:
                recording.add_map(known)
            if use.bundle and is_sampled:
                recording.writer.add_names(plan.map_id, mapping_of(use.bundle))
            permissions = recording.permissions([use.package])
            with measured(device, start, options, recording.writer.warn, progress, permissions=permissions):
                device.shell(f"am force-stop{device.info.user_flag} {shlex.quote(use.package)}")

                def use_app(_: RunPlan, done: InstrumentResult, stream: Path, folder: AppFolder | None) -> None:
                    def named(pid: str) -> None:
                        if not plan.has_runtime:
                            done.pid = int(pid)
                            recording.runner.enter(plan, "interrupted", done.pid)  # also of a use that is interrupted

                    _record_use(
                        device, use, done, stream, folder if plan.has_runtime else None, progress=progress, on_process=named
                    )

                try:
                    done = recording.runner.run(plan, use_app)
                finally:  # also of a use that was interrupted
                    ids = sorted(use.map_ids(output / "runs" / "0"))
                    for found in () if known else filter(None, map(map_cache.find, ids)):  # the run names the last one
                        recording.add_map(found)
                        recording.writer.bind_run(plan.id, found.map_id, found.module)
            for name in _unknown(use, ids):
                remedy = f"navitas report {output} --map FILE (its build's map.json, or bundle)"
                recording.writer.warn(MAP_UNKNOWN, _unknown_map_message(use.package, name), remedy)
            recording.finish(progress)
    return ProfilingOutcome(output, {}, done.crashed, () if done.crashed else tuple(done.troubles))


def _plan(use: Use) -> RunPlan:
    module, map_id = (use.map.module, use.map.map_id) if use.map else (_MODULE, UNKNOWN_MAP)
    target = Target(use.package, use.package, None, "", {})
    plan = RunPlan(0, module, use.package, map_id, 0, target, whole=True)
    return replace(plan, bound_s=None if use.command else use.bound_s)  # a command has no time limit


def _check_front(device: Device, use: Use) -> None:
    """Raise `UsageError` if events of `monkey` or of a script would reach apps of another user than the measured one."""
    if device.info.named_user is None:
        return
    front, user = foreground_user(device), device.info.user
    if front == user or (use.script is not None and front is not None and is_profile(device, user, front)):
        return
    who = "" if front is None else f", user {front}"
    option = "--monkey" if use.script is None else "--script"
    raise UsageError(
        f"{option} uses apps of the user in the foreground{who}, and user {user} is measured",
        f"bring user {user} to the foreground (adb shell am switch-user {user}), or give a COMMAND that names its --user",
    )


def _record_use(
    device: Device,
    use: Use,
    done: InstrumentResult,
    stream: Path,
    folder: AppFolder | None,
    *,
    progress: Progress,
    on_process: Callable[[str], None],
) -> None:
    """Start the app and wait for the end of its use. Calls `on_process` with that of `first_process` as soon as it runs."""
    name = TestName(use.package, WHOLE)
    done.set(name, "cut")
    progress.stage(f"starting {use.package}")
    started = start_app(device, use.package)
    has_none = has_no_activity(started)
    starts_it = has_none and bool(use.command)
    """Whether the command has to start the app."""
    if starts_it and (use.is_monkey or use.script is not None):
        raise DeviceError(
            f"device {device.info.serial}: launchers show no activity of {use.package}, so events would reach other apps",
            "give a COMMAND that starts what you want to measure: navitas record … -- am start …",
        )
    if has_none and not use.command:
        progress.stage(f"{use.package} has no activity to start: start what you want to measure")
    first = None if starts_it else first_process(device, use.package, folder, started, by_hand=has_none)
    if not starts_it and folder is not None and use.bundle is None:
        _check_map(folder, use)
    if first is not None:
        on_process(first)
    by_hand = "" if use.command or use.bound_s is not None else ": use it, then press Enter"
    progress.stage(f"recording {use.package}{by_hand}")
    if use.command:
        run_command(device, use.command, done, stream, progress, script=use.script)
    else:
        use.until()
    if starts_it:
        first = first_process(device, use.package, folder, None)
        if first is not None:
            on_process(first)
    time.sleep(_FLUSH_S)
    if first is not None and first not in processes(device, use.package):
        done.crashed = True
        done.message = "its process ended before the recording did"
    done.set(name, "cut" if done.crashed else "passed")


def _check_map(remote: AppFolder, use: Use) -> None:
    """Check from the first events whether their method map is known, before the user spends time on a useless recording.

    Raises `RecordingError` if it is not known. Waits a few seconds at most for the first events.
    """
    deadline = time.monotonic() + _MAP_S
    ids: set[str] = set()
    with owned_folder("navitas-map-") as folder:
        while not ids and time.monotonic() < deadline:
            for name in app_files.event_files(remote.files()):
                (folder / name).write_bytes(remote.beginning(name, _MAP_BYTES))
            ids = use.map_ids(folder)
            time.sleep(0 if ids else _POLL_S)
    for name in _unknown(use, sorted(ids)):
        raise RecordingError(_unknown_map_message(use.package, name), _MAP_REMEDY)


def _unknown(use: Use, ids: Sequence[str]) -> list[str]:
    """Return the ids whose map is neither given nor cached."""
    return [name for name in ids if not (name in (use.map.map_id, *use.map.includes) if use.map else map_cache.find(name))]


def _unknown_map_message(package: str, map_id: str) -> str:
    return f"{package}: the method map {map_id} of its build is not known here"


def run_command(
    device: Device, command: str, done: InstrumentResult, stream: Path, progress: Progress, *, script: Path | None = None
) -> None:
    """Run a command line to its end, or until Ctrl-C, and keep its output. `script` is the file whose events it sends."""
    marks = {_EXIT_MARK: "", LINE_MARK: ""}
    has_ended = False
    with until_ctrl_c(), device.stream(_shell_script(command)) as running, stream.open("wb") as raw:
        for line in running.lines():
            if mark := next((one for one in marks if line.startswith(one.encode())), ""):
                marks[mark] = line.decode("utf-8", "replace").removeprefix(mark).strip()
                continue
            raw.write(line + b"\n")
            progress.detail(line.decode("utf-8", "replace"))
        has_ended = True
    code, number = marks[_EXIT_MARK], marks[LINE_MARK]
    if has_ended and code != "0":
        # Recordings keep this message, so it has no words of the command, which can be secrets.
        what = "the command" if script is None else f"{script}{f', line {number}' if number else ''}"
        done.warnings.append(f"{what} ended with exit code {code or 'unknown'}: see instrument.txt of the run")


def _shell_script(command: str) -> str:
    """Return a script that runs a command and prints its exit code, and that kills the command when the host closes the stream.

    adbd then sends SIGHUP, but only to this shell, which leads a process group (AOSP: shell_service.cpp); and `monkey` ignores
    the signal. The shell's trap kills the group, and needs a shell that waits. Output may not end with a newline. The command
    has a shell of its own, so that one with a syntax error has an exit code, and waits for what it has left in the background.
    """
    own = shlex.quote(f"{command}\nc=$?; wait; exit $c")
    return f"trap 'kill -9 -$$' HUP\nsh -c {own} 2>&1 &\nwait $!\necho \"\n{_EXIT_MARK}$?\""


class _Ended(BaseException):
    pass


@contextmanager
def until_ctrl_c() -> Iterator[None]:
    """Run the block to its end, or until Ctrl-C. A second Ctrl-C interrupts the command, also after the block.

    Other threads than the main one get no signals, and a process that ignores Ctrl-C still does.
    """
    before = signal.getsignal(signal.SIGINT)
    if before in (signal.SIG_IGN, None) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        raise _Ended

    with suppress(_Ended):
        signal.signal(signal.SIGINT, end)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGINT) is end:  # not if another signal interrupts the command
                signal.signal(signal.SIGINT, before)


def wait_for_user(limit_s: float | None, process: int | None = None, *, by_hand: bool = True) -> None:
    """Wait for `limit_s` seconds, or without a limit and `by_hand` for a line or the end of standard input.

    Ctrl-C ends the wait, and so does the end of a process, of which `process` is a handle.
    """
    end = None if limit_s is None else time.monotonic() + limit_s
    watched: list[int | TextIO] = [] if process is None else [process]
    watched += [sys.stdin] if by_hand and end is None and sys.stdin is not None else []
    with until_ctrl_c():
        while end is None or time.monotonic() < end:
            poll_s = _LOOK_S if end is None else min(_LOOK_S, max(0.0, end - time.monotonic()))
            if ready := select.select(watched, [], [], poll_s)[0]:
                if process not in ready:
                    sys.stdin.readline()
                return

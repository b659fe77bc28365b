"""Record one use of an installed, instrumented app, by a person or by a command on the device, without tests."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from navitas.bundle.reader import Bundle
from navitas.collect import app_files, map_cache
from navitas.collect.installing import installed
from navitas.collect.instrument import InstrumentResult
from navitas.collect.kept_apps import kept_apps
from navitas.collect.opened import Opened, opened
from navitas.collect.options import ProfileOptions
from navitas.collect.progress import Progress
from navitas.collect.run_recorder import RunPlan
from navitas.collect.selection import TestName
from navitas.collect.session import ProfilingOutcome
from navitas.collect.state.measuring import condition_at_start, measured
from navitas.collect.target import Target
from navitas.device.base import Device, ShellResult
from navitas.errors import DeviceError, RecordingError
from navitas.folder_lock import FolderLock
from navitas.owned_folder import owned_folder
from navitas.recording.late_maps import MAP_UNKNOWN, UNKNOWN_MAP

WHOLE = "use"
"""The method name of the recording's only entry."""
# A virtual phone on a busy machine needs a minute to load the framework.
_START_S = 180.0
_EVENTS_S = 15.0
_POLL_S = 0.3
# The runtime writes its buffers every half second. Anything after its last write is lost when the app ends.
_FLUSH_S = 1.2
_EXIT_MARK = "navitas-exit:"
_NO_ACTIVITY = ("No activities found", "No activity found")
"""What the phone prints for an app without an activity for launchers."""
_MODULE = ":"
_COLUMNS = 3
_PER_USER = 100_000
"""The uids of each user of the phone (UserHandle.PER_USER_RANGE)."""
# By then, most apps have called an instrumented method, and the runtime has written it.
_MAP_S = 3.0
_MAP_BYTES = 1 << 16
_LONGEST_OUTPUT = 300
_LONGEST_COMMAND = 120
_MAP_REMEDY = "give the bundle from its build with --bundle, or its map.json with --map"


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


def record(
    device: Device,
    use: Use,
    options: ProfileOptions,
    output: Path,
    progress: Progress,
    *,
    lock: FolderLock | None = None,
) -> ProfilingOutcome:
    """Record the use of an app at `output`. The caller may already hold the lock of `output`.

    Raises `DeviceError` if the app is not installed or not instrumented, or if the device is lost. Raises `RecordingError` if its
    method map turns out to be unknown before the use begins. If this turns out later, the recording is kept, with a warning.
    """
    start = condition_at_start(device, options)
    bundles = [use.bundle] if use.bundle else []
    with (
        kept_apps(device, bundles, progress) as warnings,
        installed(device, bundles, progress) if bundles else nullcontext(),
    ):
        if not device.shell(f"pm path{device.info.user_flag} {shlex.quote(use.package)}").text.strip():
            raise DeviceError(f"device {device.info.serial}: {use.package} is not installed", "install it, or give --bundle")
        known = use.map or (map_cache.map_of_bundle(use.bundle) if use.bundle else None)
        use = replace(use, map=known)
        plan = _plan(use)
        with opened(device, options, known.project if known else use.package, output, progress, lock=lock) as recording:
            for warning in warnings:
                recording.writer.warn(*warning)
            if use.bundle:
                recording.warn_of_build(use.bundle.manifest, options)
            permissions = recording.permissions([use.package])
            with measured(device, start, options, recording.writer.warn, progress, permissions=permissions):
                device.shell(f"am force-stop{device.info.user_flag} {shlex.quote(use.package)}")
                done = recording.runner.run(plan, lambda _, done, stream: _record_use(device, use, done, stream, progress))
            ids = sorted(use.map_ids(output / "runs" / "0"))
            _bind(recording, plan, done, [known] if known else list(filter(None, map(map_cache.find, ids))))
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


def _record_use(device: Device, use: Use, done: InstrumentResult, stream: Path, progress: Progress) -> None:
    name = TestName(use.package, WHOLE)
    done.set(name, "cut")
    progress.stage(f"starting {use.package}")
    started = _start(device, use.package)
    if any(words in started.text for words in _NO_ACTIVITY) and not use.command:
        progress.stage(f"{use.package} has no activity to start: start what you want to measure")
    first = _first_process(device, use.package, _output_line(started))
    if first is not None and use.bundle is None:
        _check_map(device, use)
    by_hand = "" if use.command or use.bound_s is not None else ": use it, then press Enter"
    progress.stage(f"recording {use.package}{by_hand}")
    if use.command:
        _run_command(device, use, done, stream, progress)
    else:
        use.until()
    time.sleep(_FLUSH_S)
    last = _processes(device, use.package)
    if first is not None and first not in last:
        done.crashed = True
        done.message = "its process ended before the recording did"
    done.set(name, "cut" if done.crashed else "passed")


def _start(device: Device, package: str) -> ShellResult:
    """Start the app's activity for launchers."""
    name, user = shlex.quote(package), device.info.named_user
    if user is None:
        return device.shell(f"monkey -p {name} -c android.intent.category.LAUNCHER 1", timeout_s=_START_S)
    # monkey starts apps of the user in the foreground only.
    launcher = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
    found = device.shell(f"cmd package resolve-activity --brief --user {user} {launcher} {name}")
    component = (found.text.split() or [""])[-1]
    return (
        device.shell(f"am start -W --user {user} -n {shlex.quote(component)}", timeout_s=_START_S) if "/" in component else found
    )


def _run_command(device: Device, use: Use, done: InstrumentResult, stream: Path, progress: Progress) -> None:
    """Run the command to its end, or until Ctrl-C, and keep its output."""
    code = ""
    # The command's output may not end with a newline.
    with device.stream(f'{use.command}\necho "\n{_EXIT_MARK}$?"') as running, stream.open("wb") as raw:
        try:
            for line in running.lines():
                if line.startswith(_EXIT_MARK.encode()):
                    code = line.decode("utf-8", "replace").removeprefix(_EXIT_MARK).strip()
                    continue
                raw.write(line + b"\n")
                progress.detail(line.decode("utf-8", "replace"))
        except KeyboardInterrupt:
            code = "0"
    if code != "0":
        done.warnings.append(
            f"'{use.command[:_LONGEST_COMMAND]}' ended with exit code {code or 'unknown'}: see instrument.txt of the run"
        )


def _output_line(result: ShellResult) -> str:
    """Return a command's output on one line. Of long output, return the end, which names the cause."""
    return " ".join((result.stdout + result.stderr).decode("utf-8", "replace").split())[-_LONGEST_OUTPUT:]


def _first_process(device: Device, package: str, output: str) -> str | None:
    """Return the app's first process that writes events, or None if its files are not accessible.

    Raises `DeviceError` if there is none. `output` of the command that started the app is part of its message.
    """
    deadline = time.monotonic() + _EVENTS_S
    folder = app_files.readable(device, package)
    if folder is None:
        return None
    while time.monotonic() < deadline:
        for name in app_files.event_files(folder.files()):
            return re.sub(r"\D", "", name.removesuffix(".nvch"))
        time.sleep(_POLL_S)
    if not _processes(device, package):
        why = f"; the command that starts it printed: {output}" if output else ""
        on_phone = device.info.kind == "phone"
        on_virtual = "check that the app has a launcher activity that the virtual phone can run: docs/virtual-phone.md"
        remedy = "start it on the phone to see why" if on_phone else on_virtual
        raise DeviceError(f"device {device.info.serial}: {package} does not run{why}", remedy)
    raise DeviceError(
        f"device {device.info.serial}: {package} runs, but records nothing: it is not an instrumented build",
        "give the bundle from its build with --bundle (see navitas plugin); Navitas then installs it",
    )


def _processes(device: Device, package: str) -> set[str]:
    """Return the ids of the app's processes (PACKAGE and PACKAGE:NAME) that belong to the measured user."""
    found = (line.split(None, 2) for line in device.shell("ps -A -o PID,UID,NAME").text.splitlines())
    own = (pid for pid, uid, name in (parts for parts in found if len(parts) == _COLUMNS) if _is_own(device, package, uid, name))
    return set(own)


def _is_own(device: Device, package: str, uid: str, name: str) -> bool:
    is_of_user = uid.isdecimal() and int(uid) // _PER_USER == device.info.user
    return is_of_user and name.partition(":")[0].strip() == package


def _check_map(device: Device, use: Use) -> None:
    """Check from the first events whether their method map is known, before the user spends time on a useless recording.

    Raises `RecordingError` if it is not known. Waits a few seconds at most for the first events.
    """
    deadline = time.monotonic() + _MAP_S
    ids: set[str] = set()
    remote = app_files.readable(device, use.package)
    with owned_folder("navitas-map-") as folder:
        while remote and not ids and time.monotonic() < deadline:
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


def _bind(recording: Opened, plan: RunPlan, done: InstrumentResult, maps: Sequence[map_cache.KnownMap]) -> None:
    """Add the method maps that the events refer to."""
    for one in maps:
        recording.add_map(one)
        plan = replace(plan, map_id=one.map_id, module=one.module)
    recording.runner.enter(plan, "crashed" if done.crashed else "complete")

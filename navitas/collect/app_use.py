"""One use of an installed, instrumented app, by a person or by a command on the device, as a recording without tests."""

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
from navitas.collect.instrument import Instrumented
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
"""What stands for a test's method where the app was used without tests."""
_EVENTS_S = 15.0
_POLL_S = 0.3
# The runtime writes what it has each half second; what comes after its last time is lost when the app is ended.
_FLUSH_S = 1.2
_EXIT = "navitas-exit:"
_MODULE = ":"
# By then most apps have called a method of theirs and the runtime has written it.
_MAP_S = 3.0
_MAP_BYTES = 1 << 16
_WORDS = 300
_BY_MAP = "give the bundle that its build made by --bundle, or its map.json by --map"


@dataclass(frozen=True, slots=True)
class Use:
    """What is used: the app's package, how (a command line on the device; empty: `until` returns when it is over), and what is
    known of its build: its bundle, or its method map. `map_ids` tells the ids of the maps in the files of a run's folder."""

    package: str
    command: str
    until: Callable[[], None]
    map_ids: Callable[[Path], set[str]]
    bundle: Bundle | None = None
    map: map_cache.KnownMap | None = None
    bound_s: float | None = None
    """How long `until` takes at most, where that is known."""


def record(
    device: Device,
    use: Use,
    options: ProfileOptions,
    output: Path,
    progress: Progress,
    *,
    lock: FolderLock | None = None,
) -> ProfilingOutcome:
    """Record the use of an app at `output`, whose lock the caller may hold.

    Raises `DeviceError` when the app is not installed or not instrumented, or the device is lost; `RecordingError` when its
    method map is found to be unknown before the use begins. Found later, the recording is kept, and a warning tells.
    """
    start = condition_at_start(device, options)
    with installed(device, [use.bundle], progress) if use.bundle else nullcontext():
        if not device.shell(f"pm path {shlex.quote(use.package)}").text.strip():
            raise DeviceError(f"device {device.info.serial}: {use.package} is not installed", "install it, or give --bundle")
        known = use.map or (map_cache.of_bundle(use.bundle) if use.bundle else None)
        use = replace(use, map=known)
        plan = _plan(use)
        with opened(device, options, known.project if known else use.package, output, progress, lock=lock) as recording:
            with measured(device, start, options, recording.writer.warn, progress):
                device.shell(f"am force-stop {shlex.quote(use.package)}")
                done = recording.runner.run(plan, lambda _, done, stream: _use(device, use, done, stream, progress))
            ids = sorted(use.map_ids(output / "runs" / "0"))
            _bind(recording, plan, done, [known] if known else list(filter(None, map(map_cache.find, ids))))
            for name in _unknown(use, ids):
                remedy = f"navitas report {output} --map FILE (its build's map.json, or bundle)"
                recording.writer.warn(MAP_UNKNOWN, _says_unknown(use.package, name), remedy)
            recording.finish(progress)
    return ProfilingOutcome(output, {}, done.crashed, () if done.crashed else tuple(done.troubles))


def _plan(use: Use) -> RunPlan:
    module, map_id = (use.map.module, use.map.map_id) if use.map else (_MODULE, UNKNOWN_MAP)
    target = Target(use.package, use.package, None, "", {})
    plan = RunPlan(0, module, use.package, map_id, 0, target, whole=True)
    return replace(plan, bound_s=None if use.command else use.bound_s)  # a command takes as long as it takes


def _use(device: Device, use: Use, done: Instrumented, stream: Path, progress: Progress) -> None:
    name = TestName(use.package, WHOLE)
    done.set(name, "cut")
    progress.stage(f"starting {use.package}")
    started = device.shell(f"monkey -p {shlex.quote(use.package)} -c android.intent.category.LAUNCHER 1", timeout_s=60.0)
    if "No activities found" in started.text and not use.command:
        progress.stage(f"{use.package} has no activity to start: start what is to be measured")
    first = _first_process(device, use.package, _words(started))
    if first is not None and use.bundle is None:
        _check_map(device, use)
    progress.stage(f"recording {use.package}")
    if use.command:
        _command(device, use, done, stream, progress)
    else:
        use.until()
    time.sleep(_FLUSH_S)
    last = _processes(device, use.package)
    if first is not None and first not in last:
        done.crashed = True
        done.message = "its process ended before the recording did"
    done.set(name, "cut" if done.crashed else "passed")


def _command(device: Device, use: Use, done: Instrumented, stream: Path, progress: Progress) -> None:
    """Run the command to its end, or until Ctrl-C; what it prints is kept."""
    code = ""
    # Its own end may lack a line's end.
    with device.stream(f'{use.command}\necho "\n{_EXIT}$?"') as running, stream.open("wb") as raw:
        try:
            for line in running.lines():
                if line.startswith(_EXIT.encode()):
                    code = line.decode("utf-8", "replace").removeprefix(_EXIT).strip()
                    continue
                raw.write(line + b"\n")
                progress.detail(line.decode("utf-8", "replace"))
        except KeyboardInterrupt:
            code = "0"
    if code != "0":
        done.warnings.append(f"'{use.command}' ended with exit code {code or 'unknown'}: see instrument.txt of the run")


def _words(result: ShellResult) -> str:
    """What a command has said, on one line; the end of what is long, which tells the cause."""
    return " ".join((result.stdout + result.stderr).decode("utf-8", "replace").split())[-_WORDS:]


def _first_process(device: Device, package: str, said: str) -> str | None:
    """The app's first process that writes events; None where its files are closed. Raises `DeviceError`, with what was said when
    the app was started, when none comes."""
    deadline = time.monotonic() + _EVENTS_S
    run_as = device.shell(f"run-as {shlex.quote(package)} true")
    if run_as.exit_code != 0:
        return None
    while time.monotonic() < deadline:
        for name in app_files.event_files(app_files.files(device, package)):
            return re.sub(r"\D", "", name.removesuffix(".nvch"))
        time.sleep(_POLL_S)
    if not _processes(device, package):
        why = f"; when it was started, monkey said: {said}" if said else ""
        on_phone = device.info.kind == "phone"
        on_virtual = "check that the app has a launcher activity that the virtual phone can run: docs/virtual-phone.md"
        remedy = "start it on the phone to see why" if on_phone else on_virtual
        raise DeviceError(f"device {device.info.serial}: {package} does not run{why}", remedy)
    raise DeviceError(
        f"device {device.info.serial}: {package} runs, but records nothing: it is not an instrumented build",
        "give the bundle that its build made by --bundle (navitas plugin), which installs it",
    )


def _processes(device: Device, package: str) -> set[str]:
    """Ids of the app's processes (PACKAGE and PACKAGE:NAME)."""
    lines = device.shell("ps -A -o PID,NAME").text.splitlines()
    found = (line.split(None, 1) for line in lines)
    return {parts[0] for parts in found if len(parts) == 2 and parts[1].partition(":")[0].strip() == package}


def _check_map(device: Device, use: Use) -> None:
    """See by the first events whether their method map is known: nobody should use an app for an hour to learn that it is not.

    Raises `RecordingError` when it is not; events that come later than a few seconds are not waited for.
    """
    deadline = time.monotonic() + _MAP_S
    ids: set[str] = set()
    with owned_folder("navitas-map-") as folder:
        while not ids and time.monotonic() < deadline:
            for name in app_files.event_files(app_files.files(device, use.package)):
                (folder / name).write_bytes(app_files.beginning(device, use.package, name, _MAP_BYTES))
            ids = use.map_ids(folder)
            time.sleep(0 if ids else _POLL_S)
    for name in _unknown(use, sorted(ids)):
        raise RecordingError(_says_unknown(use.package, name), _BY_MAP)


def _unknown(use: Use, ids: Sequence[str]) -> list[str]:
    """Those ids whose map is neither given nor kept."""
    return [name for name in ids if not (name in (use.map.map_id, *use.map.includes) if use.map else map_cache.find(name))]


def _says_unknown(package: str, map_id: str) -> str:
    return f"{package}: the method map {map_id} of its build is not known here"


def _bind(recording: Opened, plan: RunPlan, done: Instrumented, maps: Sequence[map_cache.KnownMap]) -> None:
    """Keep the method maps that the events belong to."""
    for one in maps:
        recording.add_map(one)
        plan = replace(plan, map_id=one.map_id, module=one.module)
    recording.runner.enter(plan, "crashed" if done.crashed else "complete")

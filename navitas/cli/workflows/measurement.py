"""What every measurement needs: a device, a folder for the recording, and a caller who hears of its progress."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from navitas.base.folder_lock import FolderLock
from navitas.capture.collect.options import ProfileOptions, check_options
from navitas.capture.collect.progress import LoggedProgress, Progress
from navitas.capture.device.base import VIRTUAL, Device
from navitas.recording.recording_folder import check_not_recorded, check_writable, reserve_folder
from navitas.virtual_phone.kernel.spec import find_profile, load_spec

if TYPE_CHECKING:
    from navitas.energy.analyze.profile import Profile

RECORDINGS = Path("navitas-recordings")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The device to measure on, and the recording's folder."""

    phone: str = "default"
    """The model of the virtual phone: the name of a power profile in `profiles/`, or the path of one."""
    output: Path | None = None
    """The recording's folder; None: a new one in `navitas-recordings`, named by project and time."""
    device: str = VIRTUAL
    """`virtual`, or the serial of a device on adb."""
    user: int | None = None
    """The phone's user whose apps are measured; None: the one in the foreground."""
    replace: bool = False
    """Replace a recording in the folder."""

    def is_virtual(self, device: Callable[[], Device]) -> bool:
        """Whether it is a virtual phone. A missing device on adb is reported here, before the build."""
        return self.device == VIRTUAL or device().info.kind == "virtual"

    def check(self, options: ProfileOptions) -> None:
        """Check what needs no device. Raises `UsageError`, `PowerProfileError` or `RecordingError`."""
        check_not_recorded(self.output, replace=self.replace)
        check_writable(self.output or RECORDINGS)
        load_spec(find_profile(self.phone))
        check_options(options)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who runs a workflow.

    - `progress`: what hears of stages and warnings.
    - `load`: analyzes a recording between turns (`until_percent`); None: `navitas.load`.
    - `guard`: a context manager around each recording's measurement, by the recording's folder. It sees errors.
    - `command_line`: the command that recordings name as their origin.
    - `has_enough`: whether the recordings so far are enough, by their folders (`ProfileOptions.goes_on`).
    - `prepare`: loads what the caller needs afterwards. Called on another thread, while the project is built.
    - `ending`: the phone ends meanwhile, until this stack does; None: before the workflow returns.
    """

    progress: Progress = field(default_factory=LoggedProgress)
    load: Callable[[Path], Profile] | None = None
    guard: Callable[[Path], AbstractContextManager[object]] = nullcontext
    command_line: Sequence[str] = ()
    has_enough: Callable[[Sequence[Path]], bool] | None = None
    prepare: Callable[[], None] | None = None
    ending: ExitStack | None = None

    @contextmanager
    def recording(self, folder: Path) -> Iterator[None]:
        """Guard the measurement of a recording. Removes the folder if nothing was recorded."""
        try:
            with self.guard(folder):
                yield
        except BaseException:
            remove_empty(folder)
            raise

    def is_enough(self, recordings: Sequence[Path], options: ProfileOptions) -> Callable[[], bool] | None:
        """Return whether recordings are enough: by `has_enough`, or if the total's interval is as narrow as the options ask.

        None if the options ask for neither.
        """
        if options.goes_on and self.has_enough is not None:
            return partial(self.has_enough, recordings)
        most = options.until_percent
        if most is None:
            return None

        def is_narrow() -> bool:
            from navitas.energy.analyze.load import load  # noqa: PLC0415  # Slow: it loads NumPy.

            self.progress.stage("computing the interval of the total")
            intervals = [(self.load or load)(recording).repeat_interval() for recording in recordings]
            widths = [None if interval is None else interval.relative_percent for interval in intervals]
            return all(width is not None and width <= most for width in widths)

        return is_narrow


@dataclass(frozen=True, slots=True)
class Started:
    """A measurement that has started. `device` waits for its device; `begin` returns the folder of the recording, guarded.

    `lock` is that of a folder that the user named, which is locked before the build. A new folder needs no lock.
    """

    device: Callable[[], Device]
    begin: Callable[[], Path]
    lock: FolderLock | None


@contextmanager
def measurement(name: str, run: RunOptions, caller: Caller) -> Iterator[Started]:
    """Start the device on another thread, and yield at once, so that the project can be built meanwhile."""
    with ExitStack() as stack:
        lock = None if run.output is None else stack.enter_context(reserve_folder(run.output))

        def begin() -> Path:
            folder = run.output or default_recording(name)
            stack.enter_context(caller.recording(folder))
            return folder

        with in_background(lambda: open_device(run), caller.ending) as phone, in_background(lambda: _prepared(caller)):
            yield Started(phone.result, begin, lock)


def open_device(run: RunOptions) -> AbstractContextManager[Device]:
    """Return the device to measure on."""
    from navitas.cli.workflows.devices import device_of  # noqa: PLC0415  # Not needed before a build starts.

    return device_of(run.device, run.phone, run.user)


@contextmanager
def _prepared(caller: Caller) -> Iterator[None]:
    """Import what measures and analyzes, and what the caller needs."""
    from navitas.capture.collect.runs import app_use  # noqa: F401, PLC0415
    from navitas.energy.analyze import load  # noqa: F401, PLC0415

    if caller.prepare is not None:
        caller.prepare()
    yield


def default_recording(project: str) -> Path:
    """Create a folder in `navitas-recordings`, named by project and time."""
    # A bundle's project name can contain any character. A file name has at most 255 bytes.
    plain = "".join(char if char.isprintable() and char not in "/\\:" else "_" for char in project).lstrip(".")
    short = plain.encode("utf-8", "replace")[:200].decode("utf-8", "ignore") or "project"
    name = f"{short}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S')}"
    for number in itertools.count(1):
        folder = RECORDINGS / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise AssertionError("unreachable")


def remove_empty(folder: Path) -> None:
    """Remove a folder if nothing was recorded in it."""
    with suppress(OSError):
        folder.rmdir()


@contextmanager
def in_background(make: Callable[[], AbstractContextManager[T]], ending: ExitStack | None = None) -> Iterator[Future[T]]:
    """Enter a context manager on a new thread. The future has its value or its error.

    Leaving the block waits until the context manager is entered, and then exits it. This doesn't depend on a use of the future.
    After a block without error, `ending` exits it on a new thread, and waits for that at its own end.
    """
    with ExitStack() as entered:
        with ThreadPoolExecutor(1, "navitas-background") as pool:
            yield pool.submit(lambda: entered.enter_context(make()))
        if ending is not None:
            exits = ending.enter_context(ThreadPoolExecutor(1, "navitas-background"))
            ending.callback(exits.submit(entered.pop_all().close).result)

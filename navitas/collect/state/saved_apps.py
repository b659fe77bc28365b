"""Copies of apps that a measurement replaces: on disk before that, with a journal, until each app has its own code again."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from navitas.collect.state.journal import device_name
from navitas.device.base import DeviceInfo
from navitas.errors import DeviceError
from navitas.folder_lock import FolderLock
from navitas.new_files import remove_leftovers, to_disk, write_new
from navitas.regular_files import read_regular
from navitas.user_folders import make_folder, state_folder

SCHEMA_VERSION = 1
_MAX_BYTES = 64 << 10
_PACKAGE = re.compile(r"\w+(\.\w+)*", re.ASCII)
_ENTRY = ".json"


@dataclass(frozen=True, slots=True)
class SavedApp:
    """The copy `file` of an app's APK, a user who had the app (None: the only one), and the time of the copy.

    `profiled` are the SHA-256 of the APKs that replace it.
    """

    package: str
    user: int | None
    file: Path
    when: str
    profiled: tuple[str, ...]


class SavedApps:
    """The copies of a phone's apps, `$XDG_STATE_HOME/navitas/apps/<device>`: for each package an APK and its entry, a JSON file.

    An APK without an entry is no longer needed, or was set aside for the user. No APK is ever overwritten.
    """

    def __init__(self, info: DeviceInfo) -> None:
        self._info = info
        self.folder = state_folder() / "apps" / device_name(info)

    def exist(self) -> bool:
        """Whether there is a copy of any app."""
        return self.folder.is_dir()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the copies. Raises `DeviceError` if another profiling holds the lock, `OSError` if the folder is not writable."""
        make_folder(self.folder.parent)
        lock = FolderLock(self.folder.with_name(f"{self.folder.name}.lock"))
        if not lock.acquire():
            raise DeviceError(
                f"device {self._info.serial}: another profiling has replaced installed apps for a measurement",
                "wait for its end, or name another device with --device",
            )
        try:
            make_folder(self.folder)
            remove_leftovers(self.folder)
            yield
        finally:
            with suppress(OSError):  # other copies are there
                self.folder.rmdir()
            lock.release()

    def read(self) -> dict[str, SavedApp]:
        """Return the copies by package. Raises `DeviceError` if an entry is damaged."""
        return {app.package: app for app in map(self._read, sorted(self.folder.glob(f"*{_ENTRY}")))}

    def save(self, package: str, user: int | None, profiled: Sequence[str], pull: Callable[[Path], None]) -> SavedApp:
        """Save an app's APK, which `pull` writes to a file. It is safely on disk when this returns. Raises `OSError`."""
        file = self._free(package)
        try:
            pull(file)
            to_disk(file)
            when = datetime.now(UTC).isoformat(timespec="seconds")
            return self.write(SavedApp(package, user, file, when, tuple(profiled)))
        except BaseException:
            self._entry(package).unlink(missing_ok=True)
            file.unlink(missing_ok=True)
            raise

    def write(self, app: SavedApp) -> SavedApp:
        """Write a copy's entry. Returns the copy. Raises `OSError`."""
        content = {"schema_version": SCHEMA_VERSION, "serial": self._info.serial, **asdict(app), "file": app.file.name}
        write_new(self._entry(app.package), json.dumps(content, indent=1), durable=True)
        return app

    def forget(self, app: SavedApp) -> None:
        """Remove a copy. Raises `OSError`."""
        self.set_aside(app)
        app.file.unlink(missing_ok=True)

    def set_aside(self, app: SavedApp) -> None:
        """Remove only the entry: the copy stays, for the user. Raises `OSError`."""
        self._entry(app.package).unlink(missing_ok=True)

    def _entry(self, package: str) -> Path:
        return self.folder / f"{package}{_ENTRY}"

    def _free(self, package: str) -> Path:
        paths = (self.folder / f"{package}{number or ''}.apk" for number in itertools.count())
        return next(path for path in paths if not path.exists())

    def _read(self, path: Path) -> SavedApp:
        try:
            content = json.loads(read_regular(path, _MAX_BYTES))
            package, user, name, when, profiled = (content[key] for key in ("package", "user", "file", "when", "profiled"))
            file = path.with_name(name)
            texts = all(isinstance(text, str) for text in (package, name, when, *profiled))
            if not texts or not _PACKAGE.fullmatch(package) or not (user is None or type(user) is int) or not file.is_file():
                raise ValueError
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise DeviceError(
                f"{path}: the entry of an app of {self._info.serial} that a measurement replaced is damaged",
                f"install the APK of that name by hand (adb install -r -t -d), and remove the entry: rm {path}",
            ) from None
        return SavedApp(package, user, file, when, tuple(profiled))

"""Copies of apps that a measurement replaces: on disk before that, with a journal, until each app has its own code again."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from navitas.collect.state.journal import device_name, is_passing
from navitas.collect.state.saved_app import SavedApp, entry_text, read_entry
from navitas.collect.state.virtual_copies import forget_virtual_copies
from navitas.device.base import DeviceInfo
from navitas.errors import DeviceError
from navitas.folder_lock import FolderLock
from navitas.new_files import remove_leftovers, to_disk, unfinished_path, write_new
from navitas.user_folders import make_folder, state_folder

_ENTRY = ".json"


class SavedApps:
    """The copies of a phone's apps, `$XDG_STATE_HOME/navitas/apps/<phone>`: for each package an APK and its entry, a JSON file.

    An APK without an entry was set aside for the user. No APK is ever overwritten. `<phone>` is the phone's own serial number
    wherever it is known, since it may be measured at several addresses, and others at its address.
    """

    def __init__(self, info: DeviceInfo) -> None:
        self._info = info
        self.folder = state_folder() / "apps" / _phone_name(info)

    def exist(self) -> bool:
        """Whether there is anything to restore, or set aside."""
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
            forget_virtual_copies(self.folder.parent)
            yield
        finally:
            with suppress(OSError):  # other copies are there
                self.folder.rmdir()
            lock.release()

    def read(self) -> dict[str, SavedApp]:
        """Return the copies by package. Raises `DeviceError` if an entry is damaged."""
        return {app.package: app for app in (read_entry(path, self._info) for path in sorted(self.folder.glob(f"*{_ENTRY}")))}

    def save(self, package: str, users: Sequence[int | None], profiled: Sequence[str], pull: Callable[[Path], None]) -> SavedApp:
        """Save the APK of an app that users have; `pull` writes it to a file. It is safely on disk when this returns.

        Raises `OSError`.
        """
        file = self._free(package)
        part = unfinished_path(file)
        try:
            pull(part)
            to_disk(part)
            part.rename(file)
            when = datetime.now(UTC).isoformat(timespec="seconds")
            others = tuple(user for user in users[1:] if user is not None)
            return self.write(SavedApp(package, users[0], file, when, tuple(profiled), others))
        except BaseException:
            self._entry(package).unlink(missing_ok=True)
            for path in (part, file):
                path.unlink(missing_ok=True)
            raise

    def write(self, app: SavedApp) -> SavedApp:
        """Write a copy's entry. Returns the copy. Raises `OSError`."""
        app = replace(app, profiled=tuple(dict.fromkeys(app.profiled)))
        write_new(self._entry(app.package), entry_text(app, self._info), durable=True)
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


def _phone_name(info: DeviceInfo) -> str:
    """Return a file name for a phone. The system's build distinguishes phones of the same passing name."""
    if info.kind == "virtual":  # all have the same identity, and each ends with its command
        return device_name(info)
    serial = info.identity or info.serial
    build = f"-{hashlib.sha256(info.fingerprint.encode()).hexdigest()[:8]}" if is_passing(serial) else ""
    return f"{device_name(replace(info, serial=serial))}{build}"

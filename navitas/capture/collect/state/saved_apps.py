"""Copies of apps that a measurement replaces: on disk before that, with a journal, until each app has its own code again."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from navitas.android.ids import PACKAGE_NAME
from navitas.base.errors import DeviceError
from navitas.base.folder_lock import FolderLock
from navitas.base.new_files import remove_leftovers, to_disk, unfinished_path, write_new
from navitas.base.regular_files import read_regular
from navitas.base.user_folders import make_folder, state_folder
from navitas.capture.collect.state.journal import VIRTUAL_LIFE_S, VIRTUAL_NAMES, device_name, is_passing
from navitas.capture.device.base import DeviceInfo

_ENTRY = ".json"
SCHEMA_VERSION = 1
_MAX_BYTES = 64 << 10
_ADDED = ".added"


@dataclass(frozen=True, slots=True)
class SavedApp:
    """The copy `file` of an app's APK, a user who had the app (None: the only one), and the time of the copy.

    `profiled` are the SHA-256 of the APKs that replace it. `others` are the other users who had the app.
    """

    package: str
    user: int | None
    file: Path
    when: str
    profiled: tuple[str, ...]
    others: tuple[int, ...] = ()


def read_entry(path: Path, info: DeviceInfo) -> SavedApp:
    """Read a copy's entry. Raises `DeviceError` if it is damaged."""
    try:
        content = json.loads(read_regular(path, _MAX_BYTES))
        package, user, name, when, profiled = (content[key] for key in ("package", "user", "file", "when", "profiled"))
        others, file = content.get("others", []), path.with_name(name)
        texts = all(isinstance(text, str) for text in (package, name, when, *profiled))
        users = (user is None or type(user) is int) and all(type(other) is int for other in others)
        if not texts or not PACKAGE_NAME.fullmatch(package) or not users or not file.is_file():
            raise ValueError
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise DeviceError(
            f"{path}: the entry of an app of {info.serial} that a measurement replaced is damaged",
            f"install the APK of that name by hand (adb install -r -t -d), and remove the entry: rm {path}",
        ) from None
    return SavedApp(package, user, file, when, tuple(profiled), tuple(others))


class SavedApps:
    """The copies of a phone's apps, `$XDG_STATE_HOME/navitas/apps/<phone>`: for each package an APK and its entry, a JSON file.

    An APK without an entry was set aside for the user. No APK is ever overwritten. `<phone>` is the phone's own serial number
    wherever it is known, since it may be measured at several addresses, and others at its address.
    """

    def __init__(self, info: DeviceInfo) -> None:
        self._info = info
        self.folder = state_folder() / "apps" / _phone_name(info)
        self.added = AddedApps(info, self.folder)

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
        paths = (self.folder / f"{package}{number or ''}.apk" for number in itertools.count())
        file = next(path for path in paths if not path.exists())
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
        app, info = replace(app, profiled=tuple(dict.fromkeys(app.profiled))), self._info
        phone = {"serial": info.serial, "identity": info.identity, "fingerprint": info.fingerprint, "kind": info.kind}
        content = {"schema_version": SCHEMA_VERSION, **phone, **asdict(app), "file": app.file.name}
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


def _phone_name(info: DeviceInfo) -> str:
    """Return a file name for a phone. The system's build distinguishes phones of the same passing name."""
    if info.kind == "virtual":  # all have the same identity, and each ends with its command
        return device_name(info)
    serial = info.identity or info.serial
    build = f"-{hashlib.sha256(info.fingerprint.encode()).hexdigest()[:8]}" if is_passing(serial) else ""
    return f"{device_name(replace(info, serial=serial))}{build}"


def forget_virtual_copies(folder: Path) -> None:
    """Remove the copies and entries of virtual phones that are gone, in the folder of all phones. Never raises `OSError`."""
    for phone in (found for name in VIRTUAL_NAMES for found in folder.glob(f"{name}_*/")):
        lock = FolderLock(phone.with_name(f"{phone.name}.lock"))
        with suppress(OSError):
            if time.time() - phone.stat().st_mtime > VIRTUAL_LIFE_S and lock.acquire():
                try:
                    if _is_virtual(phone):
                        shutil.rmtree(phone)
                finally:
                    lock.release()


def _is_virtual(phone: Path) -> bool:
    """Whether the folder has entries, and each is of a virtual phone."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        kinds = [json.loads(read_regular(path, _MAX_BYTES))["kind"] for path in phone.iterdir() if path.suffix != ".apk"]
        return bool(kinds) and set(kinds) == {"virtual"}
    return False


@dataclass(frozen=True, slots=True)
class AddedApp:
    """A package that was not installed for a user (None: the only one), and the SHA-256 of the APKs that are installed now.

    `keeps_data`: the user had data of the package, as after `pm uninstall -k`.
    """

    package: str
    user: int | None
    profiled: tuple[str, ...]
    keeps_data: bool


class AddedApps:
    """The entries of a phone's added packages, in the folder of its saved apps and under its lock."""

    def __init__(self, info: DeviceInfo, folder: Path) -> None:
        self._info = info
        self._folder = folder

    def read(self) -> list[AddedApp]:
        """Return the added packages. Raises `DeviceError` if an entry is damaged."""
        return [self._read(path) for path in sorted(self._folder.glob(f"*{_ADDED}"))]

    def add(self, package: str, user: int | None, profiled: Sequence[str], *, keeps_data: bool) -> AddedApp:
        """Write the entry of a package. An earlier one that could not be removed is continued. Raises `OSError`."""
        before = [app for app in self.read() if (app.package, app.user) == (package, user)]
        hashes = dict.fromkeys((*(name for app in before for name in app.profiled), *profiled))
        app = AddedApp(package, user, tuple(hashes), before[0].keeps_data if before else keeps_data)
        content = {"schema_version": SCHEMA_VERSION, "serial": self._info.serial, "kind": self._info.kind, **asdict(app)}
        write_new(self._entry(app), json.dumps(content, indent=1), durable=True)
        return app

    def forget(self, app: AddedApp) -> None:
        """Remove an entry. Raises `OSError`."""
        self._entry(app).unlink(missing_ok=True)

    def _entry(self, app: AddedApp) -> Path:
        return self._folder / f"{app.package}{'' if app.user is None else f'@{app.user}'}{_ADDED}"

    def _read(self, path: Path) -> AddedApp:
        try:
            content = json.loads(read_regular(path, _MAX_BYTES))
            package, user, profiled = (content[key] for key in ("package", "user", "profiled"))
            if not PACKAGE_NAME.fullmatch(package) or not (user is None or type(user) is int):
                raise ValueError
            return AddedApp(package, user, tuple(map(str, profiled)), content["keeps_data"] is True)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise DeviceError(
                f"{path}: the entry of a package of {self._info.serial} that a measurement installed is damaged",
                f"uninstall the package of that name if it is not yours, and remove the entry: rm {path}",
            ) from None

"""The package manager: installed packages, their folders and uids."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
import json
import os
import shutil
import signal
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from navitas.android.apk.manifest import MAX_ENTRIES, InvalidApk, read_apk
from navitas.base.zip_errors import UNREADABLE_ZIP
from navitas.capture.bundle.archive import open_archive
from navitas.capture.bundle.manifest import BundleManifest, InvalidBundle, java_manifest, parse_manifest
from navitas.virtual_phone import apk_install
from navitas.virtual_phone.apk_install import InstallError, InstallOptions, Platform
from navitas.virtual_phone.file_tree import FileTree
from navitas.virtual_phone.identity import FIRST_APP_UID, FIRST_USER
from navitas.virtual_phone.package import APK, APK_TEXT, BUNDLE, InstalledApk, Package, Signing
from navitas.virtual_phone.process_table import ProcessTable

_FIRST_ADDED_USER = 10
_MOST_USERS = 32
# Flags of android.content.pm.UserInfo: initialized, and the kind of user.
_FIRST_USER_FLAGS, _PROFILE_FLAGS, _SECONDARY_FLAGS = 0xC13, 0x1030, 0x410
_SIGNING = "signing.json"
_COPY_BYTES = 1 << 20
_DEFAULT_OPTIONS = InstallOptions()


@dataclass(slots=True)
class PhoneUser:
    """One user. Apps run only for users that are started."""

    id: int
    name: str
    flags: int
    is_running: bool = False

    def __str__(self) -> str:
        return f"UserInfo{{{self.id}:{self.name}:{self.flags:x}}}{' running' if self.is_running else ''}"


class Users:
    """All users of one phone."""

    def __init__(self) -> None:
        self._users = {FIRST_USER: PhoneUser(FIRST_USER, "Owner", _FIRST_USER_FLAGS, True)}

    def get(self, user: int) -> PhoneUser | None:
        """Return the user with this number."""
        return self._users.get(user)

    def all(self) -> list[PhoneUser]:
        """Return all users, by number."""
        return [self._users[number] for number in sorted(self._users)]

    def create(self, name: str, *, is_profile: bool) -> PhoneUser | None:
        """Add a user that is not started; None if the phone has no room for another one."""
        if len(self._users) >= _MOST_USERS:
            return None
        number = max(_FIRST_ADDED_USER, max(self._users) + 1)
        self._users[number] = PhoneUser(number, name, _PROFILE_FLAGS if is_profile else _SECONDARY_FLAGS)
        return self._users[number]

    def remove(self, user: int) -> bool:
        """Remove a user; False for the first one, and for a number without a user."""
        return user != FIRST_USER and self._users.pop(user, None) is not None


class PackageManager:
    """Installs and removes packages under `/data/app` and `/data/data`, and finds those in an existing folder."""

    def __init__(self, files: FileTree, processes: ProcessTable, platform: Platform) -> None:
        self._files = files
        self._processes = processes
        self.platform = platform
        self._packages: dict[str, Package] = {}
        self._free_uids = itertools.count(FIRST_APP_UID + 100)
        self._granted: dict[str, dict[int, set[str]]] = {}
        self._users_of: dict[str, set[int]] = {}
        self._kept: dict[str, tuple[Package, set[int]]] = {}
        self.users = Users()
        self.after_removal: list[Callable[[str], None]] = []
        """What hears of each package that no user has any more."""
        self._apps = files.root / "data/app"
        self._data = files.root / "data/data"
        for place in sorted(self._apps.glob("[!.]*")):
            with contextlib.suppress(InvalidBundle, InvalidApk, OSError, ValueError, KeyError):
                self._register(_content(place), [FIRST_USER])

    def get(self, name: str, user: int = FIRST_USER) -> Package | None:
        """Return the package with this name that is installed for a user."""
        return self._packages[name].for_user(user) if user in self._users_of.get(name, ()) else None

    def get_installed(self, name: str) -> Package | None:
        """Return the package with this name, also if it is not installed for the first user."""
        return self._packages.get(name)

    def all(self, user: int = FIRST_USER) -> list[Package]:
        """Return the packages that are installed for a user, by name."""
        return [package for name in sorted(self._packages) if (package := self.get(name, user)) is not None]

    def with_kept_data(self, user: int = FIRST_USER) -> list[Package]:
        """Return the packages of which only a user's data are there, by name (`pm uninstall -k` for the last user)."""
        return [package.for_user(user) for _, (package, users) in sorted(self._kept.items()) if user in users]

    def users_of(self, name: str) -> list[int]:
        """Return the users for whom a package is installed."""
        return sorted(self._users_of.get(name, ()))

    def remove_user(self, user: int) -> bool:
        """Remove a user with all packages and data. Returns False if there is none, and for the first one."""
        if not self.users.remove(user):
            return False
        for name in (*self._packages, *self._kept):
            self.uninstall(name, users=[user])
        return True

    def granted(self, name: str) -> Mapping[int, frozenset[str]]:
        """Return the permissions that `pm grant` gave a package, by user."""
        return {user: frozenset(permissions) for user, permissions in self._granted.get(name, {}).items()}

    def has_permission(self, uid: int, permission: str) -> bool:
        """Return whether `pm grant` gave the package with this uid a permission."""
        packages = (package for user in self.users.all() for package in self.all(user.id))
        return any(package.uid == uid and permission in self.granted(package.name).get(package.user, ()) for package in packages)

    def set_permission(self, name: str, permission: str, user: int, *, granted: bool) -> None:
        """Grant or revoke a permission for a user. Does nothing if the user does not have the package.

        Raises `PermissionError` with Android's words if the package's manifest does not request the permission.
        """
        package = self.get(name, user)
        if package is None:
            return
        if package.apk is None or permission not in package.apk.manifest.permissions:
            raise PermissionError(f"Package {name} has not requested permission {permission}")
        permissions = self._granted.setdefault(name, {}).setdefault(user, set())
        if granted:
            permissions.add(permission)
        else:
            permissions.discard(permission)

    async def install(self, file: BinaryIO, options: InstallOptions = _DEFAULT_OPTIONS, user: int | None = None) -> Package:
        """Install a bundle or an APK for one user, or for all. Replaces a package of the same name; its data stays.

        Raises `InstallError`.
        """
        staged = Path(tempfile.mkdtemp(prefix=".install-", dir=self._apps))
        try:
            content = await self._stage(file, staged / "package", options)
            name = content.package if isinstance(content, BundleManifest) else content.manifest.package
            self.kill(name)
            place = self._apps / name
            if place.exists():
                place.replace(staged / "old")
            (staged / "package").replace(place)
        except InvalidBundle as error:
            raise InstallError("INSTALL_FAILED_INVALID_APK", str(error)) from None
        except OSError as error:
            code = "INSUFFICIENT_STORAGE" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "INVALID_APK"
            raise InstallError(f"INSTALL_FAILED_{code}", error.strerror or str(error)) from None
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        return self._register(content, [one.id for one in self.users.all()] if user is None else [user])

    async def _stage(self, file: BinaryIO, folder: Path, options: InstallOptions) -> BundleManifest | InstalledApk:
        if not _is_apk(file):
            return await asyncio.to_thread(_unpack, file, folder)
        await asyncio.to_thread(_copy, file, folder / APK)
        apk = await apk_install.read(folder / APK, self.platform, options)
        installed = self._packages.get(apk.manifest.package)
        if installed is not None:
            apk_install.check_update(installed, apk, options)
        (folder / APK_TEXT).write_text(apk.manifest.text)
        (folder / _SIGNING).write_text(json.dumps({"signers": apk.signing.signers, "scheme": apk.signing.scheme}))
        return apk

    def _register(self, content: BundleManifest | InstalledApk, users: Iterable[int]) -> Package:
        name = content.package if isinstance(content, BundleManifest) else content.manifest.package
        before = self._packages.get(name) or self._kept.pop(name, (None, set()))[0]
        # As on Android, a removed package's uid is not given again while the phone runs: its counters stay.
        uid = before.uid if before else next(self._free_uids)
        package = Package(content, uid, self._apps / name, self._data / name)
        self._packages[name] = package
        self._files.app_uids[name] = uid
        self._users_of.setdefault(name, set()).update(users)
        for user in self._users_of[name]:
            self._make_data(package.for_user(user))
        return package

    def _make_data(self, package: Package) -> None:
        for folder in ("files", "cache"):
            (package.data / folder).mkdir(parents=True, exist_ok=True)

    def uninstall(self, name: str, *, keep_data: bool = False, users: Collection[int] | None = None) -> bool:
        """Remove a package and its data for some users, or for all. Returns False if none of them has it, or its data."""
        if name in self._kept:
            return self._uninstall_kept(name, keep_data=keep_data, users=users)
        gone = [user for user in self.users_of(name) if users is None or user in users]
        for user in gone:
            self.kill(name, user)
            if not keep_data:
                for folder in (self._packages[name].for_user(user).data, *self._shared_folders(name, user)):
                    shutil.rmtree(folder, ignore_errors=True)
            self._users_of[name].remove(user)
            self._granted.get(name, {}).pop(user, None)
        if gone and not self._users_of[name]:
            package = self._packages.pop(name)
            shutil.rmtree(package.code, ignore_errors=True)
            self._granted.pop(name, None)
            for listener in self.after_removal:
                listener(name)
            if keep_data:
                self._kept[name] = (package, set(gone))
        return bool(gone)

    def _uninstall_kept(self, name: str, *, keep_data: bool, users: Collection[int] | None) -> bool:
        package, having = self._kept[name]
        gone = [user for user in having if users is None or user in users]
        for user in () if keep_data else gone:
            for folder in (package.for_user(user).data, *self._shared_folders(name, user)):
                shutil.rmtree(folder, ignore_errors=True)
            having.remove(user)
        if not having:
            del self._kept[name]
        return bool(gone)

    def _shared_folders(self, name: str, user: int) -> list[Path]:
        """Return the folders of an app in the storage that apps share."""
        android = self._files.root / ("sdcard" if user == FIRST_USER else f"storage/emulated/{user}") / "Android"
        return [android / kind / name for kind in ("data", "media")]

    def clear(self, name: str, user: int = FIRST_USER) -> bool:
        """Remove a package's data. Returns False if it is not installed."""
        package = self.get(name, user)
        if package is None:
            return False
        self.kill(name, user)
        shutil.rmtree(package.data, ignore_errors=True)
        self._make_data(package)
        return True

    def kill(self, name: str, user: int | None = None) -> None:
        """End all processes of a package, of one user or of all."""
        for process in self._processes.of_package(name):
            if user in (None, process.who.user):
                process.send_signal(signal.SIGKILL)


def _is_apk(file: BinaryIO) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            names = {entry.filename for entry in archive.infolist()[:MAX_ENTRIES]}
    except (OSError, *UNREADABLE_ZIP):
        return False  # the bundle's reader reports the problem
    finally:
        file.seek(0)
    return APK_TEXT in names and BUNDLE not in names


def _content(place: Path) -> BundleManifest | InstalledApk:
    """Return the content of an existing package folder."""
    if (place / BUNDLE).is_file():
        return java_manifest(parse_manifest((place / BUNDLE).read_bytes()))
    signing = json.loads((place / _SIGNING).read_text())
    return InstalledApk(read_apk(place / APK), Signing(tuple(signing["signers"]), signing["scheme"]))


def _copy(file: BinaryIO, target: Path) -> None:
    target.parent.mkdir(parents=True)
    with target.open("wb") as copy:
        shutil.copyfileobj(file, copy, _COPY_BYTES)


def _unpack(file: BinaryIO, make_folder: Path) -> BundleManifest:
    """Check a bundle, then unpack it to a new folder. Raises `InvalidBundle`, or `OSError` if there is no space."""
    with open_archive(file) as archive:
        needed = sum(entry.file_size for entry in archive.zip.infolist())
        if shutil.disk_usage(make_folder.parent).free < needed:
            raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: it needs {needed:,} bytes")
        make_folder.mkdir(parents=True)
        archive.zip.extractall(make_folder)
        return java_manifest(archive.manifest)

"""The package manager: installed packages, their folders and uids."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import shutil
import signal
import tempfile
import zipfile
from pathlib import Path
from typing import BinaryIO

from navitas.apk.manifest import MAX_ENTRIES, InvalidApk, read_apk
from navitas.bundle.archive import open_archive
from navitas.bundle.manifest import BundleManifest, InvalidBundle, java_manifest, parse_manifest
from navitas.virtual_phone import apk_install
from navitas.virtual_phone.apk_install import InstallError, InstallOptions, Platform
from navitas.virtual_phone.file_tree import FileTree
from navitas.virtual_phone.identity import FIRST_APP_UID
from navitas.virtual_phone.package import APK, APK_TEXT, BUNDLE, InstalledApk, InstrumentationRunner, Package, Signing
from navitas.virtual_phone.process_table import ProcessTable

_FIRST_UID = FIRST_APP_UID + 100
_SIGNING = "signing.json"
_COPY_BYTES = 1 << 20
_DEFAULT_OPTIONS = InstallOptions()


class PackageManager:
    """Installs and removes packages under `/data/app` and `/data/data`, and finds those in an existing folder."""

    def __init__(self, files: FileTree, processes: ProcessTable, platform: Platform) -> None:
        self._files = files
        self._processes = processes
        self._platform = platform
        self._packages: dict[str, Package] = {}
        self._granted: dict[str, set[str]] = {}
        self._apps = files.root / "data/app"
        self._data = files.root / "data/data"
        for place in sorted(self._apps.glob("[!.]*")):
            with contextlib.suppress(InvalidBundle, InvalidApk, OSError, ValueError, KeyError):
                self._register(_content(place))

    @property
    def sdk(self) -> int:
        """The phone's API level."""
        return self._platform.sdk

    def get(self, name: str) -> Package | None:
        """Return the installed package with this name."""
        return self._packages.get(name)

    def all(self) -> list[Package]:
        """Return the installed packages, by name."""
        return [self._packages[name] for name in sorted(self._packages)]

    def find_runner(self, component: str) -> tuple[Package, InstrumentationRunner] | None:
        """Return the instrumentation with this full component name, and its package."""
        package = self._packages.get(component.partition("/")[0])
        runner = package.runner(component) if package else None
        return (package, runner) if package and runner else None

    def granted(self, name: str) -> frozenset[str]:
        """Return the permissions that `pm grant` gave a package."""
        return frozenset(self._granted.get(name, ()))

    def has_permission(self, uid: int, permission: str) -> bool:
        """Return whether `pm grant` gave the package with this uid a permission."""
        return any(package.uid == uid and permission in self.granted(package.name) for package in self._packages.values())

    def set_permission(self, name: str, permission: str, *, granted: bool) -> None:
        """Grant or revoke a permission. Does nothing if the package is not installed.

        Raises `PermissionError` with Android's words if the package's manifest does not request the permission.
        """
        package = self._packages.get(name)
        if package is None:
            return
        if package.apk is None or permission not in package.apk.manifest.permissions:
            raise PermissionError(f"Package {name} has not requested permission {permission}")
        permissions = self._granted.setdefault(name, set())
        if granted:
            permissions.add(permission)
        else:
            permissions.discard(permission)

    async def install(self, file: BinaryIO, options: InstallOptions = _DEFAULT_OPTIONS) -> Package:
        """Install a bundle or an APK. Replaces a package of the same name; its data stays. Raises `InstallError`."""
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
        return self._register(content)

    async def _stage(self, file: BinaryIO, folder: Path, options: InstallOptions) -> BundleManifest | InstalledApk:
        if not _is_apk(file):
            return await asyncio.to_thread(_unpack, file, folder)
        await asyncio.to_thread(_copy, file, folder / APK)
        apk = await apk_install.read(folder / APK, self._platform, options)
        installed = self._packages.get(apk.manifest.package)
        if installed is not None:
            apk_install.check_update(installed, apk, options)
        (folder / APK_TEXT).write_text(apk.manifest.text)
        (folder / _SIGNING).write_text(json.dumps({"signers": apk.signing.signers, "scheme": apk.signing.scheme}))
        return apk

    def _register(self, content: BundleManifest | InstalledApk) -> Package:
        name = content.package if isinstance(content, BundleManifest) else content.manifest.package
        before = self._packages.get(name)
        uid = before.uid if before else max((package.uid for package in self._packages.values()), default=_FIRST_UID - 1) + 1
        package = Package(content, uid, self._apps / name, self._data / name)
        self._packages[name] = package
        self._files.app_uids[name] = uid
        self._make_data(package)
        return package

    def _make_data(self, package: Package) -> None:
        for folder in ("files", "cache"):
            (package.data / folder).mkdir(parents=True, exist_ok=True)

    def uninstall(self, name: str, *, keep_data: bool = False) -> bool:
        """Remove a package and its data. Returns False if it is not installed."""
        package = self._packages.pop(name, None)
        self._granted.pop(name, None)
        if package is None:
            return False
        self.kill(name)
        shutil.rmtree(package.code, ignore_errors=True)
        if not keep_data:
            shutil.rmtree(package.data, ignore_errors=True)
        return True

    def clear(self, name: str) -> bool:
        """Remove a package's data. Returns False if it is not installed."""
        package = self._packages.get(name)
        if package is None:
            return False
        self.kill(name)
        shutil.rmtree(package.data, ignore_errors=True)
        self._make_data(package)
        return True

    def kill(self, name: str) -> None:
        """End all processes of a package."""
        for process in self._processes.of_package(name):
            process.send_signal(signal.SIGKILL)


def _is_apk(file: BinaryIO) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            names = {entry.filename for entry in archive.infolist()[:MAX_ENTRIES]}
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, RuntimeError):
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

"""The package manager: installed bundles, their folders and uids."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from navitas.bundle.archive import open_archive
from navitas.bundle.manifest import BundleManifest, InvalidBundle, parse_manifest
from navitas.device.virtual.files import FileTree
from navitas.device.virtual.identity import FIRST_APP_UID, Identity, app_user_name
from navitas.device.virtual.processes import ProcessTable

RUNNER = "org.navitas.phone.InstrumentMain"
_FIRST_UID = FIRST_APP_UID + 100


class InstallError(Exception):
    """A package was refused: `code` is the package manager's, such as INSTALL_FAILED_INVALID_APK."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package; folders are on this machine."""

    manifest: BundleManifest
    uid: int
    code: Path
    data: Path

    @property
    def name(self) -> str:
        return self.manifest.package

    @property
    def identity(self) -> Identity:
        """Whom its processes run as."""
        return Identity(self.uid, app_user_name(self.uid), self.name)

    @property
    def instrumentation(self) -> str:
        """Its component for `am instrument`."""
        return f"{self.name}/{RUNNER}"


class PackageManager:
    """Installs and removes packages under `/data/app` and `/data/data`; finds those that a kept folder holds."""

    def __init__(self, files: FileTree, processes: ProcessTable) -> None:
        self._files = files
        self._processes = processes
        self._packages: dict[str, Package] = {}
        self._apps = files.root / "data/app"
        self._data = files.root / "data/data"
        for place in sorted(self._apps.glob("*/bundle.json")):
            with contextlib.suppress(InvalidBundle, OSError):
                self._register(parse_manifest(place.read_bytes()))

    def get(self, name: str) -> Package | None:
        """The installed package of that name."""
        return self._packages.get(name)

    def all(self) -> list[Package]:
        """Installed packages, by name."""
        return [self._packages[name] for name in sorted(self._packages)]

    async def install(self, file: BinaryIO) -> Package:
        """Install a bundle in place of an installed one of its name, whose data stays. Raises `InstallError`."""
        staged = Path(tempfile.mkdtemp(prefix=".install-", dir=self._apps))
        try:
            manifest = await asyncio.to_thread(_unpack, file, staged / "package")
            place = self._apps / manifest.package
            self.kill(manifest.package)
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
        return self._register(manifest)

    def _register(self, manifest: BundleManifest) -> Package:
        name = manifest.package
        before = self._packages.get(name)
        uid = before.uid if before else max((package.uid for package in self._packages.values()), default=_FIRST_UID - 1) + 1
        package = Package(manifest, uid, self._apps / name, self._data / name)
        self._packages[name] = package
        self._files.app_uids[name] = uid
        self._make_data(package)
        return package

    def _make_data(self, package: Package) -> None:
        for folder in ("files", "cache"):
            (package.data / folder).mkdir(parents=True, exist_ok=True)

    def uninstall(self, name: str, *, keep_data: bool = False) -> bool:
        """Remove a package and its data; false when it is not installed."""
        package = self._packages.pop(name, None)
        if package is None:
            return False
        self.kill(name)
        shutil.rmtree(package.code, ignore_errors=True)
        if not keep_data:
            shutil.rmtree(package.data, ignore_errors=True)
        return True

    def clear(self, name: str) -> bool:
        """Remove a package's data; false when it is not installed."""
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


def _unpack(file: BinaryIO, make_folder: Path) -> BundleManifest:
    """Check a bundle whole, then unpack it into a new folder. Raises `InvalidBundle`, or `OSError` when there is no room."""
    with open_archive(file) as archive:
        needed = sum(entry.file_size for entry in archive.zip.infolist())
        if shutil.disk_usage(make_folder.parent).free < needed:
            raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: it needs {needed:,} bytes")
        make_folder.mkdir(parents=True)
        archive.zip.extractall(make_folder)
        return archive.manifest

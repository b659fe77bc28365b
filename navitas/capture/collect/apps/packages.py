"""The packages of bundles, and those that are installed on a device, with their code and target SDK."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from navitas.android.ids import user_flag
from navitas.base.errors import DeviceError
from navitas.base.owned_folder import owned_folder
from navitas.base.regular_files import open_regular
from navitas.capture.bundle.manifest import AndroidManifest
from navitas.capture.bundle.reader import Bundle
from navitas.capture.device.base import Device

_PACKAGE = "package:"
_TARGET = re.compile(r"\btargetSdk=([0-9]{1,5})\b")
SEVERAL = "several"
"""The code of an app of several APKs (splits). It is neither a copy nor a profiled build."""
_SHA256 = re.compile(r"\\?([0-9a-f]{64}) ")
_HASH_S = 60.0
CompileMode = Literal["speed", "verify"]
"""ART's compiler filters: compile all methods, or none."""
_COMPILE_S = 600.0


def compile_apps(device: Device, packages: Iterable[str], mode: CompileMode) -> None:
    """Compile each app once, with a compiler filter. Source: `cmd package help` (Android 7 and later).

    Raises `DeviceError` if the phone does not say that it has done so.
    """
    for package in dict.fromkeys(packages):
        answer = device.shell(f"cmd package compile -m {mode} -f {shlex.quote(package)}", timeout_s=_COMPILE_S)
        if "Success" not in answer.text:
            said = " ".join((answer.stdout + answer.stderr).decode("utf-8", "replace").split())[-200:] or "nothing"
            where = f"device {device.info.serial}: {package} cannot be compiled with the filter {mode}"
            raise DeviceError(f"{where}: {said}", "Leave the compiler as it is (default).")


def packages_of(bundles: Sequence[Bundle]) -> list[str]:
    """Return the Android packages of bundles, each once, tests before their app."""
    apps = [bundle.manifest for bundle in bundles if isinstance(bundle.manifest, AndroidManifest)]
    return list(dict.fromkeys(name for app in apps for name in (app.test_package, app.package)))


def apk_hashes(bundles: Sequence[Bundle], package: str) -> list[str]:
    """Return the SHA-256 of each APK of a package in bundles. Raises `BuildError` if one cannot be read."""
    hashes: list[str] = []
    for bundle in bundles:
        app = bundle.manifest
        if isinstance(app, AndroidManifest):
            files = [apk.file for apk in app.apks.app] if app.package == package else []
            files += [app.apks.test] if app.apks.test is not None and app.test_package == package else []
            hashes += map(bundle.sha256, files)
    return hashes


def installed_packages(device: Device, user: int | None, *, with_kept_data: bool = False) -> set[str]:
    """Return the packages that are installed for a user (None: the only one). Raises `DeviceError` if they cannot be listed.

    `with_kept_data` adds those of which the user has only the data, as after `pm uninstall -k`, and archived ones.
    """
    command = f"pm list packages{' -u' if with_kept_data else ''}{user_flag(user)}"
    result = device.shell(command)
    found = {line.removeprefix(_PACKAGE).strip() for line in result.text.splitlines() if line.startswith(_PACKAGE)}
    # Android itself is a package. A virtual phone lists only apps.
    if result.exit_code != 0 or not (found or device.info.kind == "virtual"):
        why = " ".join((result.stdout + result.stderr).decode("utf-8", "replace").split())[:300]
        raise DeviceError(
            f"device {device.info.serial}: its packages cannot be listed: {why or 'it listed none'}",
            f"try adb shell {command}, and restart the device if this fails, too",
        )
    return found


@dataclass(frozen=True, slots=True)
class InstalledPackages:
    """The packages of each user (None: the only one): installed ones, and those of which only the data are there.

    `unknown` says why those of some users are unknown, `unlisted` why there may be other users; empty if there are none.
    """

    by_user: Mapping[int | None, set[str]]
    kept_by_user: Mapping[int | None, set[str]]
    unknown: Mapping[int | None, str]
    unlisted: str = ""

    def users_with(self, package: str) -> list[int | None]:
        """Return the users who have a package, the measured one first."""
        return [user for user, packages in self.by_user.items() if package in packages]

    def users_keeping(self, package: str) -> list[int | None]:
        """Return the users who have only the data of a package, the measured one first."""
        return [user for user, packages in self.kept_by_user.items() if package in packages]

    def present(self, user: int | None) -> int | None:
        """Return how commands name a user now. The first user has no number while it is the only one."""
        other = None if user == 0 else 0 if user is None else user
        return user if user in self.by_user or other not in self.by_user else other

    def why_unknown(self, user: int | None) -> str:
        """Return why the packages of a user are unknown; empty if they are known, or if there is no such user."""
        user = self.present(user)
        return "" if user in self.by_user else self.unknown.get(user, self.unlisted)


def packages_of_all_users(device: Device) -> InstalledPackages:
    """Return the packages of all users. Raises `DeviceError` if those of the measured one cannot be listed.

    adb may not see some users, such as those of a separate, encrypted space.
    """
    info = device.info
    by_user: dict[int | None, set[str]] = {}
    kept: dict[int | None, set[str]] = {}
    unknown: dict[int | None, str] = {}
    for user in dict.fromkeys((info.named_user, *(() if info.named_user is None else info.users))):
        try:
            found = installed_packages(device, user)
            kept[user] = installed_packages(device, user, with_kept_data=True) - found
            by_user[user] = found
        except DeviceError as error:
            if user == info.named_user:
                raise
            unknown[user] = error.message
    unlisted = f"device {info.serial} does not list its users" if info.may_have_others else ""
    return InstalledPackages(by_user, kept, unknown, unlisted)


def target_sdk(device: Device, package: str) -> int | None:
    """Return what the phone says; None if it says nothing."""
    found = _TARGET.search(device.shell(f"dumpsys package {shlex.quote(package)} | grep targetSdk=").text)
    return int(found[1]) if found else None


def code_of(device: Device, package: str, user: int | None) -> str:
    """Return the SHA-256 of an installed app's APK, or `SEVERAL`. Raises `DeviceError` if it is unknown."""
    paths = apk_paths(device, package, user)
    return SEVERAL if len(paths) > 1 else _sha256_on(device, paths[0]) or _sha256_of_copy(device, paths[0])


def apk_paths(device: Device, package: str, user: int | None) -> list[str]:
    """Return the paths of an installed package's APKs on the device. Raises `DeviceError` if it does not say."""
    lines = device.shell(f"pm path{user_flag(user)} {shlex.quote(package)}").text.splitlines()
    paths = [line.removeprefix(_PACKAGE).strip() for line in lines if line.startswith(_PACKAGE)]
    if not paths:
        raise DeviceError(f"device {device.info.serial}: the phone does not say where the APK of {package} is")
    return paths


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file of this computer in hexadecimal digits. Raises `OSError`."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256_on(device: Device, path: str) -> str:
    """Return the SHA-256 of a file on the device; empty if the device cannot compute it."""
    found = _SHA256.match(device.shell(f"sha256sum {shlex.quote(path)}", timeout_s=_HASH_S).text)
    return found[1] if found else ""


def _sha256_of_copy(device: Device, path: str) -> str:
    with owned_folder("navitas-apk-") as folder:
        device.pull(path, folder / "base.apk")
        return sha256_of(folder / "base.apk")

"""The packages of bundles, and those that are installed on a device."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import Bundle
from navitas.device.base import Device
from navitas.errors import DeviceError

_RECONNECT_S = 1.0
_PACKAGE = "package:"
_SHA256 = re.compile(r"\\?([0-9a-f]{64}) ")
_HASH_S = 60.0


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


def installed_packages(device: Device, user: int | None) -> set[str]:
    """Return the packages that are installed for a user (None: the only one). Raises `DeviceError` if they cannot be listed."""
    user_flag = flag_of(user)
    result = device.shell(f"pm list packages{user_flag}")
    found = {line.removeprefix(_PACKAGE).strip() for line in result.text.splitlines() if line.startswith(_PACKAGE)}
    # Android itself is a package. A virtual phone lists only apps.
    if result.exit_code != 0 or not (found or device.info.kind == "virtual"):
        why = " ".join((result.stdout + result.stderr).decode("utf-8", "replace").split())[:300]
        raise DeviceError(
            f"device {device.info.serial}: its packages cannot be listed: {why or 'it listed none'}",
            f"try adb shell pm list packages{user_flag}, and restart the device if this fails, too",
        )
    return found


@dataclass(frozen=True, slots=True)
class InstalledPackages:
    """The packages of each user (None: the only one), and why those of some users are unknown."""

    by_user: Mapping[int | None, set[str]]
    unknown: Mapping[int | None, str]

    def users_with(self, package: str) -> list[int | None]:
        """Return the users who have a package, the measured one first."""
        return [user for user, packages in self.by_user.items() if package in packages]


def packages_of_all_users(device: Device) -> InstalledPackages:
    """Return the packages of all users. Raises `DeviceError` if those of the measured one cannot be listed.

    adb may not see some users, such as those of a separate, encrypted space.
    """
    measured = device.info.named_user
    by_user: dict[int | None, set[str]] = {measured: installed_packages(device, measured)}
    unknown: dict[int | None, str] = {}
    for user in () if measured is None else device.info.users:
        if user != measured:
            try:
                by_user[user] = installed_packages(device, user)
            except DeviceError as error:
                unknown[user] = error.message
    return InstalledPackages(by_user, unknown)


def apk_paths(device: Device, package: str, user: int | None) -> list[str]:
    """Return the paths of a package's APKs on the device; none if it does not say."""
    user_flag = flag_of(user)
    lines = device.shell(f"pm path{user_flag} {shlex.quote(package)}").text.splitlines()
    return [line.removeprefix(_PACKAGE).strip() for line in lines if line.startswith(_PACKAGE)]


def sha256_on(device: Device, path: str) -> str:
    """Return the SHA-256 of a file on the device in hexadecimal digits; empty if it cannot be read."""
    found = _SHA256.match(device.shell(f"sha256sum {shlex.quote(path)}", timeout_s=_HASH_S).text)
    return found[1] if found else ""


def flag_of(user: int | None) -> str:
    """Return the option that names a user in a command; empty if it needs none."""
    return "" if user is None else f" --user {user}"


def is_back(device: Device) -> bool:
    """Wait a moment for a lost device. Returns False if it does not answer."""
    return device.wait_until_back(_RECONNECT_S)

"""A phone with an app of one APK, for users who may have it, and progress that keeps warnings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fake_device import FakeDevice
from support.bundle_maker import ANDROID_MANIFEST
from support.no_progress import NoProgress

from navitas.base.errors import DeviceError
from navitas.capture.device.base import ShellResult

APP, TESTS = ANDROID_MANIFEST["package"], ANDROID_MANIFEST["test_package"]
OWN, PROFILED, PROFILED_TESTS = b"the user's own", b"PK app", b"PK test"
BASE = f"/data/app/{APP}/base.apk"


@dataclass
class AppPhone(FakeDevice):
    """Has `code` by package, for `having` users of each (None: the only one). What is installed replaces it.

    `refusal` is what an installation raises instead; `unlisted` are users whose packages adb cannot list; `paths` replaces what
    `pm path` prints; without `hashes`, it has no `sha256sum`; `keeping` are users' packages of which only the data are there;
    `removed` are those that were uninstalled, with the user and whether their data stayed.
    """

    answers: bool = True

    code: dict[str, bytes] = field(default_factory=lambda: {APP: OWN})
    having: dict[int | None, set[str]] = field(default_factory=lambda: {None: {APP}})
    unlisted: set[int] = field(default_factory=set)
    refusal: dict[str, BaseException] = field(default_factory=dict)
    paths: str | None = None
    hashes: bool = True
    installed: list[tuple[str, int | None]] = field(default_factory=list)
    keeping: dict[int | None, set[str]] = field(default_factory=dict)
    removed: list[tuple[str, int | None, bool]] = field(default_factory=list)

    def measure(self) -> None:
        """Replace the app's code, as an installation of the bundle does."""
        self.code[APP] = PROFILED

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        super().shell(command)
        words = command.split()
        user = int(words[words.index("--user") + 1]) if "--user" in words else None
        if words[:3] == ["pm", "list", "packages"]:
            if user in self.unlisted:
                return ShellResult(255, b"", b"SecurityException: Shell does not have permission to access user\n")
            names = ["android", *sorted(self.having.get(user, ())), *(self.keeping.get(user, ()) if "-u" in words else ())]
            return ShellResult(0, "".join(f"package:{name}\n" for name in names).encode(), b"")
        if words[:2] == ["pm", "path"]:
            has = words[-1] in self.having.get(user, ())
            text = f"package:/data/app/{words[-1]}/base.apk\n" if self.paths is None else self.paths
            return ShellResult(int(not has), text.encode() if has else b"", b"")
        if words[0] == "sha256sum" and self.hashes:
            code = self.code[words[1].split("/")[-2]]
            return ShellResult(0, f"{hashlib.sha256(code).hexdigest()}  {words[1]}\n".encode(), b"")
        return ShellResult(0, b"", b"")

    def pull(self, remote: str, local: Path) -> None:
        super().pull(remote, local)
        local.write_bytes(self.code[remote.split("/")[-2]])

    def install(self, paths: Sequence[Path], *, downgrade: bool = False, user: int | None = None) -> None:
        (path,) = paths
        package = next(name for name in sorted(self.code, key=len, reverse=True) if path.name.startswith(name))
        assert downgrade
        if error := self.refusal.get(package):
            raise error
        self.code[package] = path.read_bytes()
        self.installed.append((package, user))
        measured = self.info.named_user if user is None else user
        self.having.setdefault(measured, set()).add(package)
        self.keeping.get(measured, set()).discard(package)

    def uninstall(self, package: str, *, keep_data: bool = False, user: int | None = None) -> None:
        self.removed.append((package, user, keep_data))
        self.having[self.info.named_user if user is None else user].discard(package)


def refused(why: str) -> DeviceError:
    return DeviceError(f"device serial-1: {why}", "free space")


class Warnings(NoProgress):
    """Keeps warnings, as one text each."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def warning(self, message: str, remedy: str) -> None:
        self.texts.append(f"{message} [{remedy}]")

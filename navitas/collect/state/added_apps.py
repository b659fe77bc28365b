"""Packages that a measurement installs and the user did not have: a journal, so that the next start can remove them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from navitas.android_ids import PACKAGE_NAME
from navitas.device.base import DeviceInfo
from navitas.errors import DeviceError
from navitas.new_files import write_new
from navitas.regular_files import read_regular

SCHEMA_VERSION = 1
_MAX_BYTES = 64 << 10
_ENTRY = ".added"


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
        return [self._read(path) for path in sorted(self._folder.glob(f"*{_ENTRY}"))]

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
        return self._folder / f"{app.package}{'' if app.user is None else f'@{app.user}'}{_ENTRY}"

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

"""The copy of an app that a measurement replaces, and its entry, a JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from navitas.android_ids import PACKAGE_NAME
from navitas.device.base import DeviceInfo
from navitas.errors import DeviceError
from navitas.regular_files import read_regular

SCHEMA_VERSION = 1
_MAX_BYTES = 64 << 10


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


def entry_text(app: SavedApp, info: DeviceInfo) -> str:
    """Return the text of a copy's entry."""
    phone = {"serial": info.serial, "identity": info.identity, "fingerprint": info.fingerprint, "kind": info.kind}
    return json.dumps({"schema_version": SCHEMA_VERSION, **phone, **asdict(app), "file": app.file.name}, indent=1)


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

"""The journal of changed settings of a phone: on disk before a change, removed once it is reverted."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from navitas.base.errors import DeviceError
from navitas.base.folder_lock import FolderLock
from navitas.base.new_files import remove_abandoned, write_new
from navitas.base.regular_files import read_regular
from navitas.base.user_folders import make_folder, state_folder
from navitas.capture.device.base import DeviceInfo

SCHEMA_VERSION = 1
_MAX_BYTES = 64 << 10
# A virtual phone ends with the command that started it, so there is nothing to restore on it later.
VIRTUAL_LIFE_S = 3600.0
VIRTUAL_NAMES = ("localfilesystem", "127.0.0.1")
_PASSING = re.compile(r"\S+:\d+|emulator-\d+", re.ASCII)


class Journal:
    """One phone's file, `$XDG_STATE_HOME/navitas/devices/<serial>.json`: the earlier value of each changed setting."""

    def __init__(self, info: DeviceInfo) -> None:
        self._info = info
        self.path = state_folder() / "devices" / f"{device_name(info)}.json"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the phone. Raises `DeviceError` if another profiling holds the lock, `OSError` if the folder is not writable."""
        make_folder(self.path.parent)
        lock = FolderLock(self.path.with_suffix(".lock"))
        if not lock.acquire():
            raise DeviceError(
                f"device {self._info.serial}: another profiling is measuring on it",
                "wait for its end, or name another device with --device",
            )
        try:
            yield
        finally:
            lock.release()

    def read(self) -> dict[str, str] | None:
        """Return earlier values by the setting's key; None if there is nothing to restore. Raises `DeviceError` if damaged."""
        try:
            content = json.loads(read_regular(self.path, _MAX_BYTES))
            changed = content["changed"]
            if not all(isinstance(key, str) and isinstance(value, str) for key, value in changed.items()):
                raise ValueError
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise DeviceError(
                f"{self.path}: the list of changed settings of {self._info.serial} is damaged",
                "check brightness, animations and doze on the phone, run adb shell dumpsys battery reset, and remove the file",
            ) from None
        return dict(changed)

    def write(self, changed: Mapping[str, str]) -> None:
        """Replace the file; it is safely on disk when this returns. Remove it if there is nothing to restore."""
        if not changed:
            self.path.unlink(missing_ok=True)
            return
        self._forget_virtual()
        info = self._info
        content = {
            "schema_version": SCHEMA_VERSION,
            "serial": info.serial,
            "model": info.model,
            "fingerprint": info.fingerprint,
            "kind": info.kind,
            "changed": dict(changed),
        }
        write_new(self.path, json.dumps(content, indent=1), durable=True)

    def _forget_virtual(self) -> None:
        """Remove files of killed profilings on virtual phones, and unfinished files."""
        remove_abandoned(self.path.parent)
        for other in (found for kind in VIRTUAL_NAMES for found in self.path.parent.glob(f"{kind}_*.json")):
            with contextlib.suppress(OSError, ValueError):
                old = time.time() - other.stat().st_mtime > VIRTUAL_LIFE_S
                if old and json.loads(read_regular(other, _MAX_BYTES))["kind"] == "virtual":
                    other.unlink()
                    other.with_suffix(".lock").unlink(missing_ok=True)


def device_name(info: DeviceInfo) -> str:
    """Return a file name for a phone: its serial, or `<address>-<model>`, since an address may later belong to another phone."""
    serial, plain = info.serial, _plain(info.serial)
    model = f"-{_plain(info.model)[:60]}" if is_passing(serial) else ""
    if plain == serial or re.fullmatch(r"[\w.-]+:\d+", serial, flags=re.ASCII):
        return f"{plain[:100]}{model}"
    # Not a safe file name: a unique name derived from it.
    return f"{plain[:80]}-{hashlib.sha256(serial.encode('utf-8', 'replace')).hexdigest()[:32]}{model}"


def is_passing(serial: str) -> bool:
    """Whether adb gives a serial to whatever device is there: an address, or an emulator's port."""
    return _PASSING.fullmatch(serial) is not None


def _plain(text: str) -> str:
    return re.sub(r"[^\w.-]", "_", text, flags=re.ASCII).lstrip(".")

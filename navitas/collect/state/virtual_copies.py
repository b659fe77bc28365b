"""What killed measurements on virtual phones left in the folder of saved apps."""

from __future__ import annotations

import json
import shutil
import time
from contextlib import suppress
from pathlib import Path

from navitas.collect.state.journal import VIRTUAL_LIFE_S, VIRTUAL_NAMES
from navitas.folder_lock import FolderLock
from navitas.regular_files import read_regular

_MAX_BYTES = 64 << 10


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

"""Android's framework for tests that run without a build. It is downloaded once from Maven Central into the cache."""

from __future__ import annotations

import fcntl
import tempfile
from pathlib import Path

from navitas.virtual_phone import firmware
from support.maven import NotFetchedError, fetch

__all__ = ["NotFetchedError", "provide"]


def provide() -> firmware.Firmware:
    """Return the framework, and download it if it is not in the cache. Raises `NotFetchedError`."""
    place = firmware.folder().parent
    place.mkdir(parents=True, exist_ok=True)
    with (place / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes
        if not firmware.is_provided():
            with tempfile.TemporaryDirectory(dir=place) as folder:
                files = fetch(firmware.COORDINATES, Path(folder), transitive=True)
                firmware.provide([*files.glob("*.jar"), *files.glob("*.aar")])
    return firmware.find()

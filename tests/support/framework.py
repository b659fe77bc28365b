"""Android's framework for tests that run without a build. It is downloaded once from Maven Central into the cache."""

from __future__ import annotations

from navitas.virtual_phone import firmware
from support.maven import NotFetchedError, fetch_once

__all__ = ["NotFetchedError", "provide"]


def provide() -> firmware.Firmware:
    """Return the framework, and download it if it is not in the cache. Raises `NotFetchedError`."""
    fetch_once(firmware.COORDINATES, firmware.folder().parent, firmware.is_provided, firmware.provide, transitive=True)
    return firmware.find()

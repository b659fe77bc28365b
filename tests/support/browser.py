"""A headless Chromium or Chrome, if it is installed."""

from __future__ import annotations

import shutil

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_browser() -> str | None:
    """Return the path of Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, _NAMES)), None)

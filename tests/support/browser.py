"""A headless Chromium or Chrome, if it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@dataclass(frozen=True, slots=True)
class Shown:
    """A loaded page: its elements, and the console's messages."""

    dom: str
    console: list[str]


def find_browser() -> str | None:
    """Return the path of Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def show(browser: str, page: Path, profile: Path) -> Shown:
    """Open a page in a new browser."""
    ended = subprocess.run(
        browser_command(browser, profile, "--enable-logging=stderr", "--v=0", "--dump-dom", page.as_uri()),
        capture_output=True,
        text=True,
        check=True,
    )
    return Shown(ended.stdout, [line for line in ended.stderr.splitlines() if "CONSOLE" in line])


def browser_command(browser: str, profile: Path, *arguments: str) -> list[str]:
    """Return the command line of a headless browser that makes no requests of its own."""
    quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    alone = ["--disable-component-update", "--disable-dev-shm-usage", f"--user-data-dir={profile}"]
    root = ["--no-sandbox"] if os.geteuid() == 0 else []  # which Chromium refuses to root
    return [browser, "--headless", *quiet, *alone, *root, *arguments]

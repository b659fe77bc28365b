"""Debian has the packages that examples/container/Containerfile installs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "examples/container/Containerfile").read_text("utf-8")
_INSTALL = re.compile(r"apt-get install -y --no-install-recommends (.*) \\")
PACKAGES = {name for found in _INSTALL.findall(TEXT) for name in found.split()}


def test_each_package_exists() -> None:
    if shutil.which("apt-cache") is None or 'VERSION_ID="12"' not in Path("/etc/os-release").read_text("utf-8"):
        pytest.skip("this is not the Debian release of the image")
    done = subprocess.run(["apt-cache", "policy", *PACKAGES], capture_output=True, text=True, check=True)
    known = set(re.findall(r"^([\w.+-]+):\n.*\n +Candidate: \d", done.stdout, re.MULTILINE))
    assert PACKAGES - known == set(), "unknown packages; if all are unknown: apt-get update"

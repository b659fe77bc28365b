"""Debian has the packages that examples/container/Containerfile installs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "examples/container/Containerfile").read_text("utf-8")
_INSTALL = re.compile(r"apt-get install -y --no-install-recommends (.*) \\")
PACKAGES = sorted({name for found in _INSTALL.findall(TEXT) for name in found.split()})


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_exists(package: str) -> None:
    if shutil.which("apt-cache") is None or 'VERSION_ID="12"' not in Path("/etc/os-release").read_text("utf-8"):
        pytest.skip("this is not the Debian release of the image")
    done = subprocess.run(["apt-cache", "policy", package], capture_output=True, text=True, check=True)
    assert re.search(r"Candidate: \d", done.stdout), "unknown package; if all are unknown: apt-get update"

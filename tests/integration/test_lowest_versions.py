"""The lowest versions that the package's metadata allows can be installed together."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.version import Version
from support.release import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = {name: listed for name, listed in PROJECT["optional-dependencies"].items() if name != "spark"}
"""Extras with wheels. PySpark has none, and 400 MB."""
BOUND = re.compile(r"([\w-]+)(\[\w+\])?(?:>=|==)([\d.]+)")


def lowest(requirements: list[str]) -> list[str]:
    """Return each required package with the lowest version that all its requirements allow."""
    found = [BOUND.match(one) for one in requirements if not one.startswith("navitas")]
    versions: dict[str, str] = {}
    for bound in filter(None, found):
        name = f"{bound[1]}{bound[2] or ''}"
        versions[name] = max(versions.get(name, "0"), bound[3], key=Version)
    return [f"{name}=={version}" for name, version in versions.items()]


def test_every_requirement_has_a_lowest_version() -> None:
    listed = [one for extra in (PROJECT["dependencies"], *EXTRAS.values()) for one in extra if not one.startswith("navitas")]
    unbounded = [one for one in listed if BOUND.match(one) is None]
    assert unbounded == []


@pytest.mark.extended
def test_the_lowest_versions_fit_each_other(tmp_path: Path) -> None:
    """pip finds a conflict, such as a bound of rich below that which axml needs."""
    oldest = PROJECT["requires-python"].removeprefix(">=")
    if oldest != f"{sys.version_info.major}.{sys.version_info.minor}":
        pytest.skip(f"this is not Python {oldest}, for which the lowest versions have wheels")
    wanted = lowest([*PROJECT["dependencies"], *(one for extra in EXTRAS.values() for one in extra)])
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--prefer-binary", "--target", str(tmp_path)]
    done = subprocess.run([*command, *wanted], capture_output=True, text=True, check=False)
    if f"requirement {wanted[0]} (from versions: none)" in done.stderr:
        pytest.skip("no package registry")
    assert done.returncode == 0, done.stderr

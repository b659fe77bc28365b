"""The sample project in the package: a plain Gradle project whose tests have known energy behavior."""

from __future__ import annotations

import shutil
from pathlib import Path

from navitas.base.errors import UsageError

SAMPLE = Path(__file__).resolve().parent.parent / "sample"
DEMO_TESTS = "org.navitas.sample.DemoTest"
_LEFT_OUT = shutil.ignore_patterns("build", ".gradle", "__pycache__")


def copy_sample(to: Path) -> Path:
    """Copy the sample project to `to`, which must be missing or empty. Returns its absolute path."""
    target = to.resolve()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{to} is not an empty folder", "Name a folder that does not exist yet.")
    shutil.copytree(SAMPLE, target, ignore=_LEFT_OUT, dirs_exist_ok=True)
    return target

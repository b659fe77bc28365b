"""C libraries that tests preload into processes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def built(name: str, folder: Path) -> Path:
    """Compile `tests/support/NAME.c`. Skips the test if there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip(f"no C compiler for {name}.c: make test-programs")
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lm"], check=True)
    return library

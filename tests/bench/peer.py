"""Peers for comparison, each in a temporary environment."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

_MANAFA_PACKAGES = ("manafa==0.4.14", "more_itertools")


def manafa_python(folder: Path) -> Path:
    """The Python of a new environment in `folder` with E-MANAFA. Raises OSError or SubprocessError if it cannot be installed."""
    venv.create(folder / "peer", with_pip=True)
    python = folder / "peer" / "bin" / "python"
    command: list[str | Path] = [python, "-m", "pip", "install", "--quiet", *_MANAFA_PACKAGES]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return python

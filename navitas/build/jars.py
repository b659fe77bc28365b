"""The jars in the Python package."""

from __future__ import annotations

from pathlib import Path

from navitas.errors import BuildError

JARS = Path(__file__).resolve().parent.parent / "jars"


def jar(name: str) -> Path:
    """Return the absolute path of a jar, such as `navitas-gradle-plugin.jar`. Raises `BuildError` if it is missing."""
    path = JARS / name
    if not path.is_file():
        raise BuildError(f"{path} is missing", "In a source checkout, run `make jars`; else reinstall Navitas.")
    return path

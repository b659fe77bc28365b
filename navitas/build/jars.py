"""The Java parts that the package carries."""

from __future__ import annotations

from pathlib import Path

from navitas.errors import BuildError

JARS = Path(__file__).resolve().parent.parent / "jars"


def jar(name: str) -> Path:
    """Absolute path of a carried jar, such as `navitas-gradle-plugin.jar`; `BuildError` where the package lacks it."""
    path = JARS / name
    if not path.is_file():
        raise BuildError(f"{path} is missing", "In a source checkout run `make jars`; else install Navitas again.")
    return path

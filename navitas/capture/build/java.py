"""Find the Java that runs the instrumenter, and the jars in the Python package."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from navitas.base.errors import BuildError
from navitas.base.regular_files import open_regular

_MAX_RELEASE_BYTES = 64 << 10
_VERSION = re.compile(rb'^JAVA_VERSION="([\w.+-]{1,80})"', re.MULTILINE)
_REMEDY = "Install a JDK (on Debian: apt install openjdk-17-jdk-headless) or set JAVA_HOME to one."
JARS = Path(__file__).resolve().parent.parent / "jars"


def find_java() -> Path:
    """Return the path of `java`, from JAVA_HOME, else from PATH. Raises `BuildError` if there is none."""
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if not java.is_file():
            raise BuildError(f"JAVA_HOME is {home}, which has no bin/java", "Set JAVA_HOME to a JDK, or unset it.")
        return java
    found = shutil.which("java")
    if found is None:
        raise BuildError("no Java found: JAVA_HOME is not set and there is no `java` on PATH", _REMEDY)
    return Path(found)


def java_version(java: Path) -> str | None:
    """Return the version of a `java` command from its JDK's `release` file; None if unknown."""
    try:
        with open_regular(java.resolve().parent.parent / "release") as file:
            found = _VERSION.search(file.read(_MAX_RELEASE_BYTES))
    except (OSError, RuntimeError):  # it is missing, or a link leads to itself
        return None
    return found[1].decode() if found else None


def jar(name: str) -> Path:
    """Return the absolute path of a jar, such as `navitas-gradle-plugin.jar`. Raises `BuildError` if it is missing."""
    path = JARS / name
    if not path.is_file():
        raise BuildError(f"{path} is missing", "In a source checkout, run `make jars`; else reinstall Navitas.")
    return path

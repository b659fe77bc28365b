"""Finds the Java that the instrumenter runs on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from navitas.errors import BuildError

_REMEDY = "Install a JDK (on Debian: apt install openjdk-17-jdk-headless) or set JAVA_HOME to one."


def find_java() -> Path:
    """Path of the `java` command: of JAVA_HOME, else of PATH; `BuildError` where there is none."""
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

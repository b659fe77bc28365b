"""Java of this machine, on which the phone runs apps and its own tools."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import navitas

JARS = Path(navitas.__file__).parent / "jars"


class CannotStart(Exception):
    """Something that a process needs is missing; the message says what, and what to do."""


def find_java(java_home: str | None = None) -> str:
    """The `java` of a home, else of JAVA_HOME, else on PATH. Raises `CannotStart`."""
    for home in (java_home, os.environ.get("JAVA_HOME")):
        if home and (program := Path(home) / "bin" / "java").is_file():
            return str(program)
    found = shutil.which("java")
    if found is None:
        raise CannotStart("there is no java in JAVA_HOME or on PATH: install a JDK")
    return found


def jar(name: str) -> Path:
    """One of Navitas' own jars. Raises `CannotStart`."""
    path = JARS / name
    if not path.is_file():
        raise CannotStart(f"{name} is missing: build Navitas, or install it anew")
    return path

"""Add the Java 8 signatures of the JDK's lib/ct.sym to a jar of Android's classes, which has no java.* classes.

Usage: java_stubs.py IN.jar OUT.jar
"""

from __future__ import annotations

import os
import shutil
import sys
import zipfile
from pathlib import Path

_MODULES = ("java.base", "java.logging", "java.xml", "java.sql", "java.prefs")
_PACKAGES = ("java/", "javax/", "org/w3c", "org/xml")
_RELEASE = "8"


def java_home() -> Path:
    """Return JAVA_HOME, or else the JDK of the `javac` on PATH."""
    if named := os.environ.get("JAVA_HOME"):
        return Path(named)
    javac = shutil.which("javac")
    if javac is None:
        sys.exit("java_stubs: no javac on PATH, and JAVA_HOME is not set")
    return Path(javac).resolve().parents[1]


def add_stubs(source: Path, target: Path) -> int:
    """Copy the jar, add missing classes, and return their number."""
    shutil.copy(source, target)
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as out, zipfile.ZipFile(java_home() / "lib" / "ct.sym") as signatures:
        known = set(out.namelist())
        before = len(known)
        for entry in signatures.namelist():
            releases, _, rest = entry.partition("/")
            module, _, name = rest.partition("/")
            if _RELEASE not in releases or releases.endswith("-modules") or not name.endswith(".sig") or module not in _MODULES:
                continue
            class_name = name.removesuffix(".sig") + ".class"
            if class_name not in known and class_name.startswith(_PACKAGES):
                known.add(class_name)
                out.writestr(class_name, signatures.read(entry))
        return len(known) - before


if __name__ == "__main__":
    print("added", add_stubs(Path(sys.argv[1]), Path(sys.argv[2])))

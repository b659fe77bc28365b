"""The jars of the package."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from navitas.capture.build.java import JARS

ROOT = Path(__file__).resolve().parents[4]
LIBRARIES = {
    "navitas-bridge.jar": ("javassist", "nanojson", "py4j"),
    "navitas-gradle-plugin.jar": ("javassist", "nanojson"),
    "navitas-phone-install.jar": ("apksig",),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_jar_with_libraries_has_their_licences(name: str) -> None:
    if not (JARS / name).is_file():
        pytest.skip(f"{name} is not built: make jars")
    with zipfile.ZipFile(JARS / name) as jar:
        files = set(jar.namelist())
        licences = {name: jar.read(f"META-INF/{name}").decode() for name in ("LICENSE", "NOTICE")}
    assert licences == {name: (ROOT / name).read_text("utf-8") for name in ("LICENSE", "NOTICE")}
    for library in LIBRARIES[name]:
        assert any(f"/{library}/" in f"/{file}" for file in files)
        assert library in licences["NOTICE"].lower()

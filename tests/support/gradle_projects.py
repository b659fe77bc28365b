"""Gradle installations for tests, and small projects for them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

JUNIT = "repositories { mavenCentral() }\ndependencies { testImplementation 'junit:junit:4.13.2' }\n"


# The versions that tests use. NAVITAS_GRADLE_HOMES adds others.
VERSIONS = ("7.6.4", "8.11.1")
_MADE = Path(__file__).resolve().parents[2] / ".gradle-homes"


def gradles() -> dict[str, str]:
    """Return Gradle launchers by name: the one on PATH, and NAVITAS_GRADLE_HOMES or the installations of `make test`."""
    found = {}
    on_path = shutil.which("gradle")
    if on_path:
        found["path"] = on_path
    named = os.environ.get("NAVITAS_GRADLE_HOMES")
    homes = [Path(home) for home in named.split(os.pathsep) if home] if named else sorted(_MADE.glob("gradle-*"))
    for home in homes:
        found[home.name.removeprefix("gradle-")] = str(home / "bin" / "gradle")
    return found


def gradle_params(*names: str) -> list[ParameterSet]:
    """Return test parameters for named versions, or for the oldest and the newest, with those of NAVITAS_GRADLE_HOMES.

    The first that is there is in `make test`, the others only in `make test-all`. A missing version is skipped with the reason.
    """
    found = gradles()
    reason = "no such Gradle: neither NAVITAS_GRADLE_HOMES nor .gradle-homes has it (`make gradle-homes`)"
    wanted = names or ("path", VERSIONS[-1], *(name for name in found if name not in ("path", *VERSIONS)))
    others = [name for name in wanted if name in found][1:]
    return [
        pytest.param(
            found.get(name, name),
            id=name,
            marks=[pytest.mark.extended] * (name in others) + [pytest.mark.skip(reason)] * (name not in found),
        )
        for name in wanted
    ]


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below `root` and return it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def compiled(root: Path, files: Mapping[str, str]) -> Path:
    """Write Java sources below `root`, compile them there, and return it."""
    write(root, files)
    subprocess.run(["javac", "--release", "8", "-nowarn", *files], cwd=root, check=True, capture_output=True)
    return root


def main_class(name: str, body: str = "return 1;") -> str:
    """Return the source of class `p.NAME` with a method `f`."""
    return f"package p; public class {name} {{ public int f() {{ {body} }} }}\n"


def junit_class(name: str, body: str) -> str:
    """Return the source of a JUnit 4 test class `p.NAME` with one test."""
    return f"package p; public class {name} {{ @org.junit.Test public void t() throws Exception {{ {body} }} }}\n"


def single(root: Path, build: str = "") -> Path:
    """Write a project `demo` with a main class, a test class and resources of both."""
    return write(
        root,
        {
            "settings.gradle": "rootProject.name = 'demo'\n",
            "build.gradle": f"apply plugin: 'java'\ngroup = 'org.example'\n{JUNIT}{build}",
            "src/main/java/p/A.java": main_class("A"),
            "src/main/resources/a.txt": "a",
            "src/test/java/p/ATest.java": junit_class("ATest", "new A().f();"),
            "src/test/resources/t.txt": "t",
        },
    )


def java_project(root: Path, classes: Mapping[str, str], build: str = "") -> Path:
    """Write a project with these sources of classes in package `p`, by name: those of tests end with `Test`."""
    sources = {f"src/{'test' if name.endswith('Test') else 'main'}/java/p/{name}.java": text for name, text in classes.items()}
    return write(root, {"settings.gradle": "", "build.gradle": f"apply plugin: 'java'\n{JUNIT}{build}", **sources})


def tree_hash(folder: Path) -> dict[str, str]:
    """Return a hash of names, times and contents of all files below a folder."""
    return {
        str(path.relative_to(folder)): f"{path.stat().st_mtime_ns} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }

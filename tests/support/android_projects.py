"""Android projects to build."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from support.gradle_projects import gradle_params

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "android"
_MADE = Path(__file__).resolve().parents[2] / ".android-sdk"
FLAVORS = "android { flavorDimensions 'edition'\nproductFlavors { demo { }\nfull { } } }\n"
"""The flavors of the fixture `b`, for the build files of others."""
_GRADLE = {"a": "path", "b": "7.6.4", "c": "8.11.1"}
"""The version of Gradle that builds each fixture."""


def sdk() -> Path | None:
    """Return the Android SDK for tests: ANDROID_HOME, otherwise the result of `make android-sdk`."""
    named = os.environ.get("ANDROID_HOME")
    place = Path(named) if named else _MADE / "sdk"
    return place if (place / "platforms").is_dir() else None


def aapt2() -> Path | None:
    """Return aapt2 for Android Gradle plugins from version 7, if `make android-sdk` built it.

    Without it, plugins download their own.
    """
    return path if (path := _MADE / "aapt2").is_file() else None


def copy_project(name: str, into: Path) -> Path:
    """Copy a fixture (`a`, `b` or `c`) to a folder in `into`. It builds there if ANDROID_HOME is an SDK."""
    project = into / name
    shutil.copytree(FIXTURES / name, project)
    if (made := aapt2()) is not None:
        with (project / "gradle.properties").open("a") as properties:
            properties.write(f"android.aapt2FromMavenOverride={made}\n")
    return project


def fixture_params(*names: str) -> list[ParameterSet]:
    """Return test parameters: the launcher of Gradle for each of these fixtures, and the fixture's name."""
    return [
        pytest.param(*version.values, name, id=name, marks=version.marks)
        for name in names
        for version in gradle_params(_GRADLE[name])
    ]


def without_kotlin(project: Path) -> Path:
    """Remove Kotlin from a copy of a fixture, because its compiler takes most of the time of a build of `a`."""
    for source in project.rglob("*.kt"):
        source.unlink()
    build = build_file(project)
    build.write_text(re.sub(r".*kotlin.*\n", "", build.read_text()))
    return project


def build_file(project: Path) -> Path:
    """Return the build file of a fixture's app."""
    return (project / "app" if (project / "app").is_dir() else project) / "build.gradle"

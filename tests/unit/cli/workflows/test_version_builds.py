"""Builds of versions that fail: what the error names. Nothing is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.raising import raising

from navitas.base.errors import BuildError, NavitasError, UsageError
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.build.gradle_results import GradleOutput, failure_of
from navitas.cli.workflows import versions
from navitas.cli.workflows.measurement import Caller
from navitas.cli.workflows.profile import OPTIONS
from navitas.cli.workflows.versions import build_version


def failed_build(error: NavitasError, project: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> NavitasError:
    monkeypatch.setattr(versions, "build_copies", raising(error))
    monkeypatch.setattr(versions, "revision", lambda project: None)
    folder = project.parent / f"bundles-{len(options)}"
    with pytest.raises(type(error)) as raised:
        build_version("before", project, BuildOptions(), options=OPTIONS, folder=folder, caller=Caller(), virtual=True, **options)
    return raised.value


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A project in a folder of a repository that is checked out."""
    project = tmp_path / "navitas-revision-x1/repository/app"
    project.mkdir(parents=True)
    (project.parent / ".git").mkdir()
    return project


def test_a_failed_build_of_a_revision_names_it_and_no_temporary_folder(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = GradleOutput(lambda line: None)
    for line in (f"{checkout}/src/main/java/A.java:3: error: ';' expected", f"{checkout.parent}/lib/B.java:4: error"):
        output(line)
    launcher = ["sh", str(checkout / "gradlew")]
    error = failure_of(checkout, None, 1, output, launcher, app_only=False)
    found = failed_build(error, checkout, monkeypatch, checkout_of="origin/main (0123456789ab)")
    assert isinstance(found, BuildError)
    assert found.message == (
        "the build of revision origin/main (0123456789ab) failed: the Gradle build failed (exit code 1). Its last lines:\n"
        "  src/main/java/A.java:3: error: ';' expected\n  lib/B.java:4: error"
    )
    assert found.remedy.startswith("In a checkout of this revision: Make `gradlew testClasses`")


def test_wrong_usage_in_a_revision_names_it(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = UsageError(f"{checkout} is not a Gradle project", "Name the folder.")
    found = failed_build(error, checkout, monkeypatch, checkout_of="v1")
    assert found.message == "the build of revision v1 failed: the project is not a Gradle project"


def test_a_failed_build_of_the_project_names_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "app"
    project.mkdir()
    found = failed_build(BuildError(f"{project}: no", "Fix it."), project, monkeypatch)
    assert (found.message, found.remedy) == (f"the build of before failed: {project}: no", "Fix it.")

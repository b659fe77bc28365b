"""Errors about missing libraries name a command that installs them, however Navitas was installed."""

from __future__ import annotations

import shlex
import sys
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from navitas.base import extra_libraries
from navitas.base.errors import UsageError
from navitas.base.extra_libraries import extra_library, install_command, install_extra, install_packages

EXTRAS = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


def requirements(command: str) -> list[Requirement]:
    """The requirements of a command, checked to be of `pip install`."""
    before, _, after = command.partition(" install ")
    assert before.endswith("pip") and after, command
    return [Requirement(word) for word in shlex.split(after)]


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - {"dev"}))
def test_the_command_of_an_extra_has_its_libraries(extra: str) -> None:
    declared = [Requirement(line) for line in EXTRAS[extra]]
    expected = {(one.name, one.specifier) for one in declared if one.name != "navitas"}
    for own in (one for one in declared if one.name == "navitas"):
        expected |= {(one.name, one.specifier) for name in own.extras for one in map(Requirement, EXTRAS[name])}
    assert {(one.name, one.specifier) for one in requirements(install_extra(extra))} == expected


def test_the_parts_of_a_requirement_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["numpy>=1", "a[http]>=2 ; extra == 'x'", 'b; python_version < "3.15" and extra == "x"', "c==1; extra == 'y'"]
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    assert shlex.split(install_extra("x"))[-2:] == ["a[http]>=2", "b"]
    assert shlex.split(install_packages(["c", "unknown"]))[-2:] == ["c==1", "unknown"]


def test_modules_have_the_name_of_their_package() -> None:
    assert [one.name for one in requirements(install_packages(["sklearn"]))] == ["scikit-learn"]


def test_a_missing_library_is_an_error_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruptures", None)
    with pytest.raises(UsageError, match="change points need the package ruptures") as caught:
        extra_library("ruptures", "change points need", "history")
    assert {one.name for one in requirements(caught.value.remedy)} == {"ruptures", "scipy"}


def _environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "bin/python"))


def test_pipx_has_its_own_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "navitas"
    folder.mkdir()
    (folder / "pipx_metadata.json").write_text("{}")
    _environment(folder, monkeypatch)
    assert install_command(["scipy>=1.13"]) == "pipx inject navitas 'scipy>=1.13'"


def test_the_pip_of_another_environment_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("other", "my own"):
        pip = tmp_path / name / "bin/pip"
        pip.parent.mkdir(parents=True)
        pip.touch(mode=0o755)
    _environment(tmp_path / "my own", monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path / "other/bin"))
    assert install_command(["scipy>=1.13"]) == f"'{tmp_path}/my own/bin/python' -m pip install 'scipy>=1.13'"
    monkeypatch.setenv("PATH", str(tmp_path / "my own/bin"))
    assert install_command(["scipy>=1.13"]) == "pip install 'scipy>=1.13'"


def test_sources_that_are_not_installed_name_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    checked: Callable[[str], list[str]] = requires
    monkeypatch.setattr(metadata, "requires", checked)
    assert "pip install -e '.[fit]'" in install_extra("fit")
    assert extra_libraries.install_packages(["pyarrow"]).endswith(" install pyarrow")

"""`navitas plugin` prints lines that a build can use unchanged."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from navitas import __version__
from navitas.cli.instrument.plugin import command

pytestmark = pytest.mark.usefixtures("made_plugin_jar")


def test_navitas_outside_path_is_printed_with_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bin_folder = tmp_path / "user's bin"
    bin_folder.mkdir()
    program = bin_folder / "navitas"
    program.touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python"))
    arguments = ["--repository", str(tmp_path / "repo")]

    monkeypatch.setenv("PATH", os.defpath)
    said = CliRunner().invoke(command, arguments)
    assert said.exit_code == 0
    assert f"maven {{ url = uri('{tmp_path / 'repo'}') }}" in said.stdout
    assert "executable = '" + str(program).replace("'", "\\'") + "'" in said.stdout
    assert "gradle navitasProfile" in said.stderr
    for kind in ("java", "com.android.application"):
        assert re.search(rf"plugins {{\n    id '{kind}'.*\n    id 'org.navitas' version '{__version__}'\n}}", said.stdout), kind

    monkeypatch.setenv("PATH", str(bin_folder))
    assert "executable" not in CliRunner().invoke(command, arguments).stdout

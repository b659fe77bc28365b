"""`--help` of every command is fast, since it doesn't import the modules that only the work needs."""

from __future__ import annotations

import contextlib
import io
import sys

import pytest
from support.capture import Capture

from navitas.cli.main import run as run_navitas


@pytest.mark.parametrize("package", ["duckdb", "pyarrow", "scipy"])
def test_a_missing_package_of_fleets_is_reported_before_the_work(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with contextlib.redirect_stdout(io.StringIO()):
        assert run_navitas(["fleet", "hogs", "--help"]) == 2
    assert f"fleet commands need the package {package}" in capsys.readouterr().err

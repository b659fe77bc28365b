"""The tests of tests/unit/capture/build/test_source_classes.py that start processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.capture import Capture
from test_source_classes import project

from navitas.base.errors import ExitCode
from navitas.cli.main import run


def test_a_mistyped_pattern_is_a_warning_before_the_build(project: Path, capsys: Capture) -> None:
    (project / "gradle").write_text("#!/bin/sh\nexit 1\n")
    (project / "gradle").chmod(0o755)
    assert run(["profile", str(project), "--tests", "SrotTest", "--gradle", str(project / "gradle")]) == ExitCode.TROUBLE
    said = capsys.readouterr().err
    assert "warning: --tests SrotTest: no source file declares this class (nearest: SortTest" in said
    assert said.index("warning: --tests") < said.index("build failed")

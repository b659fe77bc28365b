"""The example of `navitas.profile` in docs/python-api.md profiles a project on the virtual phone."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from support.capture import Capture
from support.gradle_projects import java_project

from navitas.recording.store import open_recording

DOCS = (Path(__file__).parents[2] / "docs/python-api.md").read_text("utf-8")
SORT_TEST = """\
package p;
public class SortTest {
    @org.junit.Test public void sorts() { for (int i = 0; i < 1000; i++) { next(i); } }
    @org.junit.Test public void fails() { org.junit.Assert.fail("on purpose"); }
    int next(int i) { return i % 7 == 0 ? i : i + 1; }
}
"""


def test_the_example_profiles_a_project(
    any_gradle: str, quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    (example,) = [text for text in re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL) if "navitas.profile(" in text]
    java_project(tmp_path / "project", {"SortTest": SORT_TEST})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(any_gradle).parent}{os.pathsep}{os.environ['PATH']}")
    exec(example, {"__name__": "__main__"})
    failed, energy = capfd.readouterr().out.splitlines()
    assert failed.startswith("FAILED p.SortTest#fails: ") and "on purpose" in failed
    assert re.fullmatch(r"\d+\.\d{3} J", energy)
    manifest = open_recording(tmp_path / "recording").manifest
    assert manifest.state == "complete" and manifest.settings["tests"] == "SortTest#*" and manifest.settings["repeat"] == 2
    assert manifest.provenance.command_line == [] and manifest.provenance.java is not None

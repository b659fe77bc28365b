"""A project's recording names its provenance, and so do all reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from support.command_line import Run

from navitas.capture.build.sample import copy_sample
from navitas.report.json_report import schema


@pytest.mark.extended
def test_a_project_in_a_repository_is_named(gradle: str, navitas: Run, tmp_path: Path) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed: make test-programs")
    project = copy_sample(tmp_path / "sample")
    commit = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    for arguments in (("init", "-q"), ("add", "."), commit):
        subprocess.run([git, *arguments], cwd=project, check=True)
    head = subprocess.run([git, "rev-parse", "HEAD"], cwd=project, check=True, capture_output=True, text=True).stdout.strip()
    typed = ("profile", "sample", "--gradle", gradle, "--tests", "KnownCasesTest#nestedCalls", "-o", "rec")
    done = navitas(*typed, "--format", "json=first.json", "--format", "parquet=energy.parquet")
    assert done.code == 0, done.err
    assert (tmp_path / "energy.parquet").read_bytes().startswith(b"PAR1")
    again = navitas("report", "rec", "-o", "again.json")
    assert again.code == 0, again.err
    first, second = (json.loads((tmp_path / name).read_text()) for name in ("first.json", "again.json"))
    jsonschema.validate(first, schema())
    assert first == second
    provenance = first["provenance"]
    assert provenance["git"] == {"revision": head, "dirty": False}
    assert provenance["command_line"][: len(typed) + 1] == ["navitas", *typed]
    assert provenance["host"]["cpus"] == os.cpu_count()
    assert len(provenance["java"]["tests"]) == 1 and provenance["java"]["build"]
    assert first["device"]["identity"] == "navitas-google_pixel_6" != first["device"]["serial"]

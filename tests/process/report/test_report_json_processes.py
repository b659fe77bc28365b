"""The tests of tests/unit/report/test_report_json.py that start processes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from profile_maker import one_run, profile
from support.reports import text_of
from test_report_json import ROOT

from navitas.report.json_report import write


def test_the_examples_of_the_docs_run(tmp_path: Path) -> None:
    text = (ROOT / "docs/scripting.md").read_text("utf-8")
    (tmp_path / "report.json").write_text(text_of(write, profile()))
    code = text.split("```python\n")[1].split("```")[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "org.example.SortTest#sorts run 0: main 6.500 J" in done.stdout
    assert "    org.example.Sorter.swap 1.000 J" in done.stdout


def test_the_jq_examples_of_the_docs_run(tmp_path: Path) -> None:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed: make test-programs")
    recipes = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/scripting.md").read_text("utf-8"), re.DOTALL)
    largest, limit, history = recipes
    (tmp_path / "report.json").write_text(text_of(write, profile(one_run(0, 10.0), one_run(1, 12.0))))

    def jq(recipe: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-c", recipe], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert jq(largest).stdout.splitlines()[0].endswith("org.example.Sorter.sort")
    assert [jq(limit.replace("0.5", joules)).returncode for joules in ("0.5", "100")] == [1, 0]
    assert json.loads(jq(history).stdout) == {
        "created_utc": "2026-01-01T00:00:00+00:00",
        "revision": "0" * 40,
        "tests": {"org.example.SortTest#sorts": 8.5},
    }

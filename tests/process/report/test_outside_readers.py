"""Programs of others read reports, with the examples of docs/formats.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_formats_docs import DOCS, sessions

OTAVA = re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)[0]


@pytest.mark.extended
def test_otava_finds_the_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    otava = shutil.which("otava", path=str(Path(sys.executable).parent)) or shutil.which("otava")
    if otava is None:
        pytest.skip("needs apache-otava: pip install apache-otava, into an environment of its own")
    sessions(tmp_path, 20, monkeypatch)
    (tmp_path / "otava.yaml").write_text(OTAVA.replace("org.example.SearchTest#finds", "org.example.InboxTest#polls"), "utf-8")
    environment = {**os.environ, "OTAVA_CONFIG": "otava.yaml"}
    arguments = [otava, "analyze", "energy", "--since", "2025-01-01"]
    done = subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert "+10.0%" in done.stdout + done.stderr

"""Programs of others read reports, with the examples of docs/formats.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.messenger_profile import messenger
from support.page_browser import page_browser
from support.reports import text_of
from support.speedscope_page import WEBGL, speedscope_page
from test_formats_docs import DOCS, sessions

from navitas.report import speedscope

OTAVA = re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)[0]
OTAVA_PACKAGE = "apache-otava==0.8.0"

pytestmark = pytest.mark.extended


@pytest.fixture
def otava(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Find otava, or install it into an environment of its own."""
    folder = tmp_path_factory.mktemp("otava")
    program = shutil.which("otava")
    if program is not None:
        return program
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    done = subprocess.run([folder / "bin/pip", "install", OTAVA_PACKAGE], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip install {OTAVA_PACKAGE} failed: {done.stderr[-300:]}")
    return str(folder / "bin/otava")


def test_otava_finds_the_step(otava: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions(tmp_path, 20, monkeypatch)
    (tmp_path / "otava.yaml").write_text(OTAVA.replace("org.example.SearchTest#finds", "org.example.InboxTest#polls"), "utf-8")
    environment = {**os.environ, "OTAVA_CONFIG": "otava.yaml"}
    arguments = [otava, "analyze", "energy", "--since", "2025-01-01"]
    done = subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert "+10.0%" in done.stdout + done.stderr


def test_speedscope_shows_tests_and_methods(browser: str, tmp_path: Path) -> None:
    page = speedscope_page(tmp_path, text_of(speedscope.write, messenger()))
    if page is None:
        pytest.skip("needs speedscope: npm pack speedscope")
    with page_browser(browser, *WEBGL) as started:
        opened = started.open(page)
        assert "org.example.InboxTest#polls run 1 (µJ)" in opened.text("body")
        opened.page.keyboard.press("3")  # the table of methods
        opened.page.wait_for_selector("td", state="attached")
        rows = opened.page.eval_on_selector_all("tr", "(rows) => rows.map((row) => row.textContent)")
        assert "6,000,000 (52%)6,000,000 (52%)org.example.Inbox.poll" in rows, "µJ in all and by itself"

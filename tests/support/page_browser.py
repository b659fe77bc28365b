"""A report page in Chromium, by Playwright: opens it from the disk and notes what the console says and what it requests."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import navitas
from navitas.base.html_page.templates import embedded_json
from navitas.report.page import page_report
from support.golden import GOLDEN

_DATA = re.compile(r'<script type="application/json" id="page-data">.*?</script>\n', re.DOTALL)
AXE = "axe_playwright_python"
_STEP_MS = 20_000
"""The longest wait of a click or a look-up: what a page hides is an error soon."""
_LOAD_MS = 120_000
"""The longest wait for a page that is large, on a machine that is busy."""


@dataclass(slots=True)
class Opened:
    """A page that is drawn: Playwright's page, the console's messages and errors, and the requested addresses."""

    page: Any
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        """Return the text of an element as it is shown."""
        shown: str = self.page.inner_text(selector)
        return shown

    def address(self) -> str:
        """Return the part of the address that holds the selection."""
        fragment: str = self.page.evaluate("location.hash")
        return fragment

    def column(self, table: str, number: int) -> list[str]:
        """Return the texts of a column of a table's visible rows."""
        cells: list[str] = self.page.eval_on_selector_all(
            f"#{table} tbody tr:not([hidden])", f"(rows) => rows.map((row) => row.cells[{number}].innerText)"
        )
        return cells


class PageBrowser:
    """A browser that opens pages, one at a time."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._context: Any = None

    def open(
        self,
        path: Path,
        fragment: str = "",
        *,
        width: int = 1000,
        height: int = 700,
        dark: bool = False,
        scripts: bool = True,
        init: str = "",
    ) -> Opened:
        """Open a page in a new context, instead of the one before, and wait until it is drawn. `init` runs before its scripts."""
        if self._context is not None:
            self._context.close()
        scheme = "dark" if dark else "light"
        size = {"width": width, "height": height}
        self._context = self._browser.new_context(viewport=size, color_scheme=scheme, java_script_enabled=scripts)
        opened = Opened(self._context.new_page())
        opened.page.set_default_timeout(_STEP_MS)
        opened.page.set_default_navigation_timeout(_LOAD_MS)
        opened.page.on("console", lambda message: opened.console.append(message.text))
        opened.page.on("pageerror", lambda error: opened.console.append(str(error)))
        opened.page.on("request", lambda request: opened.requests.append(request.url))
        if init:
            opened.page.add_init_script(init)
        opened.page.goto(path.as_uri() + fragment)
        if scripts:
            opened.page.wait_for_selector("html[data-page=ready]", timeout=_LOAD_MS)
        return opened


@contextmanager
def page_browser(program: str, *options: str) -> Iterator[PageBrowser]:
    """Start a headless browser with command-line options. Skips the test if Playwright is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is missing: pip install 'navitas[dev]'")
    root = ["--no-sandbox"] if os.geteuid() == 0 else []  # which Chromium refuses to root
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=[*options, *root])
        yield PageBrowser(browser)
        browser.close()


def written_page(path: Path, data: dict[str, Any] | None = None, profile: navitas.Profile | None = None) -> Path:
    """Write the page of a profile (default: a small recording's), with other data for its scripts if there is `data`."""
    text = io.StringIO()
    page_report.write(profile or navitas.load(GOLDEN, call_steps=True), text)
    page = text.getvalue()
    if data is not None:
        embedded = "".join(embedded_json([json.dumps(data)]))
        page, count = _DATA.subn(lambda _: embedded, page)
        assert count == 1
    path.write_text(page, "utf-8")
    return path


def axe_source() -> str:
    """Return the script of axe-core, which checks pages for accessibility. Skips the test if it is missing."""
    spec = find_spec(AXE)
    if spec is None or spec.origin is None:
        pytest.skip(f"axe-core is missing: pip install {AXE.replace('_', '-')}")
    return (Path(spec.origin).parent / "axe.min.js").read_text("utf-8")

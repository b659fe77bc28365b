"""Pages in one browser: of a recording, with made-up data, or with hostile names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.hostile_profile import hostile_profile
from support.page_browser import Opened, PageBrowser, page_browser, written_page
from support.page_views import DATA, SMALL, Open


@pytest.fixture(scope="module")
def chromium(browser: str) -> Iterator[PageBrowser]:
    """One browser for all tests. Each test opens a page of its own."""
    with page_browser(browser) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Pages by name, each written once: of a recording, with made-up data, or with hostile names."""
    folder = tmp_path_factory.mktemp("pages")
    makers: dict[str, Callable[[Path], Path]] = {
        "recorded": written_page,
        "sample": lambda path: written_page(path, DATA),
        "small": lambda path: written_page(path, SMALL),
        "hostile": lambda path: written_page(path, profile=hostile_profile()),
    }

    def page(name: str) -> Path:
        path = folder / f"{name}.html"
        return path if path.exists() else makers[name](path)

    return page


@pytest.fixture
def sample(chromium: PageBrowser, pages: Callable[[str], Path]) -> Iterator[Open]:
    """Opens the page with made-up data. At the end, checks that the console had no message and nothing was requested."""
    opened: list[Opened] = []

    def open_page(fragment: str = "", **options: Any) -> Opened:
        opened.append(chromium.open(pages("sample"), fragment, **options))
        return opened[-1]

    yield open_page
    for page in opened:
        assert page.console == []
        assert page.requests == [pages("sample").as_uri()]

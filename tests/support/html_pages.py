"""Parse HTML pages into tables, embedded JSON and elements."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """A parsed page: `tags` with attributes, `tables` by id as rows of cells, `data` by id, and the text of headings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.headings: list[str] = []
        self.data = {
            found[1]: json.loads(found[2])
            for found in re.finditer(r'<script type="application/json" id="([^"]*)">(.*?)</script>', text, re.DOTALL)
        }
        self._rows: list[list[str]] = []
        self._cell = self._heading = False
        self.feed(text)

    @property
    def names(self) -> set[str]:
        """Return the names of all tags."""
        return {tag for tag, _ in self.tags}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag == "table":
            self._rows = self.tables[attributes.get("id") or ""] = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")
            self._cell = True
        elif tag == "small" and self._cell:
            self._rows[-1][-1] += " | "
        self._heading = self._heading or tag == "h2"
        if tag == "h2":
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        self._cell = self._cell and tag not in ("td", "th")
        self._heading = self._heading and tag != "h2"

    def handle_data(self, data: str) -> None:
        if self._cell:
            self._rows[-1][-1] += data
        if self._heading:
            self.headings[-1] += data


def page_data(text: str) -> dict[str, Any]:
    """Return the data of a page, without its layout."""
    page = Page(text)
    return {"headings": page.headings, "tables": page.tables, "data": page.data}

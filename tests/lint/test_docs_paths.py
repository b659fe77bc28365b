"""The form of the docs: links and names of files are right, prose fits the line, and the index lists each page once."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from source_tree import DOCS, PACKAGE, ROOT, TESTS, files, place, text

PAGES = files(DOCS, ".md")
WITH_README = (ROOT / "README.md", *PAGES)
STARTS = (ROOT, PACKAGE, DOCS)
"""Paths in the docs start at the repository, the package or the folder of docs."""
GUIDES = ("architecture.md", "dev/adding.md")
"""Docs that lead a newcomer through the code: each path is whole, and folders are checked too."""

EXAMPLES = {"screen.py", "navitas_tsv.py", "my-package/my_package/navitas_tsv.py", "energy_of_tests.py"}
"""Files that readers of docs/dev/adding.md and docs/formats.md create."""

_FILE = re.compile(r"(?<![\w/.*<>{}$-])([A-Za-z_][\w./-]*\.py)\b")
_SOURCE = re.compile(r"(?<![\w/.*<>{}$-])([A-Za-z_][\w-]*(?:/[\w.-]+)+\.[a-z]+)\b")
_FOLDER = re.compile(r"`((?:[a-z_][\w-]*/)+[a-z_][\w-]*|(?:[a-z_][\w-]*/)+)`")
_IN_CODE = re.compile(r'\bdocs/([\w./-]+\.md)(?:, "([^"]+)"|#([\w-]+))?')
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_TARGET = re.compile(r"\]\([^)]*\)")
LINE = 120
_SAMPLE = re.compile(r"^```(?:python|toml|sh|bash|console)\n.*?^```", re.MULTILINE | re.DOTALL)


def _found(words: str, pattern: re.Pattern[str]) -> set[str]:
    return set(pattern.findall(_SAMPLE.sub("", words))) - EXAMPLES


@cache
def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, by GitHub's rules."""
    if not page.is_file():
        return set()
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text(page), flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return set(map(_anchor, headings))


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _wrong(pages: Iterable[Path], defects: Callable[[Path], Iterator[str]]) -> list[str]:
    """Return all defects of pages, each with its page."""
    return [f"{place(page)}: {defect}" for page in pages for defect in defects(page)]


def test_files_that_a_doc_names_exist() -> None:
    sources = {f"/{place(path)}" for folder in (PACKAGE, TESTS, ROOT / "examples") for path in files(folder, ".py")}
    ends = {path[at:] for path in sources for at, letter in enumerate(path) if letter == "/"}
    assert _wrong(PAGES, lambda page: (name for name in _found(text(page), _FILE) if f"/{name}" not in ends)) == []


def test_links_to_headings_have_a_target() -> None:
    def broken(page: Path) -> Iterator[str]:
        for target, anchor in re.findall(r"\]\(([\w./-]*\.md)?#([^)]+)\)", text(page)):
            if anchor not in _anchors(page.parent / target if target else page):
                yield f"{target}#{anchor}"

    assert _wrong(WITH_README, broken) == []


def test_links_to_files_lead_somewhere() -> None:
    def broken(page: Path) -> Iterator[str]:
        targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text(page))
        return (target for target in targets if not (page.parent / target).exists())

    assert _wrong(WITH_README, broken) == []


def test_prose_fits_the_line() -> None:
    """Tables, blocks of code and targets of links may be longer."""

    def long(page: Path) -> Iterator[str]:
        lines = _FENCE.sub("", text(page)).splitlines()
        prose = [line for line in lines if not line.lstrip().startswith("|") and not line.startswith("    ")]
        return (line for line in prose if len(_TARGET.sub("]", line)) > LINE)

    assert _wrong(WITH_README, long) == []


def test_the_index_lists_each_page_once() -> None:
    """So each page has one purpose: tutorial, how-to guide, reference or explanation."""
    index = DOCS / "README.md"
    listed = [(index.parent / target).resolve() for target in re.findall(r"\]\(([\w./-]+\.md)\)", text(index))]
    assert sorted(listed) == sorted(set(PAGES) - {index})


def test_docs_that_the_code_names_exist() -> None:
    def wrong(source: Path) -> Iterator[str]:
        for page, heading, anchor in _IN_CODE.findall(text(source)):
            if not any(each.startswith(anchor or _anchor(heading)) for each in _anchors(DOCS / page)):
                yield f"docs/{page} {heading or anchor}".strip()

    folders = (PACKAGE, TESTS, ROOT / "instrumenter", ROOT / "gradle-plugin")
    assert _wrong((path for folder in folders for path in files(folder, ".py", ".java")), wrong) == []


@pytest.mark.parametrize("name", GUIDES)
def test_paths_in_a_guide_are_complete(name: str) -> None:
    words = text(DOCS / name)
    paths = _found(words, _FILE) | _found(words, _SOURCE) | _found(words, _FOLDER)
    assert paths, "the guide names no path, so the pattern of this test is wrong"
    assert sorted(path for path in paths if not any((start / path).exists() for start in STARTS)) == []


def test_the_table_of_packages_lists_every_package() -> None:
    rows = re.findall(r"^\| `([a-z_/]+)` \|", text(DOCS / "architecture.md"), re.MULTILINE)
    named = {name.partition("/")[0] for name in rows}
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert packages - named == set()
    assert named <= packages | modules


_LOADS = re.compile(r"url\(\s*['\"]?(?!#)|@import|@font-face|<script|<foreignObject|href\s*=\s*['\"](?!#)", re.IGNORECASE)


@pytest.mark.parametrize("picture", files(DOCS / "images", ".svg"), ids=lambda path: path.name)
def test_pictures_are_small_and_load_nothing(picture: Path) -> None:
    image = text(picture)
    assert ET.fromstring(image).tag.endswith("svg") and len(image) < 100_000
    assert _LOADS.findall(image) == [] and image.count("http") == image.count("http://www.w3.org/")


@pytest.mark.parametrize("width", [80, 120])
def test_pictures_of_the_demo_show_each_table_with_its_key(width: int) -> None:
    """`make readme` makes them."""
    root = ET.fromstring(text(DOCS / f"images/demo-{width}.svg"))
    words = {(node.text or "").replace("\xa0", " ").strip() for node in root.iter() if node.tag.endswith("text")}
    assert {"Tests", "Threads", "Methods"} <= words
    assert all(any(word.split()[:1] == [key] for word in words) for key in ("Test", "Thread", "Method", "Whole"))

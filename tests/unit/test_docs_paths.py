"""The form of the docs: links and names of files are right, prose fits the line, and the index lists each page once."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
STARTS = (ROOT, ROOT / "navitas", ROOT / "docs")
"""Paths in the docs start at the repository, the package or the folder of docs."""
GUIDES = ("architecture.md", "dev/adding.md")
"""Docs that lead a newcomer through the code: each path is whole, and folders are checked too."""

EXAMPLES = {"screen.py", "navitas_csv.py", "my-package/my_package/navitas_csv.py"}
"""Files that readers of docs/dev/adding.md create."""

_FILE = re.compile(r"(?<![\w/.*<>{}$-])([A-Za-z_][\w./-]*\.py)\b")
_SOURCE = re.compile(r"(?<![\w/.*<>{}$-])([A-Za-z_][\w-]*(?:/[\w.-]+)+\.[a-z]+)\b")
_FOLDER = re.compile(r"`((?:[a-z_][\w-]*/)+[a-z_][\w-]*|(?:[a-z_][\w-]*/)+)`")
_IN_CODE = re.compile(r'\bdocs/([\w./-]+\.md)(?:, "([^"]+)"|#([\w-]+))?')
_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_TARGET = re.compile(r"\]\([^)]*\)")
LINE = 120
_SAMPLE = re.compile(r"^```(?:python|toml|sh|bash|console)\n.*?^```", re.MULTILINE | re.DOTALL)


def _found(text: str, pattern: re.Pattern[str]) -> set[str]:
    return set(pattern.findall(_SAMPLE.sub("", text))) - EXAMPLES


def _anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, by GitHub's rules."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return set(map(_anchor, headings))


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _sources() -> set[str]:
    """Return the paths of all Python files, each with a leading slash."""
    folders = (ROOT / "navitas", ROOT / "tests", ROOT / "examples")
    return {f"/{path.relative_to(ROOT).as_posix()}" for folder in folders for path in folder.rglob("*") if path.suffix == ".py"}


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.relative_to(ROOT / "docs").as_posix())
def test_files_that_a_doc_names_exist(doc: Path) -> None:
    sources = _sources()
    missing = [name for name in _found(doc.read_text("utf-8"), _FILE) if not any(path.endswith(f"/{name}") for path in sources)]
    assert missing == []


@pytest.mark.parametrize("doc", [ROOT / "README.md", *DOCS], ids=lambda doc: doc.name)
def test_links_to_headings_have_a_target(doc: Path) -> None:
    broken = []
    for target, anchor in re.findall(r"\]\(([\w./-]*\.md)?#([^)]+)\)", doc.read_text("utf-8")):
        page = doc.parent / target if target else doc
        if not page.is_file() or anchor not in _anchors(page.read_text("utf-8")):
            broken.append(f"{target}#{anchor}")
    assert broken == []


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: doc.relative_to(ROOT / "docs").as_posix())
def test_links_to_files_lead_somewhere(doc: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", doc.read_text("utf-8"))
    assert [target for target in targets if not (doc.parent / target).exists()] == []


@pytest.mark.parametrize("doc", [ROOT / "README.md", *DOCS], ids=lambda doc: doc.relative_to(ROOT).as_posix())
def test_prose_fits_the_line(doc: Path) -> None:
    """Tables, blocks of code and targets of links may be longer."""
    lines = _FENCE.sub("", doc.read_text("utf-8")).splitlines()
    prose = [line for line in lines if not line.lstrip().startswith("|") and not line.startswith("    ")]
    assert [line for line in prose if len(_TARGET.sub("]", line)) > LINE] == []


def test_the_index_lists_each_page_once() -> None:
    """So each page has one purpose: tutorial, how-to guide, reference or explanation."""
    index = ROOT / "docs/README.md"
    listed = [(index.parent / target).resolve() for target in re.findall(r"\]\(([\w./-]+\.md)\)", index.read_text("utf-8"))]
    assert sorted(listed) == sorted(set(DOCS) - {index})


def test_docs_that_the_code_names_exist() -> None:
    suffixes = {".py", ".java"}
    folders = [ROOT / name for name in ("navitas", "tests", "instrumenter", "gradle-plugin")]
    sources = [path for folder in folders for path in folder.rglob("*") if path.suffix in suffixes]
    wrong = []
    for source in sources:
        for page, heading, anchor in _IN_CODE.findall(source.read_text("utf-8")):
            doc = ROOT / "docs" / page
            known = _anchors(doc.read_text("utf-8")) if doc.is_file() else set()
            if not any(each.startswith(anchor or _anchor(heading)) for each in known):
                wrong.append(f"{source.relative_to(ROOT)}: docs/{page} {heading or anchor}".strip())
    assert wrong == []


@pytest.mark.parametrize("name", GUIDES)
def test_paths_in_a_guide_are_complete(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    paths = _found(text, _FILE) | _found(text, _SOURCE) | _found(text, _FOLDER)
    assert paths, "the guide names no path, so the pattern of this test is wrong"
    assert sorted(path for path in paths if not any((start / path).exists() for start in STARTS)) == []


def test_the_table_of_packages_lists_every_package() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    named = {name.partition("/")[0] for name in re.findall(r"^\| `([a-z_/]+)` \|", text, re.MULTILINE)}
    packages = {path.parent.name for path in (ROOT / "navitas").glob("*/__init__.py")}
    modules = {path.stem for path in (ROOT / "navitas").glob("*.py")} - {"__init__"}
    assert packages - named == set()
    assert named <= packages | modules


PICTURES = sorted((ROOT / "docs/images").glob("*.svg"))
_LOADS = re.compile(r"url\(\s*['\"]?(?!#)|@import|@font-face|<script|<foreignObject|href\s*=\s*['\"](?!#)", re.IGNORECASE)


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_pictures_are_small_and_load_nothing(picture: Path) -> None:
    text = picture.read_text("utf-8")
    assert ET.fromstring(text).tag.endswith("svg") and len(text) < 100_000
    assert _LOADS.findall(text) == [] and text.count("http") == text.count("http://www.w3.org/")


@pytest.mark.parametrize("width", [80, 120])
def test_pictures_of_the_demo_show_each_table_with_its_key(width: int) -> None:
    """`make readme` makes them."""
    root = ET.fromstring((ROOT / f"docs/images/demo-{width}.svg").read_text("utf-8"))
    words = {(node.text or "").replace("\xa0", " ").strip() for node in root.iter() if node.tag.endswith("text")}
    assert {"Tests", "Threads", "Methods"} <= words
    assert all(any(word.split()[:1] == [key] for word in words) for key in ("Test", "Thread", "Method", "Total"))

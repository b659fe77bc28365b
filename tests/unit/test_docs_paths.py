"""Files and folders that the docs name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
STARTS = (ROOT, ROOT / "navitas", ROOT / "docs")
"""Folders that paths in the docs may be relative to: the repository, the package or the folder of docs."""
GUIDES = ("architecture.md", "how-it-measures.md", "dev/adding.md")
"""Docs that lead a newcomer through the code. Their paths must be complete, and their folders are checked too."""

EXAMPLES = {"screen.py", "navitas_csv.py", "my-package/my_package/navitas_csv.py"}
"""Files that readers of docs/dev/adding.md create."""

_FILE = re.compile(r"(?<![\w/.*<>{}$-])([A-Za-z_][\w./-]*\.py)\b")
_SOURCE = re.compile(r"(?<![\w/.*<>{}$-])([A-Za-z_][\w-]*(?:/[\w.-]+)+\.[a-z]+)\b")
_FOLDER = re.compile(r"`((?:[a-z_][\w-]*/)+[a-z_][\w-]*|(?:[a-z_][\w-]*/)+)`")
_SAMPLE = re.compile(r"^```(?:python|toml|sh|bash|console)\n.*?^```", re.MULTILINE | re.DOTALL)


def _found(text: str, pattern: re.Pattern[str]) -> set[str]:
    return set(pattern.findall(_SAMPLE.sub("", text))) - EXAMPLES


def _anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, by GitHub's rules."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


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

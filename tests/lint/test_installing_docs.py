"""Docs, messages and examples install Navitas from a file: no package index has it."""

from __future__ import annotations

import re
import tomllib

from source_tree import DOCS, PACKAGE, ROOT, files, place, text

from navitas import __version__

_FROM_INDEX = re.compile(r"\b(?:pipx?|uv)(?:\s+tool)?\s+install\s+(?:-\S+\s+)*[\"']?navitas(?![\w-])")
_FILE = re.compile(r"\bnavitas-(\d[\w.]*?)(?:-py3|\.tar|[\s`/])|\bnavitas-gradle-plugin-(\d[\w.]*)-maven")


def _texts() -> dict[str, str]:
    """The texts that users read, by path."""
    folders = (DOCS, ROOT / "examples", PACKAGE, ROOT / ".ci")
    paths = [path for folder in folders for path in files(folder, ".md", ".py", ".yml", ".gradle", ".sh", "")]
    return {place(path): text(path) for path in (ROOT / "README.md", *paths)}


def test_nothing_is_installed_from_a_package_index() -> None:
    assert _FROM_INDEX.search("pip install 'navitas[fit]'") and not _FROM_INDEX.search("pip install navitas-0.1.0.tar.gz")
    assert {path: found[0] for path, words in _texts().items() if (found := _FROM_INDEX.search(words))} == {}


def test_files_of_a_release_have_this_version() -> None:
    named = {(path, *found) for path, words in _texts().items() if path.endswith(".md") for found in _FILE.findall(words)}
    assert {path for path, *_ in named} >= {"README.md", "docs/installing.md", "docs/container.md"}
    assert {version for _, *versions in named for version in versions if version} == {__version__}


def test_each_extra_is_described() -> None:
    extras = tomllib.loads(text(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    table = text(DOCS / "installing.md").partition("## Extras\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == sorted(set(extras) - {"dev"})
    pages = files(DOCS, ".md")
    named = {name for page in pages for name in re.findall(r"\[extra\s+`(\w+)`\]", text(page))}
    assert named <= set(extras)

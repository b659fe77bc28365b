"""Docs, messages and examples install Navitas from a file: no package index has it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from navitas import __version__

ROOT = Path(__file__).parents[2]
_FROM_INDEX = re.compile(r"\b(?:pipx?|uv)(?:\s+tool)?\s+install\s+(?:-\S+\s+)*[\"']?navitas(?![\w-])")
_FILE = re.compile(r"\bnavitas-(\d[\w.]*?)(?:-py3|\.tar|[\s`/])|\bnavitas-gradle-plugin-(\d[\w.]*)-maven")


def _texts() -> dict[str, str]:
    """The texts that users read, by path."""
    folders = [ROOT / name for name in ("docs", "examples", "navitas", ".ci")]
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    kinds = {".md", ".py", ".yml", ".gradle", ".sh", ""}
    texts = {path: path.read_text("utf-8", "replace") for path in (ROOT / "README.md", *paths) if path.suffix in kinds}
    return {path.relative_to(ROOT).as_posix(): text for path, text in texts.items()}


def test_nothing_is_installed_from_a_package_index() -> None:
    assert _FROM_INDEX.search("pip install 'navitas[fit]'") and not _FROM_INDEX.search("pip install navitas-0.1.0.tar.gz")
    assert {path: found[0] for path, text in _texts().items() if (found := _FROM_INDEX.search(text))} == {}


def test_files_of_a_release_have_this_version() -> None:
    named = {(path, *found) for path, text in _texts().items() if path.endswith(".md") for found in _FILE.findall(text)}
    assert {path for path, *_ in named} >= {"README.md", "docs/installing.md", "docs/container.md"}
    assert {version for _, *versions in named for version in versions if version} == {__version__}


def test_each_extra_is_described() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    table = (ROOT / "docs/installing.md").read_text("utf-8").partition("## Extras\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == sorted(set(extras) - {"dev"})
    pages = [text for path, text in _texts().items() if path.startswith("docs/")]
    named = {name for text in pages for name in re.findall(r"\[extra\s+`(\w+)`\]", text)}
    assert named <= set(extras)

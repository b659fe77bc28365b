"""Names that tests, benchmarks, programs in strings and the docs import from Navitas exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_IMPORT = re.compile(r"^[ \t>]*from (navitas[\w.]*) import (\([^)]*\)|[^\n#]+)", re.MULTILINE)
_FILES = sorted(
    [*(ROOT / "tests").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py"), ROOT / "README.md"]
)


def _imported(text: str) -> Iterator[tuple[str, str]]:
    for module, names in _IMPORT.findall(text):
        for name in names.strip("()\\ \n").split(","):
            if found := re.match(r"[A-Za-z_]\w*", name.strip()):
                yield module, found[0]


def _exists(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None
    except ModuleNotFoundError as error:
        return not str(error.name).startswith("navitas")  # an optional package is not installed


def test_imported_names_exist() -> None:
    missing = []
    for path in _FILES:
        for module, name in _imported(path.read_text("utf-8")):
            if not _exists(module, name):
                missing.append(f"{path.relative_to(ROOT)}: {module}.{name}")
    assert missing == []


@pytest.mark.parametrize("text", ["from navitas.a import b\n", "x = '''\\\n    from navitas.a import (\n  b,\n)'''"])
def test_imports_are_found_in_programs_too(text: str) -> None:
    assert list(_imported(text)) == [("navitas.a", "b")]

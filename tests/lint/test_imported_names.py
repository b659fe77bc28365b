"""Names that tests, benchmarks, programs in strings and the docs import from Navitas exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import pytest
from source_tree import DOCS, ROOT, TESTS, files, place, text

_IMPORT = re.compile(r"^[ \t>]*from (navitas[\w.]*) import (\([^)]*\)|[^\n#]+)", re.MULTILINE)
_FILES = [*files(TESTS, ".py"), *files(DOCS, ".md"), *files(ROOT / "examples", ".py"), ROOT / "README.md"]


def _imported(code: str) -> Iterator[tuple[str, str]]:
    for module, names in _IMPORT.findall(code):
        for name in names.strip("()\\ \n").split(","):
            if found := re.match(r"[A-Za-z_]\w*", name.strip()):
                yield module, found[0]


@cache
def _exists(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None
    except ModuleNotFoundError as error:
        return not str(error.name).startswith("navitas")  # an optional package is not installed


def test_imported_names_exist() -> None:
    missing = [(place(path), *name) for path in _FILES for name in _imported(text(path)) if not _exists(*name)]
    assert missing == []


@pytest.mark.parametrize("code", ["from navitas.a import b\n", "x = '''\\\n    from navitas.a import (\n  b,\n)'''"])
def test_imports_are_found_in_programs_too(code: str) -> None:
    assert list(_imported(code)) == [("navitas.a", "b")]

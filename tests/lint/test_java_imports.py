"""Java classes and packages use each other one way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import networkx as nx
from source_tree import ROOT, files, text

# Comments, and literals, which name classes of other class loaders.
_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_QUALIFIED = re.compile(r"\borg\.navitas(?:\.\w+)+")
_SIMPLE = re.compile(r"(?<![\w.])[A-Z]\w*")


def _package(name: str) -> str:
    return name.rpartition(".")[0]


def _used(package: str, code: str) -> Iterator[str]:
    """Yield names of classes that code could use: those of its own package and those with an import."""
    yield from (f"{package}.{name}" for name in _SIMPLE.findall(code))
    for name in _QUALIFIED.findall(code):
        parts = name.split(".")  # possibly of a nested class or a static member, so also the class around it
        yield from (".".join(parts[:end]) for end in range(3, len(parts) + 1))


@cache
def _uses() -> nx.DiGraph[str]:
    """Return which classes of all modules use which, without tests."""
    code = {}
    for folder in (ROOT / "instrumenter", ROOT / "gradle-plugin"):
        for path in files(folder, ".java"):
            _, main, name = path.as_posix().partition("/src/main/java/")
            if main and path.stem != "package-info":
                code[name.removesuffix(".java").replace("/", ".")] = _NO_CODE.sub(" ", text(path))
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_edges_from((name, used) for name in code for used in _used(_package(name), code[name]) if used in code)
    return graph


def test_no_class_uses_itself_through_another_package() -> None:
    assert len(_uses()) > 300
    circles = [sorted(circle) for circle in nx.strongly_connected_components(_uses())]
    assert [circle for circle in circles if len({_package(name) for name in circle}) > 1] == []


def _is_parent(package: str, other: str) -> bool:
    return other.startswith(f"{package}.")


def test_packages_use_each_other_one_way() -> None:
    """A package and its parent may use each other's classes: the parent composes what is in its sub-packages."""
    pairs = {(_package(user), _package(used)) for user, used in _uses().edges}
    siblings = nx.DiGraph(
        (user, used)
        for user, used in pairs
        if user != used and not _is_parent(user, used) and not _is_parent(used, user)
        if _is_parent("org.navitas", user) and _is_parent("org.navitas", used)  # others stand in for Android's
    )
    circles = [sorted(circle) for circle in nx.strongly_connected_components(siblings)]
    assert [circle for circle in circles if len(circle) > 1] == []

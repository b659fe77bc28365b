"""The check of words to avoid: its list, and the texts in which it finds them."""

from __future__ import annotations

import re
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest
from source_tree import ROOT
from support.capture import Capture


@pytest.fixture(scope="module")
def vocabulary() -> ModuleType:
    """The script .ci/vocabulary as a module."""
    loader = SourceFileLoader("vocabulary", str(ROOT / ".ci/vocabulary"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, loader.name, module)  # Dataclasses look up their module.
        patch.setattr(sys, "dont_write_bytecode", True)
        loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.py", '"""Tells the size."""\n', "tells"),
        ("a.py", "x = 1  # nobody reads it\n", "nobody"),
        ("a.py", 'x = 1\nprint("asked for", x)\n', "asked"),
        ("a.py", 'x = 1\nprint(f"{x} asked for {x!r}")\n', "asked"),
        ("a.py", "how_often_asked = 1\n", "asked"),
        ("a.py", "class UserAsked: ...\n", "asked"),
        ("a.py", '"""Use `nobody`."""\n', ""),
        ("a.java", "/** Tells the size. */\nclass A {}\n", "tells"),
        ("a.java", "class A { int timesAsked; }\n", "asked"),
        ("a.md", "It tells the size.\n", "tells"),
        ("a.md", "The function `tells` is old.\n", ""),
        ("a.sql", "SELECT a FROM parted\n", "parted"),
        ("a.js", "// tells the size\n", "tells"),
        ("a.txt", "It tells the size.\n", ""),
    ],
)
def test_words_are_found_in_prose_and_names(
    name: str, text: str, found: str, *, vocabulary: ModuleType, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / name).write_text(text)
    assert vocabulary.main([str(tmp_path)]) == bool(found)
    printed = capsys.readouterr().out
    assert re.findall(r": '(.*)': write ", printed) == ([found] if found else []), printed
    if found:
        assert printed.startswith(f"{tmp_path / name}:{1 + text[: text.lower().index(found)].count(chr(10))}: ")


def test_each_word_has_one_entry_with_a_replacement(vocabulary: ModuleType) -> None:
    phrases = [phrase for word in vocabulary.words() for phrase in word.pattern.pattern.split("|\\b")]
    assert len(phrases) > 60
    assert sorted(phrases) == sorted(set(phrases))
    assert all(word.instead and (word.prose or word.names) for word in vocabulary.words())
    starts = [part for word in vocabulary.words() for part in re.sub(r"\(.*?\)+", "", word.pattern.pattern).split("|")]
    assert all(part.startswith(r"\b") for part in starts), "the check first searches for words at the starts of words"

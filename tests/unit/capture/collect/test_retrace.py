"""Stack traces of minified code get the source's names back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import bundle_maker

from navitas.android.r8_mapping import SourceNames, parse_mapping
from navitas.base.errors import BuildError
from navitas.capture.bundle.reader import open_bundle
from navitas.capture.collect.runs import version_runs
from navitas.capture.collect.runs.version_runs import source_names

MAPPING = """\
# compiler: R8
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
org.example.notes.Parser -> a.b:
# {"id":"sourceFile","fileName":"Parser.java"}
    int depth -> a
    1:4:void parse(java.lang.String):20:23 -> a
    5:9:int count(char[]):40:44 -> a
    10:12:void org.example.notes.Words.split(java.lang.String):7:9 -> a
    void <init>() -> <init>
    java.lang.String text() -> c
    java.lang.String name() -> c
org.example.notes.ParseException -> a.c:
"""
STACK = """\
a.c: line 3 of a.b is wrong
\tat a.b.a(SourceFile:2)
\tat a.b.a(SourceFile:7)
\tat a.b.a(SourceFile:11)
\tat a.b.c(Unknown Source)
\tat a.b.<init>(SourceFile:1) [note]
\tat java.util.List.of(List.java:1)
Caused by: a.c
\t... 4 more"""


def test_classes_and_methods_have_their_names_again() -> None:
    assert parse_mapping(MAPPING.splitlines()).retraced(STACK) == (
        """\
org.example.notes.ParseException: line 3 of a.b is wrong
\tat org.example.notes.Parser.parse(SourceFile:2)
\tat org.example.notes.Parser.count(SourceFile:7)
\tat org.example.notes.Words.split(SourceFile:11)
\tat org.example.notes.Parser.c(Unknown Source)
\tat org.example.notes.Parser.<init>(SourceFile:1) [note]
\tat java.util.List.of(List.java:1)
Caused by: org.example.notes.ParseException
\t... 4 more"""
    ), "of two names that fit, neither is taken"


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_mapping_and_any_stack_do_no_harm(mapping: str, stack: str) -> None:
    assert SourceNames().retraced(stack) == stack
    assert parse_mapping([*MAPPING.splitlines(), *mapping.splitlines()]).retraced(stack).count("\n") == stack.count("\n")


def test_names_come_from_the_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.dumps({**bundle_maker.ANDROID_MANIFEST, "minified": True, "mapping": "mapping.txt"})
    made = bundle_maker.make(
        tmp_path / "a.bundle.zip", {**bundle_maker.ANDROID_FILES, "bundle.json": content, "mapping.txt": MAPPING}
    )
    bundle = open_bundle(made)
    assert source_names(bundle) == parse_mapping(MAPPING.splitlines())
    monkeypatch.setattr(version_runs, "MOST_MAPPING_BYTES", 10)
    with pytest.raises(BuildError, match="more than 10 bytes"):
        source_names(bundle)
    made.write_bytes(made.read_bytes()[:-30])
    with pytest.raises(BuildError, match="cannot be read"):
        source_names(bundle)

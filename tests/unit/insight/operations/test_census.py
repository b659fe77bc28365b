"""An operation census from another process: what is read, and what is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from navitas.base.errors import UsageError
from navitas.insight.operations.census.document import GC, parse_census, read_census

Document = dict[str, Any]


def document() -> Document:
    blocks = [
        {
            "pc": [0, 4],
            "lines": [3, 4],
            "inlined": [{"file": "C.kt", "lines": [7, 7]}],
            "next": [1],
            "handlers": [],
            "plus": [0],
            "minus": [],
            "operations": [[0, 2], [2, 1]],
            "editable": [0, 3],
            "edit_operations": [[0, 2]],
        },
        {"pc": [5, 5], "lines": None, "next": [], "handlers": [1], "plus": [1], "minus": [0], "operations": []},
    ]
    method: Document = {"name": "m", "descriptor": "()V", "by": "source", "note": None, "counters": 2}
    method |= {"blocks": blocks, "unmatched": [[0, 7]]}
    return {
        "format": "navitas-census",
        "version": 1,
        "operations": [
            {"name": "Addition_int_int", "class": "Arithmetic"},
            {"name": "GC", "class": "Library"},
            {"name": "Math.sqrt", "class": "Library"},
        ],
        "classes": [{"name": "a.B", "file": "B.java", "sha256": "0" * 64, "methods": [method]}],
        "notes": ["a note"],
    }


@pytest.mark.parametrize("packed", [False, True])
def test_a_census_is_read(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "census.json"
    text = json.dumps(document()).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    census = read_census(path)
    method = census.classes[0].methods[0]
    assert [each.name for each in census.operations] == ["Addition_int_int", GC, "Math.sqrt"]
    assert census.operations[0].kind == "Arithmetic"
    assert method.blocks[0].operations == [(0, 2), (2, 1)]
    assert (method.blocks[0].pc, method.blocks[0].lines, method.blocks[1].lines) == ((0, 4), (3, 4), None)
    assert [(one.file, one.lines) for one in method.blocks[0].inlined] == [("C.kt", (7, 7))]
    assert method.blocks[1].inlined == []
    assert (method.blocks[0].editable, method.blocks[0].edit_operations) == ((0, 3), [(0, 2)])
    assert (method.blocks[1].editable, method.blocks[1].edit_operations) == (None, [])
    assert method.unmatched == [(0, 7)]
    assert (method.counters, method.blocks[1].plus, method.blocks[1].minus) == (2, [1], [0])


def test_a_census_without_counters_is_read() -> None:
    given = document()
    del _method(given)["counters"]
    for block in _method(given)["blocks"]:
        del block["plus"], block["minus"]
    assert parse_census(json.dumps(given), "old.json").classes[0].methods[0].counters == 0


def _method(given: Document) -> Document:
    found: Document = given["classes"][0]["methods"][0]
    return found


DAMAGE: dict[str, tuple[Callable[[Document], object], str]] = {
    "another file": (lambda d: d.pop("format"), "is not an operation census"),
    "a newer version": (lambda d: d.update(version=2), "has version 2 of the format"),
    "a range outside of its block": (lambda d: _method(d)["blocks"][0].update(editable=[0, 5]), "not the start of its block"),
    "a range within its block": (lambda d: _method(d)["blocks"][0].update(editable=[1, 4]), "not the start of its block"),
    "a range with more operations": (
        lambda d: _method(d)["blocks"][0].update(edit_operations=[[0, 3]]),
        "more operations than its block",
    ),
    "operations without a range": (lambda d: _method(d)["blocks"][0].update(editable=None), "more operations than its block"),
    "an unknown class": (lambda d: d["operations"][0].update({"class": "Magic"}), "operations.0.class"),
    "an operation twice": (lambda d: d["operations"].append(d["operations"][0]), "an operation is listed twice"),
    "a class twice": (lambda d: d["classes"].append(d["classes"][0]), "a class is listed twice"),
    "a hash": (lambda d: d["classes"][0].update(sha256="x"), "classes.0.sha256"),
    "an index": (lambda d: _method(d)["unmatched"].append([3, 1]), "a.B.m: a count is of an operation that is not listed"),
    "a negative count": (lambda d: _method(d)["blocks"][0]["operations"].append([0, -1]), "blocks.0.operations.2.1"),
    "a huge count": (lambda d: _method(d)["blocks"][0]["operations"].append([0, 1 << 40]), "blocks.0.operations.2.1"),
    "a text as count": (lambda d: _method(d)["blocks"][0]["operations"].append([0, "1"]), "blocks.0.operations.2.1"),
    "a successor": (lambda d: _method(d)["blocks"][0]["next"].append(2), "a block is followed by one that does not exist"),
    "a counter": (lambda d: _method(d).update(counters=1), "a block has a counter that does not exist"),
    "a negative counter": (lambda d: _method(d)["blocks"][0]["minus"].append(-1), "blocks.0.minus.0"),
    "order": (lambda d: _method(d)["blocks"][1].update(pc=[4, 5]), "its blocks are not in code order"),
    "no methods": (lambda d: d["classes"][0].pop("methods"), "classes.0.methods"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_refused_with_the_files_name(name: str) -> None:
    damage, message = DAMAGE[name]
    given = document()
    damage(given)
    with pytest.raises(UsageError, match=r"^some\.json ") as error:
        parse_census(json.dumps(given), "some.json")
    assert message in str(error.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\x1f\x8b", b"\x1f\x8b\x08\x00broken", b"\xff\xfe", b"[" * 100_000])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"x\.json"):
        read_census(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.json cannot be read \(No such file or directory\)"):
        read_census(tmp_path / "none.json")

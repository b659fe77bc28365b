"""Checks profiles of the Firefox Profiler by the types of its processed format, version 70 (src/types/profile.ts)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

_SHARED = {
    "stackTable": "frame prefixOffset",
    "frameTable": "address lib inlineDepth category subcategory func nativeSymbol innerWindowID line column originalLocation",
    "funcTable": "name isJS relevantForJS resource source lineNumber columnNumber originalLocation",
    "resourceTable": "name host type",
    "nativeSymbols": "libIndex address name functionSize",
    "sources": "id filename startLine startColumn sourceMapURL content",
    "sourceLocationTable": "source line column",
}
_META = "interval startTime processType product stackwalk version preprocessedProfileVersion categories markerSchema importedFrom"
_THREAD = (
    "processType processStartupTime processShutdownTime registerTime unregisterTime pausedRanges name isMainThread"
    " pid tid samples markers"
)
_DISPLAY = "graphType unit color markerSchemaLocation sortWeight label tooltipRows"


def check_profile(profile: dict[str, Any]) -> None:
    """Raise `AssertionError` for a table with a missing or uneven column, or an index beyond the table that it refers to."""
    meta, shared = profile["meta"], profile["shared"]
    assert set(_META.split()) <= set(meta) and meta["preprocessedProfileVersion"] == 70
    assert any(one["color"] == "grey" for one in meta["categories"]) and meta["interval"] > 0
    assert all(number < len(profile["threads"]) for number in meta["initialSelectedThreads"])
    strings = shared["stringArray"]
    assert len(set(strings)) == len(strings)
    for table, columns in _SHARED.items():
        _check_columns(shared[table], columns)
    stacks, frames, functions = shared["stackTable"], shared["frameTable"], shared["funcTable"]
    _check_indexes(stacks["frame"], frames["length"])
    assert all(0 <= offset <= place for place, offset in enumerate(stacks["prefixOffset"]))
    _check_indexes(frames["func"], functions["length"])
    _check_indexes(frames["category"], len(meta["categories"]))
    _check_indexes(functions["name"], len(strings))
    _check_indexes(filter(_is_some, functions["source"]), shared["sources"]["length"])
    _check_indexes((number for number in functions["resource"] if number != -1), shared["resourceTable"]["length"])
    _check_indexes([*shared["sources"]["filename"], *shared["resourceTable"]["name"]], len(strings))
    schemas = {schema["name"] for schema in meta["markerSchema"]}
    for thread in profile["threads"]:
        assert set(_THREAD.split()) <= set(thread) and isinstance(thread["pid"], str)
        samples, markers = thread["samples"], thread["markers"]
        _check_columns(samples, "stack time weight")
        assert samples["weightType"] == "samples" and all(isinstance(uj, int) and uj > 0 for uj in samples["weight"])
        _check_indexes(samples["stack"], stacks["length"])
        assert all(a <= b for a, b in pairwise(samples["time"]))
        _check_columns(markers, "data name startTime endTime phase category")
        _check_indexes(markers["name"], len(strings))
        assert {data["type"] for data in markers["data"]} <= schemas
        assert all(a <= b for a, b in zip(markers["startTime"], markers["endTime"], strict=True))
    for counter in profile["counters"]:
        assert profile["threads"][counter["mainThreadIndex"]]["pid"] == counter["pid"]
        _check_columns(counter["samples"], "time count")
        assert counter["samples"]["count"][0] == 0, "the profiler ignores the first one"
        assert set(_DISPLAY.split()) == set(counter["display"])


def stack_of(profile: dict[str, Any], stack: int) -> tuple[str, ...]:
    """Return the names of a stack's functions, outermost first."""
    shared, names = profile["shared"], []
    while True:
        function = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
        names.append(shared["stringArray"][shared["funcTable"]["name"][function]])
        if not (offset := shared["stackTable"]["prefixOffset"][stack]):
            return tuple(reversed(names))
        stack -= offset


def _check_columns(table: dict[str, Any], columns: str) -> None:
    assert set(columns.split()) <= set(table)
    assert {len(table[name]) for name in columns.split()} == {table["length"]}


def _check_indexes(numbers: Any, size: int) -> None:
    assert all(0 <= number < size for number in numbers)


def _is_some(value: object) -> bool:
    return value is not None

"""Check the patterns with which users choose classes and methods to instrument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from navitas.base.errors import UsageError
from navitas.base.method_names import without_parameters
from navitas.base.untrusted_text import is_printable


def check_patterns(includes: Sequence[str], excludes: Sequence[str]) -> None:
    """Raise `UsageError` if a pattern can never match a class, or a method (`a.b.C#m`, as an exclude only)."""
    for pattern in includes:
        if "#" in pattern:
            raise UsageError(f"'{pattern}': methods can only be excluded", "Include their class.")
    for pattern in (*includes, *excludes):
        owner, has_method, method = pattern.partition("#")
        if not owner or not is_printable(owner) or set("/\\") & set(owner):
            raise UsageError(f"'{pattern}' is not a class name pattern", "Use dotted names with * or **, such as org.example.**")
        if has_method and (not method or not is_printable(method) or "#" in method or without_parameters(method) != method):
            raise UsageError(
                f"'{pattern}' does not name a method", "Give CLASS#METHOD without parameters, such as org.example.Sorter#sort"
            )


def unused_in_all(modules: Sequence[Mapping[str, str]]) -> list[str]:
    """Return a sentence about each exclude pattern that matches nothing in any module; modules share their patterns.

    `modules` has, for each module, the patterns that match nothing there, with the sentences.
    """
    return [text for pattern, text in modules[0].items() if all(pattern in others for others in modules[1:])]

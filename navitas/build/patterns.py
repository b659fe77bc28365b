"""Which classes and methods get probes: patterns as users write them."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.errors import UsageError


def check_patterns(includes: Sequence[str], excludes: Sequence[str]) -> None:
    """Raise `UsageError` for what can never name a class, or a method of one (`a.b.C#m`, only to be excluded)."""
    for pattern in includes:
        if "#" in pattern:
            raise UsageError(f"'{pattern}': methods can only be excluded", "Include their class.")
    for pattern in (*includes, *excludes):
        owner, has_method, method = pattern.partition("#")
        if not owner or not owner.isprintable() or set("/\\ ") & set(owner):
            raise UsageError(f"'{pattern}' is no class name pattern", "Use dotted names with * or **, such as org.example.**")
        if has_method and (not method or not method.isprintable() or set("#( ") & set(method)):
            raise UsageError(
                f"'{pattern}' names no method", "Give CLASS#METHOD, without its parameters, such as org.example.Sorter#sort"
            )

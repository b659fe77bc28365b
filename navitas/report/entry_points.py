"""What other packages add by entry points, also where one of them is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import Distribution, EntryPoint


def points_of(group: str) -> dict[str, list[EntryPoint]]:
    """The entry points of a group by name: several where several packages register one name.

    A package whose list cannot be read has one of its own name and no module, where the list names the group.
    """
    try:
        points = list(metadata.entry_points(group=group))
    except Exception:  # one damaged list, of any package, keeps all from being read at once
        points = [point for package in metadata.distributions() for point in _readable(package, group)]
    found: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for point in points:
        found.setdefault(point.name, {}).setdefault((point.value, package_of(point)), point)
    return {name: list(same.values()) for name, same in found.items()}


def _readable(package: Distribution, group: str) -> Iterator[EntryPoint]:
    try:
        yield from package.entry_points.select(group=group)
    except Exception:
        if group in (package.read_text("entry_points.txt") or ""):
            yield EntryPoint(package.metadata["Name"], "", group)


def package_of(point: EntryPoint) -> str:
    """The package that an entry point comes from, with its version; empty where that is not known."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else ""

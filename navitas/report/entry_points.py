"""Reads the entry points of installed packages, even if the metadata of a package is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import Distribution, EntryPoint


def entry_points_by_name(group: str) -> dict[str, list[EntryPoint]]:
    """Return the entry points of a group by name. A name has several if several packages register it.

    If a package's list names the group but can't be parsed, it has one entry point: the package's name, without a module.
    """
    try:
        points = list(metadata.entry_points(group=group))
    except Exception:  # One damaged list makes the combined query fail, so each package is read separately.
        points = [point for package in metadata.distributions() for point in _readable_points(package, group)]
    found: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for point in points:
        found.setdefault(point.name, {}).setdefault((point.value, package_label(point)), point)
    return {name: list(same.values()) for name, same in found.items()}


def _readable_points(package: Distribution, group: str) -> Iterator[EntryPoint]:
    try:
        yield from package.entry_points.select(group=group)
    except Exception:
        if group in (package.read_text("entry_points.txt") or ""):
            yield EntryPoint(package.metadata["Name"], "", group)


def package_label(point: EntryPoint) -> str:
    """Return the name and version of an entry point's package, or an empty string if unknown."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else ""

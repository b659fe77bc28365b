"""Groups of components that power rails measure together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from navitas.attribute.component import Component, RailUse


@dataclass(frozen=True, slots=True)
class RailGroup:
    """Rails, and the places of the components that they measure, ascending. No other rail measures these components."""

    rails: frozenset[str]
    members: tuple[int, ...]


def rail_groups(names: Iterable[str], components: Sequence[Component], uses: Collection[RailUse]) -> list[RailGroup]:
    """Return the groups of components that share rails with one of these uses, directly or by way of other components.

    The order of rails has no influence. Components without a rail are in no group.
    """
    known = tuple(names)
    found: list[RailGroup] = []
    for place, component in enumerate(components):
        own = frozenset(name for name in known if component.rail_use(name) in uses)
        if own:
            sharing = [each for each in found if each.rails & own]
            rails = own.union(*(each.rails for each in sharing))
            members = sorted([*(member for each in sharing for member in each.members), place])
            found = [each for each in found if not each.rails & own] + [RailGroup(rails, tuple(members))]
    return found

"""The energy of API calls by the method of the app that made them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from navitas.analyze.profile import Profile


def api_energy(profile: Profile, components: Sequence[str]) -> Mapping[int, float] | None:
    """Return joules by method: the caller, where the call of the API is a node. None if no component is recorded."""
    known = [name for name in components if name in profile.components]
    if not known:
        return None
    methods = profile.method_table.methods
    found: defaultdict[int, float] = defaultdict(float)
    for tree in (tree for name in known for tree in profile.energy_trees(name)):
        parents, numbers, _, _, self_j, _ = (column.tolist() for column in tree.nodes.columns)
        for node, energy_j in enumerate(self_j):
            place = node
            while place >= 0 and methods[numbers[place]].api_kind:
                place = parents[place]
            if energy_j and place >= 0:
                found[methods[numbers[place]].id] += energy_j
    return dict(found)

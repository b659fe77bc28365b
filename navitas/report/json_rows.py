"""Lines of the JSON report: methods and nodes, of which there may be millions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

import numpy as np

from navitas.analyze.records import MethodEnergy, Nodes
from navitas.parse.tables import MethodTable
from navitas.report.json_text import Inline, line
from navitas.report.names import UNKNOWN_METHOD, method_of

NOT_FINITE = "Out of range float values are not JSON compliant"
# A line of numbers costs a third of what an encoder takes, and there may be millions; 12 digits of a figure are exact enough.
_NODE = '{"id": %d, "parent": %d, "method": %d, "calls": %d, "inclusive_j": %.12g, "exclusive_j": %.12g, "wall_ns": %d}'
_METHOD = (
    '{%s, "calls": %d, "throws": %d, "cut": %d, "inclusive_j": %.12g, "exclusive_j": %.12g, '
    '"wall_ns": %d, "self_ns": %d, "cpu_ns": %d%s}'
)
_OPTIONAL = ("inclusive_error_j", "exclusive_error_j", "raw_inclusive_j", "raw_exclusive_j")


class MethodLines:
    """Lines of methods. What names a method is made once; `components` are named where there are several."""

    def __init__(self, methods: MethodTable, components: Sequence[str], alternative: str | None) -> None:
        self._methods = methods
        self._components = components
        self._alternative = alternative
        self._known: dict[int, str] = {}

    def line(self, energy: MethodEnergy) -> str:
        """A method of one thread in one test. ValueError for a figure that is not finite."""
        if not isfinite(energy.inclusive_j + energy.exclusive_j):
            raise ValueError(NOT_FINITE)
        counts = (energy.calls, energy.throws, energy.cut)
        times = (energy.wall_ns, energy.self_ns, energy.cpu_ns)
        figures = (energy.inclusive_j, energy.exclusive_j)
        return _METHOD % (self.name(energy.method), *counts, *figures, *times, self._more(energy))

    def name(self, index: int) -> str:
        """The fields that name a method, without braces."""
        if index not in self._known:
            method = method_of(self._methods, index)
            fields = {
                "id": index,
                "module": method.module if method else "",
                "class": method.class_name if method else "",
                "name": method.name if method else UNKNOWN_METHOD,
                "descriptor": method.descriptor if method else "",
            }
            self._known[index] = line(fields)[1:-1]
        return self._known[index]

    def _more(self, energy: MethodEnergy) -> str:
        if energy.inclusive_error_j is energy.raw_exclusive_j is energy.alternative_j is None and len(self._components) == 1:
            return ""
        given = (energy.inclusive_error_j, energy.exclusive_error_j, energy.raw_inclusive_j, energy.raw_exclusive_j)
        found = "".join(f', "{key}": {j:.12g}' for key, j in zip(_OPTIONAL, given, strict=True) if j is not None)
        if energy.alternative_j is not None:
            found += f', "{self._alternative}_j": {energy.alternative_j:.12g}'
        if len(self._components) > 1:
            found += f', "components": {line(shares(self._components, energy.components))}'
        return found


def shares(components: Sequence[str], joules: Sequence[float]) -> Inline:
    """Joules by component."""
    return Inline(zip(components, joules, strict=True))


def node_lines(nodes: Nodes) -> Iterator[str]:
    """A line for each node of a call tree. ValueError for a figure that is not finite."""
    inclusive_j, exclusive_j = nodes.columns[3:5]
    if not np.isfinite(inclusive_j.sum() + exclusive_j.sum()):
        raise ValueError(NOT_FINITE)
    return map(_NODE.__mod__, zip(range(len(nodes)), *(column.tolist() for column in nodes.columns), strict=True))

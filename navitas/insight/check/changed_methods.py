"""The methods whose self energy rose with a test's: an association, not a cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from navitas.insight.check.judgement import ChangedMethod
from navitas.insight.compare.comparison import LEAST_SHARE, figure_matrix, figure_means
from navitas.insight.compare.effect import F64, adjusted, effects
from navitas.insight.compare.source_place import SourcePlace
from navitas.insight.compare.subject import Subject, without_descriptor
from navitas.insight.compare.verdict import LIMIT

_MOST = 5


def changed_methods(
    before: Sequence[Mapping[Subject, F64]],
    after: Sequence[Mapping[Subject, F64]],
    *,
    together: bool,
    places: Mapping[str, SourcePlace],
) -> tuple[ChangedMethod, ...]:
    """Return at most 5 methods that rose most, those first of which a comparison is sure. Arguments: figures by session."""
    names = sorted({subject for session in (*before, *after) for subject in session if subject.kind == "method"})
    sides = [[figure_matrix(session, names) for session in side] for side in (before, after)]
    old, new = (figure_means(side) for side in sides)
    kept = np.flatnonzero((np.maximum(old, new) >= LEAST_SHARE * max(old.sum(), new.sum())) & (new > old))
    rises = effects(*([session[kept] for session in side] for side in sides), together=together)
    methods = []
    for index, effect, p in zip(kept.tolist(), rises, adjusted(rises), strict=True):
        name = names[index].name
        location = places.get(without_descriptor(name))
        change = None if effect is None else effect.percent
        methods.append(ChangedMethod(name, float(old[index]), float(new[index]), change, p is not None and p < LIMIT, location))
    return tuple(sorted(methods, key=lambda method: (not method.is_sure, method.before_j - method.after_j))[:_MOST])

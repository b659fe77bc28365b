"""Give the energy of carriers to the virtual threads that they carry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from navitas.attribute.component import ThreadCurves
from navitas.attribute.cpu.rows_by_time import RowsByTime
from navitas.attribute.curves import Knots, group_ends
from navitas.parse.arrays import F64
from navitas.parse.tables import Mounts


def mounted(curves: ThreadCurves, mounts: Mounts) -> ThreadCurves:
    """Return the curves in which each mounted thread has what its carrier used meanwhile, and the carrier has the rest.

    A virtual thread has no curve of its own before. The sum of all curves stays the same.
    """
    if not len(mounts.carrier):
        return curves
    old = curves.knots
    owner = np.concatenate([old.owner, mounts.carrier, mounts.carrier])
    t_ns = np.concatenate([old.t_ns, mounts.start_ns, mounts.end_ns])
    order = np.lexsort((t_ns, owner))
    owner, t_ns = owner[order], t_ns[order]
    owner, t_ns = owner[(last := group_ends(owner, t_ns))], t_ns[last]
    place = old.place(owner, t_ns)
    within = np.flatnonzero(np.diff(owner) == 0)
    begin_ns, end_ns = t_ns[within], t_ns[within + 1]
    mount = RowsByTime(mounts.carrier, mounts.start_ns).at(owner[within], begin_ns)
    is_mounted = (mount >= 0) & (begin_ns < mounts.end_ns[mount])
    user = np.where(is_mounted, mounts.thread[mount], owner[within])

    owners = len(old.start) - 1
    others = np.setdiff1d(np.arange(owners), mounts.thread)  # a mounted thread's curve begins with its first mount
    owner = np.concatenate([user, user, others])
    t_ns = np.concatenate([begin_ns, end_ns, old.first_ns[others]])
    # The end of a stretch is sorted after the start of the next one, and stays.
    growth_of = np.concatenate([np.full(len(user), -1), np.arange(len(user)), np.full(len(others), -1)])
    order = np.lexsort((growth_of, t_ns, owner))
    owner, t_ns, growth_of = owner[order], t_ns[order], growth_of[order]
    kept = np.flatnonzero(group_ends(owner, t_ns))
    knots = Knots.from_columns(owner[kept], t_ns[kept], owners)

    def given(cumulative: F64) -> F64:
        growth = np.append(np.diff(place.read(cumulative))[within], 0.0)
        return knots.cumulate(growth[growth_of[kept]])

    cpu_ns = None if curves.cpu_ns is None else given(curves.cpu_ns)
    return replace(curves, knots=knots, energy_j=given(curves.energy_j), cpu_ns=cpu_ns)

"""Which app is in the foreground: parts of screen sessions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from world.catalog import MINUTE_S, CatalogApp
from world.people import Person
from world.spans import Bools, Floats, Ints, Spans, covered_s

NO_APP = -1
_NO_APP_SHARE = 0.1
_LONG_S = 4 * MINUTE_S
_LONG_SHARE = 0.35
_OUTDOORS_WEIGHT = 1.5


@dataclass(frozen=True, slots=True)
class Foreground:
    """Parts of sessions in order of time, and the index of the app of each (`NO_APP`: none)."""

    parts: Spans
    apps: Ints

    def spans(self, app: int) -> Spans:
        """Return when this app is in the foreground."""
        return np.asarray(self.parts[self.apps == app], np.float64)


def draw_foreground(person: Person, apps: list[CatalogApp], rng: np.random.Generator) -> Foreground:
    """Divide each session among the session apps of a phone by the person's taste.

    The planted app `foreground` takes some of the longer sessions whole, and `navigation` all of them that lie outdoors;
    `outdoors` takes only parts that lie outdoors.
    """
    parts, session = _divide(person.sessions, rng)
    taste = np.array([app.popularity for app in apps]) * np.exp(rng.normal(0.0, 1.0, len(apps)))
    roles = np.array([app.role or "" for app in apps], dtype=object)
    indoors = np.where(np.isin(roles, ["outdoors", "foreground", "navigation"]), 0.0, taste)
    outdoors = np.where(roles == "outdoors", _OUTDOORS_WEIGHT * max(indoors.sum(), 1.0), indoors)
    outside = _outside(person, parts)
    chosen = np.where(outside, _choose(outdoors, len(parts), rng), _choose(indoors, len(parts), rng))
    chosen[rng.random(len(parts)) < _NO_APP_SHARE] = NO_APP
    is_long = person.sessions[:, 1] - person.sessions[:, 0] > _LONG_S
    some = (rng.random(len(is_long)) < _LONG_SHARE) & is_long
    for role, whole in (("foreground", some), ("navigation", is_long & _outside(person, person.sessions))):
        for app in np.flatnonzero(roles == role)[:1]:
            chosen[whole[session]] = app
    indices = np.array([app.index for app in apps] + [NO_APP], dtype=np.int64)
    return Foreground(parts, indices[chosen])


def _outside(person: Person, spans: Spans) -> Bools:
    """Return which spans lie outdoors, from begin to end."""
    outdoors_s = covered_s(person.outdoors, spans[:, 1]) - covered_s(person.outdoors, spans[:, 0])
    return np.asarray(outdoors_s >= spans[:, 1] - spans[:, 0] - 1e-6, np.bool_)


def _divide(sessions: Spans, rng: np.random.Generator) -> tuple[Spans, Ints]:
    """Split sessions into parts of random lengths; return the parts and the session of each."""
    lengths = sessions[:, 1] - sessions[:, 0]
    counts = 1 + rng.poisson(0.3 + np.minimum(lengths / 300.0, 2.0))
    session = np.repeat(np.arange(len(sessions)), counts)
    weights = rng.exponential(1.0, len(session)) + 0.1
    cumulated = np.cumsum(weights)
    firsts = np.cumsum(counts) - counts
    before = cumulated[firsts] - weights[firsts] if len(firsts) else cumulated
    totals = cumulated[firsts + counts - 1] - before if len(firsts) else cumulated
    share_end = (cumulated - before[session]) / totals[session]
    ends = np.round(sessions[session, 0] + share_end * lengths[session], 3)
    starts = np.concatenate([[0.0], ends[:-1]])[: len(ends)]
    starts[firsts] = sessions[:, 0]
    ends[firsts + counts - 1] = sessions[:, 1]
    keep = ends > starts
    return np.column_stack([starts, ends])[keep], session[keep].astype(np.int64)


def _choose(weights: Floats, count: int, rng: np.random.Generator) -> Ints:
    draws = rng.random(count)
    if weights.sum() <= 0:
        return np.full(count, NO_APP, dtype=np.int64)
    return np.searchsorted(np.cumsum(weights) / weights.sum(), draws, side="right").clip(0, len(weights) - 1).astype(np.int64)

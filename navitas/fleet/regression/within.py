"""Within-client regression: what a client's battery drains in addition while an app runs, compared with the same client's rest.

The rate of a pair is regressed on the share of it in which the app ran, weighted by the pair's time, with control columns of
which each client has its own coefficients. By the theorem of Frisch, Waugh and Lovell, this is a regression on what is left of
the share after the controls: with *x̃* these residuals, the coefficient is Σ T x̃ r / Σ T x̃ x. Both sums add up over clients.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.regression.controls import ONE
from navitas.fleet.regression.exposure import CLASSES
from navitas.fleet.statistics import F64, I64, Bool

_LEAST, _ALIKE, _SEVERAL, _MISSED = 10, 0.65, 1.5, 0.0125
"""Least level changes between other samples; mean ratio of the shorter pair to the longer one, which is 0.39 if a change divides
them at random; and how many changes may be missed.
"""
_NEAR_S = 3600.0
"""The rate of so much time around a pair counts as that of the pair: drains last for about so long, and the rate of one short
pair varies with its own running times. It is a fixed number of pairs, by the client's mean length.
"""
_RIDGE = 1e-10
"""Relative ridge, so that controls that do not vary have the coefficient 0. It changes others by less than 1e-8."""


@dataclass(frozen=True, slots=True)
class LevelSpans:
    """The span of each pair, in ascending order. Only pairs of clients (by number) that are `merged` share spans."""

    number: I64
    merged: Bool

    def count(self, first: I64) -> I64:
        """The number of spans of each client. `first` are the clients' first pairs."""
        return np.asarray(np.add.reduceat(np.diff(self.number, prepend=-1) > 0, first, dtype=np.int64))

    def of_several(self) -> I64:
        """The pairs that share their span with others."""
        follows = np.diff(self.number) == 0
        return np.flatnonzero(np.append(False, follows) | np.append(follows, False))

    def means(self, values: F64, seconds: F64, rows: slice | I64 = slice(None)) -> F64:
        """The mean over time of the span of each pair, for values with a row for each pair of `rows`."""
        first, size = self._parts(rows)
        means = np.add.reduceat(values * seconds[:, None], first) / np.add.reduceat(seconds, first)[:, None]
        return np.asarray(np.repeat(means, size, axis=0))

    def alike(self, value: I64, rows: slice, otherwise: int) -> I64:
        """The values of the pairs of `rows`, or `otherwise` in spans with several values."""
        first, size = self._parts(rows)
        least, most = (np.repeat(extreme.reduceat(value, first), size) for extreme in (np.minimum, np.maximum))
        return np.where(least == most, value, otherwise)

    def _parts(self, rows: slice | I64) -> tuple[I64, I64]:
        """The place in `rows` of each span's first pair, and the span's number of pairs. Spans are whole."""
        number = self.number[rows]
        first = np.flatnonzero(np.diff(number, prepend=-1))
        return first, np.diff(np.append(first, len(number)))


def spans_of(end: I64, first: I64, seconds: F64, drop_ppm: F64) -> LevelSpans:
    """The spans of a block's pairs: `end` is the sample that ends each pair, `first` are the clients' first pairs."""
    client = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(end))))
    follows = np.append(False, (np.diff(end) == 1) & (np.diff(client) == 0))
    merged = _are_mixed(client, follows, drop_ppm, seconds, len(first))
    starts = ~follows | np.append(True, drop_ppm[:-1] > 0) | ~merged[client]
    return LevelSpans(np.cumsum(starts), merged)


def _are_mixed(client: I64, follows: Bool, drop_ppm: F64, seconds: F64, clients: int) -> Bool:
    """Whether each client is sampled at level changes and at other moments.

    A level change then divides the time between two other samples in any proportion, and no pair has two changes. If changes are
    only noticed at regular samples, both pairs are about equally long, or some have two changes.
    """
    changed = drop_ppm > 0
    inner = np.zeros(len(client), bool)
    inner[1:-1] = follows[1:-1] & follows[2:] & ~changed[:-2] & changed[1:-1] & ~changed[2:]
    place = np.flatnonzero(inner)
    one, other = seconds[place], seconds[place + 1]
    alike = np.bincount(client[place], np.minimum(one, other) / np.maximum(one, other), clients)
    number = np.bincount(client[place], minlength=clients)
    step = np.full(clients, np.inf)
    np.minimum.at(step, client[changed], drop_ppm[changed])
    several = np.bincount(client, drop_ppm > _SEVERAL * step[client], clients)
    all_changes = np.bincount(client, changed, clients)
    return np.asarray((number >= _LEAST) & (alike < _ALIKE * number) & (several <= _MISSED * all_changes))


@dataclass(frozen=True, slots=True)
class PairRows:
    """Pairs in order of clients: the client of each, seconds and drop in ppm, controls, and the class of its exposure.

    `first` are the first pairs of clients. `screen_ends` is the share of ends with the screen on. With `spans`, drops and
    controls are means over each pair's span.
    """

    first: I64
    seconds: F64
    drop_ppm: F64
    controls: F64
    kind: NDArray[np.intp]
    screen_ends: F64
    screen_known: Bool
    spans: LevelSpans | None = None

    def over_spans(self, spans: LevelSpans) -> PairRows:
        """The same pairs, with drops and controls as means over spans."""
        rows = spans.of_several()
        seconds, drop, controls = self.seconds[rows], self.drop_ppm.copy(), self.controls.copy()
        drop[rows] = spans.means((drop[rows] / seconds)[:, None], seconds, rows)[:, 0] * seconds
        controls[rows] = spans.means(controls[rows], seconds, rows)
        return replace(self, drop_ppm=drop, controls=controls, spans=spans)

    def spanned(self, number: int, share: F64) -> F64:
        """A client's shares (columns are pairs) as means over spans."""
        if self.spans is None or not self.spans.merged[number]:
            return share
        own = self.of_client(number)
        return self.spans.means(share.T, self.seconds[own], own).T

    def alike_in_span(self, number: int, value: I64, otherwise: int) -> I64:
        """A client's values by pair where its whole span has the same one, or `otherwise`."""
        if self.spans is None or not self.spans.merged[number]:
            return value
        return self.spans.alike(value, self.of_client(number), otherwise)

    def of_client(self, number: int) -> slice:
        """The rows of a client."""
        ends = self.first[number + 1] if number + 1 < len(self.first) else len(self.seconds)
        return slice(int(self.first[number]), int(ends))


@dataclass(frozen=True, slots=True)
class Residuals:
    """Pairs after the regression on their controls.

    `left_ppm` is the drop that controls do not explain, and `timed` are the controls times seconds. By client: `inverse` is that
    of Σ T z zᵀ in hours, `square` is Σ left² / T in ppm² per second, and `freedom` are the degrees of freedom.
    """

    left_ppm: F64
    timed: F64
    inverse: F64
    square: F64
    freedom: F64

    def noise(self, number: int | I64, s: F64, w: F64) -> F64:
        """The variance of s = Σ T x̃ r of a client, for a w = Σ T x̃²: by the residuals that an effect s / w leaves."""
        explained = np.divide(s * s, w, out=np.zeros_like(s), where=w > 0)
        return np.asarray(np.maximum(self.square[number] - explained, 0.0) * w / np.maximum(self.freedom[number] - 1, 1.0))


def residuals_of(pairs: PairRows) -> Residuals:
    """Regress each client's rates on its controls, weighted by time."""
    ends = np.append(pairs.first[1:], len(pairs.seconds))
    rows = [slice(low, high) for low, high in zip(pairs.first.tolist(), ends.tolist(), strict=True)]
    timed = pairs.controls * pairs.seconds[:, None]
    gram = np.stack([timed[own].T @ pairs.controls[own] for own in rows]) / 3600
    ridge = (_RIDGE * np.trace(gram, axis1=1, axis2=2))[:, None, None] * np.eye(gram.shape[1])
    inverse = np.linalg.inv(gram + ridge)
    moment = np.stack([pairs.drop_ppm[own] @ pairs.controls[own] for own in rows])
    slope = np.einsum("cij,cj->ci", inverse, moment) / 3600
    left = pairs.drop_ppm - np.concatenate([timed[own] @ slopes for own, slopes in zip(rows, slope, strict=True)])
    square = np.add.reduceat(left * left / pairs.seconds, pairs.first)
    count = ends - pairs.first if pairs.spans is None else pairs.spans.count(pairs.first)
    return Residuals(left, timed, inverse, square, count - np.einsum("cij,cji->c", inverse, gram))


def slowness(pairs: PairRows, at_levels: Bool) -> F64:
    """One divided by the rate near each pair, in seconds per ppm.

    0 for clients that are not `at_levels`, for exact running times, and where the screen's time is unknown: there, its drain is
    not independent of apps.
    """
    client, ends = _clients(pairs), np.append(pairs.first[1:], len(pairs.seconds))
    row, size = np.arange(len(client)), ends - pairs.first
    apart = np.maximum(np.rint((_NEAR_S * size / np.add.reduceat(pairs.seconds, pairs.first) - 1) / 2), 0).astype(np.int64)
    low, high = np.maximum(row - apart[client], pairs.first[client]), np.minimum(row + apart[client] + 1, ends[client])
    seconds, drop = (np.append(0.0, np.cumsum(amount)) for amount in (pairs.seconds, pairs.drop_ppm))
    near_s, near_ppm = seconds[high] - seconds[low], drop[high] - drop[low]
    counts = (near_ppm > 0) & (pairs.kind > 0) & pairs.screen_known & at_levels[client]
    return np.asarray(np.divide(near_s, near_ppm, out=np.zeros(len(row)), where=counts), np.float64)


def slow_drops(pairs: PairRows, left: Residuals, at_levels: Bool) -> F64:
    """Σ of unexplained drops divided by the rate near each pair, by client (rows) and class of pairs, in seconds."""
    slow = left.left_ppm * slowness(pairs, at_levels)
    sums = np.bincount(_clients(pairs) * CLASSES + pairs.kind, slow, len(pairs.first) * CLASSES)
    return np.asarray(sums.reshape(-1, CLASSES), np.float64)


def _clients(pairs: PairRows) -> I64:
    """The number of each pair's client."""
    return np.repeat(np.arange(len(pairs.first)), np.diff(np.append(pairs.first, len(pairs.seconds))))


def shares_of(pairs: PairRows, left: Residuals, number: int, share: F64) -> tuple[F64, F64, F64]:
    """Σ T x z of a client, and its shares x (columns are pairs) without what its controls explain, and without their mean.

    What controls do not explain is a mean over spans.
    """
    own = pairs.of_client(number)
    moment = share @ left.timed[own]
    rest = (left.inverse[number] @ (moment / -3600).T).T @ pairs.controls[own].T
    rest += pairs.spanned(number, share)
    return moment, rest, share - (moment[:, ONE] / pairs.seconds[own].sum())[:, None]


SINGLE = ("pairs", "ran_s", "drop_ppm", "s", "noise", "w_screen", "linked")
BY_CLASS = ("w", "varied", "length", "changed", "slow")
SUMS = (*SINGLE, *(f"{name}{kind}" for name in BY_CLASS for kind in range(CLASSES)))
"""Sums over a client's pairs, by app. *x* is the share of a pair in which the app ran, *x̃* its residual, *d* its deviation from
the client's mean.

- `pairs`, `ran_s` and `drop_ppm`: the number of pairs with the app, Σ T x and Σ D x
- `s` and `noise`: Σ T x̃ r in ppm, and its variance by the client's residuals about its own effect
- `w`, `varied`, `length` and `changed` by class of pairs: Σ T x̃ d, Σ T d², Σ T² d², and Σ T over pairs whose ends differ, divided
  by 4
- `slow` by class of pairs: q(1 − q) times `slow_drops`, with the client's mean q of x
- `w_screen`: the part of w from pairs whose time with the screen on is known
- `linked`: Σ T d times the share of ends with the screen on
"""


def client_sums(pairs: PairRows, left: Residuals, number: int, share: F64, differs: NDArray[np.uint8], slow_s: F64) -> F64:  # noqa: PLR0917
    """`SUMS` of client `number`, a column for each app.

    `share` is how long each app ran in each of its pairs, `differs` is 1 if ends differ, and `slow_s` its `slow_drops`.
    """
    own = pairs.of_client(number)
    seconds, unexplained = pairs.seconds[own], left.left_ppm[own]
    moment, rest, apart = shares_of(pairs, left, number, share)
    ran_s, classes = moment[:, ONE], np.zeros((CLASSES, len(seconds)))
    classes[pairs.kind[own], np.arange(len(seconds))] = seconds
    timed = np.vstack([classes, seconds * pairs.screen_known[own]]) @ (rest * apart).T
    s, w, w_screen = rest @ unexplained, timed[:CLASSES], timed[CLASSES]
    single = [
        (share > 0).astype(np.float32) @ np.ones(len(seconds), np.float32),  # A third of count_nonzero's time.
        ran_s,
        share @ pairs.drop_ppm[own],
        s,
        left.noise(number, s, w.sum(axis=0)),
        w_screen,
        apart @ (seconds * pairs.screen_ends[own]),
    ]
    apart *= apart
    # Four bytes hold a month's seconds exactly, and take half the time.
    changed = classes.astype(np.float32) @ differs.astype(np.float32).T / 4
    mean = ran_s / seconds.sum()
    slow = slow_s[:, None] * (mean * (1 - mean))
    return np.concatenate([single, w, np.vstack([classes, classes * seconds]) @ apart.T, changed, slow])

"""Sums of a client's pairs by app and condition: extra drains, without what running times of strata have in common."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.findings.wanted_apps import StrataRequest
from navitas.fleet.regression.controls import ONE
from navitas.fleet.regression.designs import ClientDesign, PairBlock
from navitas.fleet.regression.pairs import Pairs
from navitas.fleet.regression.within import shares_of
from navitas.fleet.schema import NETWORKS
from navitas.fleet.statistics import F64, I64

SUMS = ("pairs", "seconds", "drop_ppm", "s", "w", "noise")
"""Sums by version and condition. `pairs`, `seconds` and `drop_ppm`: number of pairs, Σ T x and Σ D x.

`s` / `w` is the extra drain in ppm/s, compared with the time in which the app did not run at all, without the drains of other
hogs. `noise` is the variance of `s`.
"""
CHANGING = len(NETWORKS)
"""The network of a pair whose ends differ, or of which one is unknown."""
_SCREEN_CHANGES = 1
_LEAST = 1e-6
"""Least share of the variance of other strata's running times, for which they are separated."""


class Conditions(Protocol):
    """What divides an app's pairs into strata."""

    def of_client(self, block: PairBlock, number: int) -> I64:
        """The condition of each of a client's pairs, which is the same in a whole span: numbers from 0, of two bytes."""
        ...

    def keys(self, condition: I64) -> tuple[I64, ...]:
        """The columns that say what the conditions are."""
        ...


@dataclass(frozen=True, slots=True)
class PairConditions:
    """The number of ends with the screen on, and the network, of the pair that ends at each sample."""

    screen: NDArray[np.int8]
    network: NDArray[np.int8]

    @classmethod
    def of(cls, samples: pa.Table, pairs: Pairs) -> PairConditions:
        """The conditions of an ordered table's pairs."""
        number = np.asarray(pc.fill_null(pc.index_in(samples["network"], pa.array(NETWORKS)), CHANGING).to_numpy(), np.int8)
        before = np.append(np.int8(CHANGING), number[:-1])[: len(number)]
        return cls(pairs.screen, np.where(number == before, number, np.int8(CHANGING)).astype(np.int8))

    def of_client(self, block: PairBlock, number: int) -> I64:
        """As `Conditions.of_client`."""
        end = block.end[block.pairs.of_client(number)]
        screen, network = (
            block.pairs.alike_in_span(number, one[end].astype(np.int64), changing)
            for one, changing in ((self.screen, _SCREEN_CHANGES), (self.network, CHANGING))
        )
        return screen * (CHANGING + 1) + network

    def keys(self, condition: I64) -> tuple[I64, I64]:
        """The screen and the network of conditions."""
        return np.divmod(condition, CHANGING + 1)


@dataclass(frozen=True, slots=True)
class ConditionSums:
    """Sums by condition and column of the shares, in this order. T are the seconds of a pair, *x* its share, *z* its controls.

    *y* is *x* as far as it is reliable.

    - `pairs`, `drop_ppm` and `left_ppm`: the number of pairs with *x* > 0, Σ D x, and Σ L x with a column's left drop L
    - `moment` and `reliable`: Σ T z x and Σ T z y (rows are controls)
    - `own`: Σ T x y, with the mean of *x* over spans
    - `before` and `after`: the same with the *y* of all columns of the app, and with the *x* of all of them
    """

    condition: I64
    column: I64
    pairs: F64
    drop_ppm: F64
    left_ppm: F64
    moment: F64
    reliable: F64
    own: F64
    before: F64
    after: F64

    def only(self, kept: I64) -> ConditionSums:
        """These entries."""
        return replace(self, **{field.name: getattr(self, field.name)[..., kept] for field in fields(self)})


@dataclass(frozen=True, slots=True)
class SharePairs:
    """A client's pairs (rows): their time, drop and time times controls, and for each column, shares and the left drop.

    `spanned` are the shares as means over spans, and `app` is the app of each column.
    """

    seconds: F64
    drop_ppm: F64
    timed: F64
    share: F64
    spanned: F64
    reliable: F64
    left_ppm: F64
    app: I64


def condition_sums(pairs: SharePairs, condition: I64) -> ConditionSums:
    """The sums of conditions and columns that have a pair. `condition` is that of each pair, and the same in a whole span."""
    # numpy sorts numbers of two bytes in linear time.
    order, size = np.argsort(condition.astype(np.int16), kind="stable"), len(pairs.app)
    starts = np.flatnonzero(np.diff(condition[order], prepend=-1))
    alike = (pairs.app[:, None] == pairs.app).astype(np.float64)
    weighted = pairs.seconds[:, None] * pairs.reliable
    amounts = [
        pairs.share > 0,
        pairs.drop_ppm[:, None] * pairs.share,
        pairs.left_ppm * pairs.share,
        pairs.spanned * weighted,
        pairs.spanned * (weighted @ alike),
        (pairs.spanned @ alike) * weighted,
    ]
    added = np.add.reduceat(np.concatenate(amounts, axis=1)[order], starts, axis=0)
    counts, drop, left, own, before, after = added.reshape(len(starts), -1, size).transpose(1, 0, 2).reshape(len(amounts), -1)
    timed, both = pairs.timed[order].T, np.concatenate([pairs.share, pairs.reliable], axis=1)[order]
    ends = zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True)
    moments = np.stack([timed[:, low:high] @ both[low:high] for low, high in ends], axis=1)
    moment, reliable = (moments[:, :, part].reshape(len(timed), -1) for part in (slice(size), slice(size, None)))
    number, column = np.repeat(condition[order[starts]], size), np.tile(np.arange(size), len(starts))
    whole = ConditionSums(number, column, counts, drop, left, moment, reliable, own, before, after)
    return whole.only(np.flatnonzero(counts))


@dataclass(frozen=True, slots=True)
class Strata:
    """The strata of a client. `slope` are those of x on the controls (rows), and `mean` is its mean over time.

    `apart` is Σ T z (y − its mean). `version` and `app` number the versions and apps of strata.
    """

    sums: ConditionSums
    slope: F64
    mean: F64
    apart: F64
    version: I64
    app: I64

    def separated(self, s: F64) -> tuple[F64, F64]:
        """s and w of each stratum, without what its running time has in common with that of the others of its app.

        Those of the same version have one effect, and those of other versions another one.
        """
        own = self.sums.own - self.mean * self.sums.reliable[ONE] - dots(self.slope, self.apart)
        before, after = self._overlaps(self.version, self.sums.own, self.sums.own)
        app_before, app_after = self._overlaps(self.app, self.sums.before, self.sums.after)
        of_version, of_app = _summed(before, self.version), _summed(app_before, self.app)
        version_app, app_version = _summed(app_before, self.version), _summed(app_after, self.version)
        own_others = np.stack([before - own, app_before - before], axis=1)
        others_own = np.stack([after - own, app_after - after], axis=1)
        others = np.empty((len(s), 2, 2))
        others[:, 0, 0] = of_version - before - after + own
        others[:, 0, 1] = version_app - of_version - own_others[:, 1]
        others[:, 1, 0] = app_version - of_version - others_own[:, 1]
        others[:, 1, 1] = of_app - version_app - app_version + of_version
        slope = _slopes(others, own_others, np.maximum(of_app, 1.0))
        version_s, app_s = (_summed(s, group) for group in (self.version, self.app))
        others_s = np.stack([version_s - s, app_s - version_s], axis=1)
        return s - (slope * others_s).sum(axis=1), np.maximum(own - (slope * others_own).sum(axis=1), 0.0)

    def _overlaps(self, group: I64, before: F64, after: F64) -> tuple[F64, F64]:
        """Σ h[i, j] and Σ h[j, i] over the j of a group with i: h[i, j] = Σ T x̃ y with x̃ of i and the reliable deviation y of j.

        `before` and `after` are Σ T x y with the y, and the x, of the group's strata of the same condition. With b the slope of x
        on the controls, h[i, j] = Σ T xᵢ yⱼ − meanⱼ Σ T yᵢ − bᵢ · Σ T z (yⱼ − meanⱼ).
        """
        of_group = (group[:, None] == np.arange(int(group.max(initial=-1)) + 1)).astype(np.float64)
        all_apart, all_slope = (self.apart @ of_group)[:, group], (self.slope @ of_group)[:, group]
        timed = self.sums.reliable[ONE]
        all_mean, all_timed = (_summed(amount, group) for amount in (self.mean, timed))
        return (
            before - all_mean * timed - dots(self.slope, all_apart),
            after - self.mean * all_timed - dots(all_slope, self.apart),
        )


def _slopes(others: F64, own_others: F64, scale: F64) -> F64:
    """The slopes of each stratum's running time on those of two groups of others, of which one or both may not vary."""
    diagonal = np.diagonal(others, axis1=1, axis2=2)
    varied = diagonal > _LEAST * scale[:, None]
    both = varied.all(axis=1)
    one, other = np.where(varied, (1 + _LEAST) * diagonal, 1.0).T
    one_other, other_one = (np.where(both, others[:, i, 1 - i], 0.0) for i in (0, 1))
    own_one, own_other = np.where(varied, own_others, 0.0).T
    slope = [own_one * other - own_other * other_one, own_other * one - own_one * one_other]
    return np.asarray(np.stack(slope, axis=1) / (one * other - one_other * other_one)[:, None])


def _summed(amount: F64, group: I64) -> F64:
    """The sum over each stratum's group."""
    return np.asarray(np.bincount(group, weights=amount)[group], np.float64)


def dots(one: F64, other: F64) -> F64:
    """The scalar product of columns."""
    return np.asarray(np.einsum("ik,ik->k", one, other), np.float64)


def stratum_sums(  # noqa: PLR0917
    block: PairBlock,
    design: ClientDesign,
    app: NDArray[np.int32],
    conditions: Conditions,
    request: StrataRequest,
    columns: I64,
) -> tuple[I64, I64, list[F64]]:
    """The column of the design (version), the condition, and the sums (`SUMS`) of each stratum of some `columns`, at least one.

    `app` is that of each column.
    """
    own = block.pairs.of_client(design.number)
    seconds, controls = block.pairs.seconds[own], block.pairs.controls[own]
    apps, app_of = np.unique(app, return_inverse=True)
    reliability = request.reliability(apps)[:, block.pairs.kind[own]].T
    left = block.left.left_ppm[own, None] - _of_other_hogs(block, design, app_of, reliability, request.effects(apps))
    share, place, timed = design.share[:, columns], app_of[columns], block.left.timed[own]
    spanned, reliable = block.pairs.spanned(design.number, share), reliability[:, place] * share
    rows = SharePairs(seconds, block.pairs.drop_ppm[own], timed, share, spanned, reliable, left[:, place], place)
    sums = condition_sums(rows, conditions.of_client(block, design.number))
    place = place[sums.column]
    slope = block.left.inverse[design.number] @ (sums.moment / 3600)
    mean = sums.moment[ONE] / seconds.sum()
    apart = sums.reliable - mean * (timed.T @ reliability)[:, place]
    strata = Strata(sums, slope, mean, apart, sums.column, place)
    s, weight = strata.separated(sums.left_ppm - dots(slope, (controls.T @ left)[:, place]))
    noise = block.left.noise(design.number, s, weight)
    return columns[sums.column], sums.condition, [sums.pairs, sums.moment[ONE], sums.drop_ppm, s, weight, noise]


def _of_other_hogs(block: PairBlock, design: ClientDesign, app_of: I64, reliability: F64, effect: F64) -> F64:
    """What hogs other than each app (columns) drain in each pair, in ppm."""
    whole = np.minimum(design.share @ (app_of[:, None] == np.arange(len(effect))), 1.0)
    _, rest, _ = shares_of(block.pairs, block.left, design.number, whole)
    drains = block.pairs.seconds[block.pairs.of_client(design.number), None] * reliability * rest * effect
    return np.asarray(drains.sum(axis=1)[:, None] - drains)

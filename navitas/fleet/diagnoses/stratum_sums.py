"""Sums of a client's pairs by app and condition: extra drains, without what running times of strata have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.findings.wanted_apps import StrataRequest
from navitas.fleet.regression.controls import ONE
from navitas.fleet.regression.designs import ClientDesign, PairBlock
from navitas.fleet.regression.pairs import Pairs
from navitas.fleet.regression.within import Residuals, shares_of
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
        end = block.end[block.pairs.of_client(number)]
        screen, network = (
            block.pairs.alike_in_span(number, one[end].astype(np.int64), changing)
            for one, changing in ((self.screen, _SCREEN_CHANGES), (self.network, CHANGING))
        )
        return screen * (CHANGING + 1) + network

    def keys(self, condition: I64) -> tuple[I64, I64]:
        return np.divmod(condition, CHANGING + 1)


@dataclass(frozen=True, slots=True)
class Strata:
    """Sums by client, condition and column of the client's shares. T are the seconds of a pair, *x* its share, *z* its controls.

    *y* is *x* as far as it is reliable. Arrays have a row for each stratum, those of two dimensions a column for each control.

    - `number`: the client's number in its block
    - `pairs` and `drop_ppm`: the number of pairs with *x* > 0, and Σ D x
    - `left_ppm` and `app_left`: Σ L x and Σ L z, with the drop L that neither controls nor hogs other than the app explain
    - `seconds`, `moment` and `reliable`: Σ T, Σ T z x and Σ T z y
    - `app_reliable`: Σ T z times the reliability
    - `slope`: the slopes of *x* on the controls
    - `own`: Σ T x y, with the mean of *x* over spans
    - `before` and `after`: the same with the *y* of all columns of the app, and with the *x* of all of them
    """

    client: I64
    number: I64
    app: NDArray[np.int32]
    package: NDArray[np.int32]
    condition: I64
    pairs: F64
    drop_ppm: F64
    left_ppm: F64
    app_left: F64
    seconds: F64
    moment: F64
    reliable: F64
    app_reliable: F64
    slope: F64
    own: F64
    before: F64
    after: F64

    @classmethod
    def joined(cls, parts: Sequence[Strata]) -> Strata:
        """The strata of several clients that have a pair."""
        columns = {field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)}
        kept = np.flatnonzero(columns["pairs"])
        return cls(**{name: column[kept] for name, column in columns.items()})

    def sums(self, left: Residuals) -> list[F64]:
        """`SUMS` of each stratum, without what its running time has in common with that of the others of its app.

        Those of the same version have one effect, and those of other versions another one.
        """
        mean = self.moment[:, ONE] / self.seconds
        version, app = (_numbered(self.number, numbers) for numbers in (self.package, self.app))
        apart = self.reliable - mean[:, None] * self.app_reliable
        own = self.own - mean * self.reliable[:, ONE] - dots(self.slope, apart)
        before, after = self._overlaps(version, mean, apart, self.own, self.own)
        app_before, app_after = self._overlaps(app, mean, apart, self.before, self.after)
        of_version, of_app = _summed(before, version), _summed(app_before, app)
        version_app, app_version = _summed(app_before, version), _summed(app_after, version)
        own_others = np.stack([before - own, app_before - before], axis=1)
        others_own = np.stack([after - own, app_after - after], axis=1)
        others = np.empty((len(own), 2, 2))
        others[:, 0, 0] = of_version - before - after + own
        others[:, 0, 1] = version_app - of_version - own_others[:, 1]
        others[:, 1, 0] = app_version - of_version - others_own[:, 1]
        others[:, 1, 1] = of_app - version_app - app_version + of_version
        slope = _slopes(others, own_others, np.maximum(of_app, 1.0))
        s = self.left_ppm - dots(self.slope, self.app_left)
        version_s, app_s = (_summed(s, group) for group in (version, app))
        others_s = np.stack([version_s - s, app_s - version_s], axis=1)
        s = s - dots(slope, others_s)
        w = np.maximum(own - dots(slope, others_own), 0.0)
        return [self.pairs, self.moment[:, ONE], self.drop_ppm, s, w, left.noise(self.number, s, w)]

    def _overlaps(self, group: I64, mean: F64, apart: F64, before: F64, after: F64) -> tuple[F64, F64]:
        """Σ h[i, j] and Σ h[j, i] over the j of a group with i: h[i, j] = Σ T x̃ y with x̃ of i and the reliable deviation y of j.

        `before` and `after` are Σ T x y with the y, and the x, of the group's strata of the same condition. With b the slope of x
        on the controls, h[i, j] = Σ T xᵢ yⱼ − meanⱼ Σ T yᵢ − bᵢ · Σ T z (yⱼ − meanⱼ). `apart` is Σ T z (y − `mean`).
        """
        timed = self.reliable[:, ONE]
        return (
            before - _summed(mean, group) * timed - dots(self.slope, _summed(apart, group)),
            after - mean * _summed(timed, group) - dots(_summed(self.slope, group), apart),
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


def _numbered(client: I64, of_client: NDArray[np.int32]) -> I64:
    """A number for each client's value, without gaps."""
    return np.unique(client * (1 + of_client.max(initial=0)) + of_client, return_inverse=True)[1]


def _summed(amount: F64, group: I64) -> F64:
    """The sum over the rows of each row's group. Groups are numbered without gaps."""
    order = np.argsort(group, kind="stable")
    return np.asarray(np.add.reduceat(amount[order], np.flatnonzero(np.diff(group[order], prepend=-1)), axis=0)[group])


def dots(one: F64, other: F64) -> F64:
    """The scalar product of rows."""
    return np.asarray(np.einsum("ik,ik->i", one, other), np.float64)


def client_strata(  # noqa: PLR0917
    block: PairBlock,
    design: ClientDesign,
    app: NDArray[np.int32],
    package: NDArray[np.int32],
    conditions: Conditions,
    request: StrataRequest,
    columns: I64,
) -> Strata:
    """The strata of some `columns` of a client's design, at least one. `app` and `package` are those of each column."""
    own = block.pairs.of_client(design.number)
    seconds, drop, timed = block.pairs.seconds[own], block.pairs.drop_ppm[own], block.left.timed[own].T
    apps, app_of = np.unique(app, return_inverse=True)
    reliability = request.reliability(apps)[:, block.pairs.kind[own]]
    left = block.left.left_ppm[own] - _of_other_hogs(block, design, app_of, reliability, request.effects(apps))
    share, place = design.share[columns], app_of[columns]
    spanned = block.pairs.spanned(design.number, share)
    condition = conditions.of_client(block, design.number)
    # numpy sorts numbers of two bytes in linear time.
    order = np.argsort(condition.astype(np.int16), kind="stable")
    starts = np.flatnonzero(np.diff(condition[order], prepend=-1))
    rows = np.concatenate([timed, drop[None], left, seconds * spanned]).take(order, axis=1)
    both = np.concatenate([share, reliability[place] * share]).take(order, axis=1)
    ends = zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True)
    sums = np.stack([rows[:, low:high] @ both[:, low:high].T for low, high in ends])
    size, controls = len(columns), len(timed)
    by_control = sums[:, :controls].transpose(0, 2, 1)
    moment = by_control[:, :size].reshape(-1, controls)
    products = sums[:, controls + 1 + len(apps) :, size:]
    of_app = products * (place[:, None] == place)
    app_of_row = np.tile(place, len(starts))
    return Strata(
        client=np.full(len(moment), design.client),
        number=np.full(len(moment), design.number),
        app=apps[app_of_row],
        package=np.tile(package[columns], len(starts)),
        condition=np.repeat(condition[order[starts]], size),
        pairs=np.add.reduceat(both[:size] > 0, starts, axis=1, dtype=np.float64).T.ravel(),
        drop_ppm=sums[:, controls, :size].ravel(),
        left_ppm=sums[:, controls + 1 + place, np.arange(size)].ravel(),
        app_left=(left @ block.pairs.controls[own])[app_of_row],
        seconds=np.full(len(moment), seconds.sum()),
        moment=moment,
        reliable=by_control[:, size:].reshape(-1, controls),
        app_reliable=(reliability @ timed.T)[app_of_row],
        slope=moment @ (block.left.inverse[design.number] / 3600),
        own=np.diagonal(products, axis1=1, axis2=2).ravel(),
        before=of_app.sum(axis=2).ravel(),
        after=of_app.sum(axis=1).ravel(),
    )


def _of_other_hogs(block: PairBlock, design: ClientDesign, app_of: I64, reliability: F64, effect: F64) -> F64:
    """What hogs other than each app (rows) drain in each pair, in ppm."""
    whole = np.minimum((np.arange(len(effect))[:, None] == app_of) @ design.share, 1.0)
    _, rest, _ = shares_of(block.pairs, block.left, design.number, whole)
    drains = block.pairs.seconds[block.pairs.of_client(design.number)] * reliability * rest * effect[:, None]
    return np.asarray(drains.sum(axis=0) - drains)

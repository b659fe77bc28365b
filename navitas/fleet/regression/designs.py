"""Samples → the within-client regression of each client: its pairs, their controls, and how long each app ran in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.regression.controls import ControlColumns
from navitas.fleet.regression.exposure import classes_of
from navitas.fleet.regression.memberships import ClientApps, client_blocks, first_samples, matrices
from navitas.fleet.regression.pairs import ClientSamples, Pairs, RunLists
from navitas.fleet.regression.within import PairRows, Residuals, residuals_of, spans_of
from navitas.fleet.statistics import F64, I64, Bool

_LONGEST = 1 << 14
"""Most samples of a client that are regressed together. More are split, to limit memory; the pair between two parts is lost."""
_AT_STEP, _AT_ZERO, _LEAST_PAIRS = 0.8, 0.05, 10
_CHANCE = 0.01
"""An app runs only with the screen on if it is seen so on a client without exception, and chance would do that more rarely."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers in lists are below `size`. `app_of` maps them to apps, of which several can be versions of one.

    `order` has all numbers, in order of apps.
    """

    size: int
    order: I64 | None = None
    app_of: NDArray[np.int32] | None = None


@dataclass(frozen=True, slots=True)
class ClientDesign:
    """One client in a block of pairs. `share` has a row for each app and a column for each pair: how long it ran.

    `differs` is 1 where the ends differ and the share is not exact. `lists` has the client's samples from its number `begin` on.
    """

    client: int
    number: int
    app: NDArray[np.int32]
    share: F64
    differs: NDArray[np.uint8]
    lists: ClientApps
    begin: int


@dataclass(frozen=True, slots=True)
class PairBlock:
    """The pairs of some clients, and what their controls leave unexplained. `end` is the sample that ends each pair.

    `at_levels` says which clients are sampled at changes of their level, `lit` the share of time with the screen on, or NaN.
    """

    pairs: PairRows
    left: Residuals
    end: I64
    at_levels: Bool
    lit: F64


def blocks(
    table: pa.Table, samples: ClientSamples, pairs: Pairs, runs: RunLists, numbers: Numbers, *, with_trend: bool = False
) -> Iterator[tuple[PairBlock, Iterator[ClientDesign]]]:
    """Yield blocks of clients with pairs, each with its clients. Samples are in order.

    Controls include slow changes only `with_trend`.
    """
    group, starts = _groups(samples.client)
    counts = pairs.counts & ~starts
    columns = ControlColumns.of(table, samples.screen, samples.time_s, with_trend=with_trend)
    for part in client_blocks(group, runs.apps.offset, numbers.size):
        end = part.start + np.flatnonzero(counts[part])
        if len(end):
            block = _block(columns, pairs, runs, group, end)
            yield block, _clients(block, samples, group, runs, numbers, part)


def _groups(client: I64) -> tuple[I64, Bool]:
    """A number for each group of samples that is regressed together, and whether a sample is the first of its group."""
    first = first_samples(client)
    place = np.arange(len(client)) - np.repeat(first, np.diff(np.append(first, len(client))))
    starts = place % _LONGEST == 0
    return np.cumsum(starts), starts


def _block(columns: ControlColumns, pairs: Pairs, runs: RunLists, group: I64, end: I64) -> PairBlock:
    controls, screen_ends, lit = columns.of_pairs(end)
    seconds = pairs.seconds[end]
    rows = PairRows(
        first_samples(group[end]),
        seconds.astype(np.float64),
        pairs.drop_ppm[end].astype(np.float64),
        controls,
        classes_of(seconds, runs.running_known[end] & runs.running_known[end - 1]),
        screen_ends,
        np.isfinite(lit),
    )
    at_levels = _at_levels(rows)
    spans = spans_of(end, rows.first, rows.seconds, rows.drop_ppm)
    if spans.merged.any():
        rows = rows.over_spans(spans)
    return PairBlock(rows, residuals_of(rows), end, at_levels, lit)


def _clients(  # noqa: PLR0917
    block: PairBlock, samples: ClientSamples, group: I64, runs: RunLists, numbers: Numbers, part: slice
) -> Iterator[ClientDesign]:
    first = block.pairs.first
    last = np.append(first[1:], len(block.end))
    number_of = {int(group[block.end[low]]): number for number, low in enumerate(first.tolist())}
    for own in matrices(group[part], [lists.of(part) for lists in runs.kinds()], numbers.size, numbers.order):
        begin = part.start + own.samples.start
        number = number_of.get(int(group[begin]))
        if number is not None:
            pairs = slice(first[number], last[number])
            end, screen = block.end[pairs], samples.screen[begin : part.start + own.samples.stop]
            apps = own if numbers.app_of is None else own.merged(numbers.app_of)
            share, differs = _shares(apps, runs, end, end - begin, block.pairs.seconds[pairs], block.lit[pairs], screen)
            before = begin - int(np.searchsorted(samples.client, samples.client[begin]))
            yield ClientDesign(int(samples.client[begin]), number, apps.app, share, differs, own, before)


def _shares(  # noqa: PLR0917
    own: ClientApps, runs: RunLists, end: I64, row: I64, seconds: F64, lit: F64, screen: Bool
) -> tuple[F64, NDArray[np.uint8]]:
    """How long each app ran in each pair: by its counter, or else at how many ends, but as long as it was in the foreground.

    An app that runs only with the screen on ran at so many of the ends with it, times the share of time with it (`lit`).
    """
    at, *counters = own.values
    present = np.asarray(at, np.uint8)
    ends = np.take(present[:, :-1] + present[:, 1:], row - 1, axis=1)
    share, differs = ends * np.float64(0.5), ends & np.uint8(1)
    known, lit_ends = np.isfinite(lit), np.add(screen[row - 1], screen[row], dtype=np.float64)
    only_lit = _run_only_lit(present, screen)
    share[only_lit] *= np.where(known, 2 * lit / np.maximum(lit_ends, 1.0), 1.0)
    differs[only_lit] *= ~known | (lit_ends > 1)
    kinds = [(runs.foreground, runs.foreground_known), (runs.running, runs.running_known)]
    for (lists, are_known), counter in zip([kind for kind in kinds if kind[0] is not None], reversed(counters), strict=True):
        pairs = np.flatnonzero(are_known[end] & are_known[end - 1])
        timed = (counter[:, row[pairs]] - counter[:, row[pairs] - 1]) / (1000 * seconds[pairs])
        fits = (timed >= 0) & (timed <= 1 + 2 / seconds[pairs])
        timed, is_exact, seen = np.minimum(timed, 1.0), lists is runs.running, share[:, pairs]
        share[:, pairs] = np.where(fits, timed if is_exact else np.maximum(timed, seen), seen)
        differs[:, pairs] *= ~(fits & is_exact)
    return share, differs


def _run_only_lit(present: NDArray[np.uint8], screen: Bool) -> Bool:
    """Whether each app (rows) runs only with the screen on, by a client's samples (columns)."""
    seen = present.sum(axis=1, dtype=np.uint16)  # At most `_LONGEST`.
    return np.asarray(~(present & ~screen).any(axis=1) & ((np.count_nonzero(screen) / len(screen)) ** seen < _CHANCE), np.bool_)


def _at_levels(pairs: PairRows) -> Bool:
    """Whether each client is sampled at changes of its level: nearly all its pairs have one step, and hardly any has none."""
    drop, size = pairs.drop_ppm, np.diff(np.append(pairs.first, len(pairs.drop_ppm)))
    step = np.minimum.reduceat(np.where(drop > 0, drop, np.inf), pairs.first)
    none, one = (np.add.reduceat(where, pairs.first) for where in (drop == 0, drop == np.repeat(step, size)))
    return np.asarray((size >= _LEAST_PAIRS) & (one >= _AT_STEP * size) & (none <= _AT_ZERO * size))

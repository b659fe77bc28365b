"""Spans from one level change to the next, for phones that are sampled at level changes and by a timer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.fleet.regression.exposure import classes_of
from navitas.fleet.regression.within import LevelSpans, PairRows, residuals_of, spans_of
from navitas.fleet.statistics import F64, I64

STEP_PPM = 50_000.0
TIMER_S = 900.0


@dataclass(frozen=True)
class Phone:
    """Samples of a phone that never charges: time and reported drop of each, and the share of each pair with the screen on."""

    time_s: F64
    drop_ppm: F64
    lit: F64

    def rows(self) -> tuple[I64, I64, F64, F64]:
        """What `spans_of` takes."""
        return np.arange(1, len(self.time_s)), np.array([0]), np.diff(self.time_s), np.diff(self.drop_ppm)


def phone(*, at_levels: bool, at_timer: bool) -> Phone:
    """A phone drains 10 ppm/s, and 30 ppm/s more in screen sessions of ten minutes on average."""
    chance = np.random.default_rng(5)
    edges = np.append(0.0, np.cumsum(np.column_stack([chance.exponential(3000, 4000), chance.exponential(600, 4000)]).ravel()))
    on = np.arange(len(edges) - 1) % 2
    used = np.append(0.0, np.cumsum(np.diff(edges) * (10 + 30 * on)))
    lit = np.append(0.0, np.cumsum(np.diff(edges) * on))
    times = []
    if at_levels:
        times.append(np.interp(np.arange(STEP_PPM, used[-1], STEP_PPM), used, edges) + 1e-3)
    if at_timer:
        times.append(np.arange(TIMER_S, edges[-1], TIMER_S))
    if at_levels and at_timer:
        times.append(edges[1:-1:4])  # Some starts of sessions.
    time_s = np.sort(np.concatenate(times))
    reported = np.floor(np.interp(time_s, edges, used) / STEP_PPM) * STEP_PPM
    return Phone(time_s, reported, np.diff(np.interp(time_s, edges, lit)) / np.diff(time_s))


def screen_ppm_s(of: Phone, spans: LevelSpans | None) -> float:
    """The screen's drain, by a regression of the rates of pairs on their share with the screen on."""
    _, first, seconds, drop = of.rows()
    size = len(seconds)
    kind = classes_of(seconds.astype(np.int64), np.zeros(size, bool))
    controls = np.column_stack([np.ones(size), np.zeros(size)])
    pairs = PairRows(first, seconds, drop, controls, kind, np.zeros(size), np.ones(size, bool))
    pairs = pairs if spans is None else pairs.over_spans(spans)
    left = residuals_of(pairs)
    share = pairs.spanned(0, of.lit[None])[0]
    apart = share - np.average(share, weights=seconds)
    return float(left.left_ppm @ apart / (seconds * apart * apart).sum())


def test_a_screen_drains_as_much_as_it_does_although_other_samples_are_rounded() -> None:
    mixed = phone(at_levels=True, at_timer=True)
    spans = spans_of(*mixed.rows())
    assert spans.merged.tolist() == [True]
    assert screen_ppm_s(mixed, None) > 33
    assert screen_ppm_s(mixed, spans) == pytest.approx(30, abs=1.5)


@pytest.mark.parametrize(("at_levels", "at_timer"), [(True, False), (False, True)])
def test_phones_that_are_sampled_in_one_way_keep_their_pairs(at_levels: bool, at_timer: bool) -> None:
    of = phone(at_levels=at_levels, at_timer=at_timer)
    spans = spans_of(*of.rows())
    assert not spans.merged.any()
    assert (np.diff(spans.number) == 1).all()
    assert screen_ppm_s(of, None) == pytest.approx(30, abs=3)


def test_a_span_ends_at_a_level_change_and_where_a_pair_is_missing() -> None:
    mixed = phone(at_levels=True, at_timer=True)
    end, first, seconds, drop = mixed.rows()
    kept = np.delete(np.arange(len(end)), 100)
    number = spans_of(end[kept], first, seconds[kept], drop[kept]).number
    starts = np.flatnonzero(np.diff(number)) + 1
    assert set(starts.tolist()) == {*(np.flatnonzero(drop[kept][:-1] > 0) + 1).tolist(), 100}


def test_a_condition_is_that_of_whole_spans() -> None:
    spans = LevelSpans(np.array([0, 1, 1, 2, 3, 3]), np.array([True]))
    assert spans.alike(np.array([4, 5, 5, 6, 7, 8]), slice(None), -1).tolist() == [4, 5, 5, 6, -1, -1]
    assert spans.alike(np.array([5, 6]), slice(2, 4), -1).tolist() == [5, 6]


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 9000), st.integers(-5, 5)), min_size=1, max_size=40))
def test_means_over_spans_keep_sums_over_time(rows: list[tuple[int, int, int]]) -> None:
    starts, seconds, values = (np.array(column, float) for column in zip(*rows, strict=True))
    spans = LevelSpans(np.cumsum(starts).astype(np.int64), np.array([True]))
    means = spans.means(values[:, None], seconds)[:, 0]
    assert (means * seconds).sum() == pytest.approx((values * seconds).sum(), abs=1e-6)
    for one in np.unique(spans.number):
        own = spans.number == one
        assert np.ptp(means[own]) == 0
        assert means[own][0] == pytest.approx(np.average(values[own], weights=seconds[own]))
    assert spans.count(np.array([0])).tolist() == [len(np.unique(spans.number))]

"""Warnings about the repeats of one recording: runs that do not count, single runs that differ, and a drift."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, compress
from math import exp, log, sqrt
from statistics import median

import numpy as np

from navitas.analyze.counted import repeat_totals
from navitas.analyze.profile import Profile
from navitas.analyze.records import Notice, TestEnergy
from navitas.analyze.repeats import Repeats
from navitas.analyze.unsteady import MORE, listed, name_of_test

LEAST_RUNS = 5
"""With fewer runs, no run is called an outlier."""
LEAST_DRIFT_RUNS = 6
_SCALED_MAD = 1.4826
"""The standard deviation of a normal distribution, divided by its median absolute deviation."""
_LIMIT = 3.5
"""Source: Iglewicz and Hoaglin 1993, "How to Detect and Handle Outliers"."""
_LEAST_DIFFERENCE = 0.05
_LEAST_DRIFT = 0.03
_DRIFT_Z = 2.576
_MOST_VALUES = 200


def repeats_notices(profile: Profile) -> Iterator[Notice]:
    """Yield at most one warning of each kind. A single repeat has none."""
    if len({test.repeat for test in profile.tests}) == 1:
        return
    groups = profile.repeats()
    yield from _unfit(profile.tests, groups)
    yield from _outliers(groups)
    yield from _drift(profile)


def _unfit(tests: Sequence[TestEnergy], groups: Sequence[Repeats]) -> Iterator[Notice]:
    """Yield a warning that names the runs that do not count, except warm-ups. Starved runs have a warning of their own."""
    found = [test for test in tests if set(test.unfit) - {"warmup"}]
    if not found:
        return
    all_unfit = [group for group in groups if all(test.unfit for test in group.tests)]
    named = [f"{name_of_test(test)} (run {test.repeat + 1}: {', '.join(test.unfit)})" for test in found]
    message = f"runs that do not count in medians and intervals: {listed(named)}"
    if all_unfit:
        names = listed([name_of_test(group.tests[0]) for group in all_unfit])
        message = f"{message}; since no run of these is fit, all count: {names}"
    yield Notice.with_code("unfit_runs", message, f"Record again on an idle and cool device. {MORE}")


def outliers(group: Repeats) -> list[tuple[TestEnergy, float]]:
    """Return the runs of a test that differ from the others, with their energy as a multiple of the median.

    Of at least 5 runs that count, those whose logarithm is further from the median than 3.5 standard deviations, estimated from
    the median absolute deviation, and that differ by more than 5 %.
    """
    counts = group.energy_j.counts or (True,) * len(group.tests)
    counted = list(compress(group.tests, counts))
    if len(counted) < LEAST_RUNS or min(test.energy_j for test in counted) <= 0:
        return []
    logs = [log(test.energy_j) for test in counted]
    middle = median(logs)
    sigma = _SCALED_MAD * median(abs(value - middle) for value in logs)
    return [
        (test, exp(value - middle))
        for test, value in zip(counted, logs, strict=True)
        if abs(value - middle) > max(_LIMIT * sigma, log(1 + _LEAST_DIFFERENCE))
    ]


def _outliers(groups: Sequence[Repeats]) -> Iterator[Notice]:
    found = [each for group in groups for each in outliers(group)]
    if found:
        found.sort(key=lambda each: -abs(log(each[1])))
        named = [f"{name_of_test(test)} (run {test.repeat + 1}: {ratio:.2f} × the median)" for test, ratio in found]
        message = f"single runs differ from the others: {listed(named)}; they count"
        yield Notice.with_code("outliers", message, f"Find out what happened in these runs, or record again. {MORE}")


def drift(values: Sequence[float]) -> float | None:
    """Return the relative change from the first to the last value, if there is a trend; None otherwise.

    A trend has at least 3 % and a two-sided p below 0.01, by the test of Mann (1945, doi:10.2307/1907187) and Kendall. Its
    slope is the median of all slopes (Sen 1968, doi:10.1080/01621459.1968.10480934).
    """
    if len(values) < LEAST_DRIFT_RUNS or min(values) <= 0:
        return None
    values = _thinned(values)
    count = len(values)
    pairs = [(second - first, log(values[second] / values[first])) for first, second in combinations(range(count), 2)]
    score = sum((change > 0) - (change < 0) for _, change in pairs)
    sigma = sqrt(count * (count - 1) * (2 * count + 5) / 18)
    change = exp(median(change / distance for distance, change in pairs) * (count - 1)) - 1
    return change if abs(change) >= _LEAST_DRIFT and (abs(score) - 1) / sigma > _DRIFT_Z else None


def _thinned(values: Sequence[float]) -> Sequence[float]:
    """Return means of neighbours, if there are many values: all pairs of them are compared."""
    blocks = np.array_split(np.array(values), min(len(values), _MOST_VALUES))
    return [float(block.mean()) for block in blocks]


def _drift(profile: Profile) -> Iterator[Notice]:
    totals = repeat_totals(profile.tests)
    change = drift(list(totals.values()))
    if change is not None:
        message = f"the energy of all tests drifts: {100 * change:+.0f} % from the first to the last of {len(totals)} repeats"
        remedy = "Let the device reach a steady state first (--warmup), and compare versions in turns (--against)."
        yield Notice.with_code("drift", message, f"{remedy} {MORE}")

"""Warnings about tests whose energy isn't reproducible: they waited for a CPU, their pace changed, runs differ or drift."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, compress
from math import exp, log, sqrt
from statistics import median

import numpy as np

from navitas.base.units import counted
from navitas.energy.analyze.cpu_use import CpuUse
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import Notice, TestEnergy
from navitas.energy.analyze.repeats import Pace, Repeats
from navitas.energy.analyze.spread import repeat_totals

MIN_PACE_RATIO = 1.5
MIN_EXTRA_NS = 100_000_000
MORE = "See docs/unsteady-tests.md."
_MAX_NAMED = 3
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


def name_of_test(test: TestEnergy) -> str:
    """Return a test's class and method."""
    return f"{test.class_name}#{test.method}"


def listed(named: Sequence[str]) -> str:
    """Return the first of these, and the number of the others."""
    more = f"; and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
    return f"{'; '.join(named[:_MAX_NAMED])}{more}"


def unsteady(profile: Profile) -> Iterator[Notice]:
    """Yield at most one warning about starved tests, and one about tests whose pace changed."""
    yield from _starved(profile)
    yield from _pace_changed(profile)


def _starved(profile: Profile) -> Iterator[Notice]:
    """Yield a warning that names each starved test with its most starved run."""
    worst: dict[tuple[str, str, str], tuple[int, TestEnergy, CpuUse]] = {}
    for test in profile.tests:
        use = profile.cpu_use(test)
        starved_ns = use.starved_ns or 0
        key = (test.module, test.class_name, test.method)
        if use.is_starved and (key not in worst or starved_ns > worst[key][0]):
            worst[key] = (starved_ns, test, use)
    if not worst:
        return
    named = [
        f"{name_of_test(test)} (run {test.repeat + 1}) ran for {_time(use.cpu_ns)} and waited {_time(starved_ns)}"
        for starved_ns, test, use in sorted(worst.values(), key=lambda each: -each[0])
    ]
    if profile.about.device.get("kind") == "virtual":
        busy = "other programs kept this computer busy"
        remedy = "Stop other programs on this computer and record again."
    else:
        busy = "other apps kept the phone busy"
        remedy = "Close other apps, let the phone cool down, keep the app in the foreground, and record again."
    count = counted(len(named), "test")
    message = f"{busy}, so {count} waited for a CPU. On an idle device, the energy would differ. Longest waits: {listed(named)}"
    yield Notice.with_code("starved", message, f"{remedy} {MORE}")


def _pace_changed(profile: Profile) -> Iterator[Notice]:
    found = []
    for pace in map(profile.pace, (repeats for repeats in profile.repeats() if len(repeats.tests) > 1)):
        cpu_ns = [use.cpu_ns for use in pace.whole]
        extra_ns = max(cpu_ns) - min(cpu_ns)
        if extra_ns >= MIN_EXTRA_NS and (pace.cpu_ratio or 0.0) >= MIN_PACE_RATIO:
            found.append((extra_ns, pace))
    if not found:
        return
    found.sort(key=lambda each: -each[0])
    message = f"the pace of tests changed between repeats: {listed([_changed(pace) for _, pace in found])}"
    yield Notice.with_code(
        "pace_changed", message, f"Compare medians of more repeats (--repeat), or make the test steadier. {MORE}"
    )


def _changed(pace: Pace) -> str:
    """Describe how the repeats of a test differ."""
    cpu_ns, calls = [use.cpu_ns for use in pace.whole], [use.calls for use in pace.whole]
    took = f"{_time(min(cpu_ns))} to {_time(max(cpu_ns))} of CPU time ({pace.cpu_ratio:.1f} ×)"
    name = name_of_test(pace.repeats.tests[0])
    if not any(calls):
        return f"{name} took {took}"
    if pace.same_calls:
        return f"the same calls of {name} took {took}"
    return f"{name} made {min(calls):,} to {max(calls):,} calls in {took}"


def _time(ns: int) -> str:
    return f"{ns / 1e9:.2f} s" if ns >= 1_000_000_000 else f"{ns / 1e6:.0f} ms"


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
    counted_anyway = {test.rows for group in all_unfit for test in group.tests}
    left_out = [
        f"{name_of_test(test)} (run {test.repeat + 1}: {', '.join(test.unfit)})"
        for test in found
        if test.rows not in counted_anyway
    ]
    messages = [f"medians and intervals leave out these runs: {listed(left_out)}"] if left_out else []
    if all_unfit:
        names = listed([name_of_test(group.tests[0]) for group in all_unfit])
        messages.append(f"these tests have only runs that should not count, so all of their runs count: {names}")
    message = ". ".join(messages)
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
        message = f"single runs differ from the others: {listed(named)}. They count, too"
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

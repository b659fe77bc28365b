"""Energy of tests in the Bencher Metric Format, for https://bencher.dev (`bencher run --adapter json`)."""

from __future__ import annotations

from typing import IO

from navitas.base.json_text import Inline, json_chunks
from navitas.base.untrusted_text import escaped
from navitas.energy.analyze.names import test_label
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.spread import Interval
from navitas.report.figure_notes import energy_interval
from navitas.report.format import Format


def write(profile: Profile, out: IO[str]) -> None:
    """Write the median energy of each test and of the app in it, in joules, with the ends of their 95 % intervals."""
    benchmarks = {}
    for group in profile.repeats():
        benchmarks[escaped(test_label(group.typical))] = {
            "energy-joules": _metric(group.median_j, energy_interval(profile, group)),
            "app-energy-joules": _metric(group.app_j.median, profile.app_interval(group)),
        }
    out.writelines(json_chunks(benchmarks))
    out.write("\n")


FORMAT = Format("bmf", ".bmf.json", "energy of tests for Bencher", write)


def _metric(value_j: float, interval: Interval) -> Inline:
    return Inline(value=value_j, lower_value=interval.low, upper_value=interval.high)

"""Energy of tests and methods as OpenMetrics 1.0 text, for Prometheus and what reads its format.

All metrics are gauges: another recording can have less energy, and a figure can be slightly negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import IO, TypeVar

from navitas import __version__
from navitas.base.untrusted_text import escaped
from navitas.energy.analyze.names import MethodNames, test_label
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.repeats import Repeats
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.method_figures import MethodFigures
from navitas.report.figure_notes import energy_interval
from navitas.report.format import Format

T = TypeVar("T")
OTHER = "other"
"""The label of the sum of what is not among the tests or methods with the most energy."""
_HALF = "Half of the width of the 95 % interval of the"


def write(profile: Profile, out: IO[str], *, top: int = 20) -> None:
    """Write joules by component, test and method, with half of the width of 95 % intervals.

    Tests are medians of the runs that count, and methods their parts.

    The `top` tests and methods with the most energy have series of their own; `OTHER` has the sum of all others.
    """
    components = zip(map(escaped, profile.components), profile.totals.components, strict=True)
    lines = [*_info(profile), *_gauge("energy_joules", "All energy of the recording.", "component", components)]
    half_j = profile.total_error().half_width_j
    lines += _gauge("energy_half_width_joules", f"{_HALF} energy of the recording.", None, [("", half_j)])
    tests = sorted(profile.repeats(), key=lambda group: -group.app_j.median)
    for name, text, figure in _TESTS:
        values = _bounded(tests, top, _test_label, partial(figure, profile), has_sum="half_width" not in name)
        lines += _gauge(f"test_{name}", text, "test", values)
    names = MethodNames(profile.method_table)
    measured = [method for method in Figures(profile).methods if method.total.known(method.self_j) is not None]
    for name, text, of_method in _METHODS:
        values = _bounded(measured, top, partial(_method_label, names), of_method, has_sum="half_width" not in name)
        lines += _gauge(f"method_{name}", text, "method", values)
    out.writelines(f"{line}\n" for line in (*lines, "# EOF"))


FORMAT = Format("openmetrics", ".prom", "energy of tests and methods for Prometheus", write, options=("top",))


_TESTS: tuple[tuple[str, str, Callable[[Profile, Repeats], float]], ...] = (
    ("energy_joules", "Energy of the device in a test.", lambda _, group: group.median_j),
    (
        "energy_half_width_joules",
        f"{_HALF} energy of the device in a test.",
        lambda profile, group: energy_interval(profile, group).half_width,
    ),
    ("app_energy_joules", "Energy of the app's threads in a test.", lambda _, group: group.app_j.median),
    (
        "app_energy_half_width_joules",
        f"{_HALF} energy of the app's threads in a test.",
        lambda profile, group: profile.app_interval(group).half_width,
    ),
    ("duration_seconds", "Time from a test's start to its end.", lambda _, group: group.typical.wall_ns / 1e9),
)
_METHODS: tuple[tuple[str, str, Callable[[MethodFigures], float]], ...] = (
    ("self_energy_joules", "Self energy of a method in all tests.", lambda method: method.self_j),
    ("self_energy_half_width_joules", f"{_HALF} self energy of a method.", lambda method: method.interval.half_width),
)


def _method_label(names: MethodNames, method: MethodFigures) -> str:
    return escaped(names.label(method.total.id) + method.total.method.descriptor)


def _test_label(group: Repeats) -> str:
    return escaped(test_label(group.typical))


def _bounded(
    records: Sequence[T], most: int, label: Callable[[T], str], figure: Callable[[T], float], *, has_sum: bool
) -> Iterable[tuple[str, float]]:
    """Return the figures of the first records by label, and the sum of the others if `has_sum`.

    Figures of the same label add up. For half-widths, that supposes that errors depend fully on each other: the widest case.
    """
    sums: dict[str, float] = {}
    for record in records[:most]:
        sums[label(record)] = sums.get(label(record), 0.0) + figure(record)
    if has_sum and len(records) > most:
        sums[OTHER] = sum(map(figure, records[most:]))
    return sums.items()


def _info(profile: Profile) -> list[str]:
    about = profile.about
    texts = {
        "project": profile.project,
        "model": str(about.device.get("model") or ""),
        "created_utc": about.created_utc,
        "navitas_version": __version__,
    }
    labels = ",".join(f'{name}="{_label(escaped(text))}"' for name, text in texts.items())
    return [
        "# HELP navitas_recording The recording that the figures are of.",
        "# TYPE navitas_recording info",
        f"navitas_recording_info{{{labels}}} 1",
    ]


def _gauge(name: str, text: str, label: str | None, values: Iterable[tuple[str, float]]) -> list[str]:
    """Return the lines of a metric. Its name ends with its unit."""
    metric = f"navitas_{name}"
    head = [f"# HELP {metric} {text}", f"# TYPE {metric} gauge", f"# UNIT {metric} {name.rpartition('_')[2]}"]
    return head + [
        f"{metric} {value:.12g}" if label is None else f'{metric}{{{label}="{_label(key)}"}} {value:.12g}'
        for key, value in values
    ]


def _label(text: str) -> str:
    """Return a label's value as it is written. `escaped` has already replaced line feeds."""
    return text.replace("\\", "\\\\").replace('"', '\\"')

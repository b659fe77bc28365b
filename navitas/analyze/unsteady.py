"""Warnings about tests whose energy isn't reproducible: they waited for a CPU, or their pace changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from navitas.analyze.cpu_use import CpuUse
from navitas.analyze.profile import Profile
from navitas.analyze.records import Notice, TestEnergy
from navitas.analyze.repeats import Pace
from navitas.counts import counted

MIN_PACE_RATIO = 1.5
MIN_EXTRA_NS = 100_000_000
MORE = "See docs/unsteady-tests.md."
_MAX_NAMED = 3


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
        f"{name_of_test(test)} (run {test.repeat + 1}) ran for {_time(use.cpu_ns)} and waited {_time(starved_ns)},"
        f" {100 * (use.starved_share or 0.0):.0f} % of the CPU time it wanted"
        for starved_ns, test, use in sorted(worst.values(), key=lambda each: -each[0])
    ]
    if profile.about.device.get("kind") == "virtual":
        place = "this computer was"
        remedy = "Stop other programs on this computer and record again."
    else:
        place = "the phone was"
        remedy = "Close other apps, let the phone cool down, keep the app in the foreground, and record again."
    count = counted(len(named), "test")
    message = (
        f"{place} busy with other work while {count} waited for a CPU: {listed(named)}; on an idle device, their energy differs"
    )
    yield Notice.with_code("starved", message, f"{remedy} {MORE}")


def _pace_changed(profile: Profile) -> Iterator[Notice]:
    found = []
    for pace in map(profile.pace, profile.repeats()):
        cpu_ns = [use.cpu_ns for use in pace.whole]
        extra_ns = max(cpu_ns) - min(cpu_ns)
        if pace.cpu_ratio is not None and pace.cpu_ratio >= MIN_PACE_RATIO and extra_ns >= MIN_EXTRA_NS:
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

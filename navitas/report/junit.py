"""The tests' results as JUnit XML with energy as properties, for CI servers that show test reports."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import IO, Any
from xml.sax.saxutils import XMLGenerator

from navitas.base.moments import utc_moment
from navitas.base.untrusted_text import escaped
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.report.format import Format
from navitas.report.junit_xml import element, started, write_properties

_OUTCOMES = {"failed": "failure", "ignored": "skipped", "assumption": "skipped"}
"""The element of a status. A test that did not end is an error; a passed one has no element."""
_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def write(profile: Profile, out: IO[str]) -> None:
    """Write a suite for each class in each run, and a case for each test.

    Properties of a case: `energy_j`, `energy_half_width_j`, `app_energy_j`, `app_energy_half_width_j` (95 % intervals of the
    measurement), `mean_power_w`, `repeat`, and `unfit` if the run does not count.
    """
    xml = started(out)
    with element(xml, "testsuites", name=profile.project, **_counts(profile.tests)):
        ordered = sorted(profile.tests, key=_suite)
        for (run, module, class_name), tests in groupby(ordered, _suite):
            _write_suite(xml, profile, class_name, list(tests), {"run": run, "module": module})
    out.write("\n")


FORMAT = Format("junit", ".junit.xml", "results of tests with their energy, for CI servers", write)


def _suite(test: TestEnergy) -> tuple[int, str, str]:
    return test.run, test.module, test.class_name


def _write_suite(
    xml: XMLGenerator, profile: Profile, class_name: str, tests: list[TestEnergy], properties: dict[str, Any]
) -> None:
    created = utc_moment(profile.about.created_utc)
    timestamp = {"timestamp": created.replace(tzinfo=None).isoformat(timespec="seconds")} if created else {}
    with element(xml, "testsuite", name=class_name, **timestamp, **_counts(tests)):
        write_properties(xml, properties)
        for test in tests:
            with element(xml, "testcase", name=test.method, classname=class_name, time=_seconds([test])):
                write_properties(xml, _energies(profile, test))
                if outcome := _outcome(test):
                    with element(xml, outcome, message=test.failure or test.status, type=test.status):
                        xml.characters(escaped(test.failure))


def _energies(profile: Profile, test: TestEnergy) -> dict[str, Any]:
    power = {} if test.mean_power_w is None else {"mean_power_w": test.mean_power_w}
    return {
        "energy_j": test.energy_j,
        "energy_half_width_j": profile.test_error(test).half_width_j,
        "app_energy_j": test.app_j,
        "app_energy_half_width_j": profile.app_error(test).half_width_j,
        **power,
        "repeat": test.repeat,
        **({"unfit": ", ".join(test.unfit)} if test.unfit else {}),
    }


def _outcome(test: TestEnergy) -> str:
    """Return the element that says how a test ended. Empty for one that passed."""
    return "" if test.status == "passed" else _OUTCOMES.get(test.status, "error")


def _counts(tests: Iterable[TestEnergy]) -> dict[str, Any]:
    tests = list(tests)
    outcomes = [_outcome(test) for test in tests]
    by_outcome = {name: outcomes.count(element) for name, element in _COUNTED.items()}
    return {"tests": len(tests), **by_outcome, "time": _seconds(tests)}


def _seconds(tests: Iterable[TestEnergy]) -> str:
    return f"{sum(test.wall_ns for test in tests) / 1e9:.9f}"

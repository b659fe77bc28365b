"""What a recording shows about source code, as SARIF: failed and starved tests, methods with the most self energy, and advice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import IO, Any

from navitas import __version__
from navitas.base.sarif import SarifResult, SarifRule, sarif_location, write_results
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.names import MethodNames, test_label
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.insight.graph.advice import advice
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.sarif_format import SARIF_RULES, sarif_results
from navitas.insight.verdict.figures import Figures
from navitas.report.figure_notes import failure_of
from navitas.report.format import Format

_FAILED = SarifRule(
    "failed-test",
    "A test failed",
    "The test failed or did not end, so its energy is not that of its whole work.",
    "Repair the test before you compare its energy.",
    level="error",
)
_STARVED = SarifRule(
    "starved-test",
    "A test waited for CPUs",
    "Other work used the CPUs that the test was ready to use, so this run of it does not count.",
    "Record again without other work on the device.",
)
_METHOD = SarifRule(
    "most-self-energy",
    "A method with much self energy",
    "The method is among those with the most self energy of the recorded tests. That alone is no fault.",
    "Look here first if you want to save energy.",
    level="note",
)
_FINGERPRINT = "navitasReport/v1"
_LONGEST = 1000
_FAILED_AT = re.compile(r"([^:/\\]+):(\d{1,9}): ")
"""How `TestEnergy.failure` begins if the line is known."""


def write(profile: Profile, out: IO[str], *, top: int = 20) -> None:
    """Write failed and starved tests, the `top` methods with the most self energy, and advice if messages were recorded."""
    rules, results = [_FAILED, _STARVED, _METHOD], [*_tests(profile), *_methods(profile, top)]
    if profile.ledger.messages is not None:
        graph = module_graph(profile)
        rules += SARIF_RULES
        results += sarif_results(graph, advice(graph))
    write_results(rules, results, __version__, out)


FORMAT = Format("sarif", ".sarif", "tests, methods and advice at lines of source code, for code review", write, options=("top",))


def _tests(profile: Profile) -> Iterator[SarifResult]:
    """Yield the tests of which a run failed, did not end, or was starved."""
    lines = {(method.class_name, method.name): (method.file, method.line) for method in profile.method_table.methods}

    def name_of(test: TestEnergy) -> tuple[str, str, str]:
        return test.module, test.class_name, test.method

    for name, tests in groupby(sorted(profile.tests, key=name_of), name_of):
        runs = list(tests)
        broken = [run for run in runs if run.status in ("failed", "cut")]
        starved = [run for run in runs if "starved" in run.unfit]
        at = lines.get(name[1:], (None, None))
        if broken:
            failure = failure_of(broken)
            text = printable(failure, _LONGEST) or _FAILED.text
            yield _result(_FAILED, text, _failed_at(runs[0], failure, at), broken, runs)
        if starved:
            yield _result(_STARVED, _STARVED.text, at, starved, runs)


def _result(
    rule: SarifRule, text: str, at: tuple[str | None, int | None], affected: Sequence[TestEnergy], runs: Sequence[TestEnergy]
) -> SarifResult:
    test = runs[0]
    location = sarif_location(test.class_name, test.method, *at)
    measured = {"runs": len(runs), "affected_runs": len(affected), "energies_j": [run.energy_j for run in runs]}
    name = (test.module, test.class_name, test.method)
    return SarifResult(rule.id, f"{rule.title}: {test_label(test)}. {text}", name, _FINGERPRINT, [location], measured)


def _failed_at(test: TestEnergy, failure: str, method: tuple[str | None, int | None]) -> tuple[str | None, int | None]:
    """Return the file and line at which a test failed, if they are in its class; else those of its method."""
    match = _FAILED_AT.match(failure)
    outer_class = test.class_name.rpartition(".")[2].partition("$")[0]
    if match and (match[1] == method[0] or match[1].partition(".")[0] == outer_class):
        return match[1], int(match[2])
    return method


def _methods(profile: Profile, most: int) -> Iterator[SarifResult]:
    names = MethodNames(profile.method_table)
    for of in Figures(profile).methods[:most]:
        total, method = of.total, of.total.method
        if of.interval.low <= 0:
            continue  # It may be noise.
        measured: dict[str, Any] = {
            "self_energy_j": of.self_j,
            "half_width_j": of.interval.half_width,
            "calls": list(of.repeats.calls),
        }
        text = f"{_METHOD.title}: {names.label(total.id)}. {_METHOD.text}"
        location = sarif_location(method.class_name, method.name, method.file, method.line)
        yield SarifResult(_METHOD.id, text, method.identity, _FINGERPRINT, [location], measured)

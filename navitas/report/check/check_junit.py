"""The result of a check as JUnit XML, for the tests' tab of a CI server: a suite for each budget, a case for each figure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import IO, Any
from xml.sax.saxutils import XMLGenerator

from navitas.insight.check.judgement import CheckResult, FailOn, Judgement
from navitas.report.check.judgement_texts import over_limit, short_name, why_unknown
from navitas.report.check.repository_lines import RepositoryLines
from navitas.report.junit_xml import element, started, write_properties


def write_check_junit(result: CheckResult, fail_on: FailOn, lines: RepositoryLines, out: IO[str]) -> None:
    """Write what fails as failures; what a waiver accepts, or may be unknown, as skipped; tests that failed as errors.

    A budget that matches nothing is a failure.
    """
    xml = started(out)
    failed = [{"name": name, "classname": "tests that failed"} for name in result.failed]
    counts = _counts(result.judgements, fail_on)
    totals = {**counts, "tests": counts["tests"] + len(failed), "errors": len(failed)}
    with element(xml, "testsuites", name="navitas check", **totals):
        for location, judgements in groupby(result.judgements, lambda judged: judged.budget.location):
            budget = lines.of_budget(location).text
            suite = list(judgements)
            with element(xml, "testsuite", name=budget, errors=0, **_counts(suite, fail_on)):
                for judged in suite:
                    _write_case(xml, judged, budget, fail_on)
        if failed:
            with element(xml, "testsuite", name="tests that failed", tests=len(failed), failures=0, errors=len(failed)):
                for names in failed:
                    with element(xml, "testcase", **names), element(xml, "error", message="the test failed"):
                        pass
    out.write("\n")


def _write_case(xml: XMLGenerator, judged: Judgement, budget: str, fail_on: FailOn) -> None:
    name = f"{short_name(judged)} ({judged.subject.kind}, {judged.subject.figure})"
    with element(xml, "testcase", name=name, classname=budget):
        values = {key: getattr(judged, key) for key in ("before", "after", "value", "low", "high", "limit", "unit")}
        figures = {key: value for key, value in values.items() if value not in (None, "")}
        write_properties(xml, {"verdict": judged.verdict, **figures})
        if judged.verdict == "within":
            return
        text = over_limit(judged) if judged.verdict == "above" else why_unknown(judged)
        if judged.waiver is not None:
            text = f"{text}; accepted until {judged.waiver.until}: {judged.waiver.reason}"
        with element(xml, "failure" if judged.fails(fail_on) else "skipped", message=text):
            pass


def _counts(judgements: Sequence[Judgement], fail_on: FailOn) -> dict[str, Any]:
    failures = sum(judged.fails(fail_on) for judged in judgements)
    skipped = sum(judged.verdict != "within" for judged in judgements) - failures
    return {"tests": len(judgements), "failures": failures, "skipped": skipped}

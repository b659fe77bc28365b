"""The result of a check as SARIF: figures above their limit or not known, and unmatched budgets, at lines of source code."""

from __future__ import annotations

from typing import IO

from navitas import __version__
from navitas.base.sarif import SarifResult, SarifRule, sarif_file, sarif_location, write_results
from navitas.insight.check.judgement import CheckResult, Judgement
from navitas.report.check.judgement_texts import in_order
from navitas.report.check.repository_lines import RepositoryLines

_RULES = {
    "above": SarifRule(
        "above-energy-budget",
        "Above its energy budget",
        "The figure is over the limit that the project's settings file sets.",
        "Look at the methods whose energy rose, or change the budget and say why.",
        level="error",
    ),
    "matches nothing": SarifRule(
        "unmatched-energy-budget",
        "Energy budget that matches nothing",
        "No figure has the name or the pattern of this budget in the project's settings file.",
        "Correct the name, or remove the budget.",
        level="error",
    ),
    "not enough data": SarifRule(
        "unknown-energy-budget",
        "Not known whether within its energy budget",
        "The measurements do not show whether the figure is within its limit.",
        "Measure more repeats, or more sessions.",
    ),
}
_FINGERPRINT = "navitasCheck/v1"


def write_check_sarif(result: CheckResult, lines: RepositoryLines, out: IO[str]) -> None:
    """Write the figures that are not within their limit. Those that a waiver accepts are left out."""
    judgements = [judged for judged in in_order(result) if judged.verdict in _RULES and judged.waiver is None]
    write_results(list(_RULES.values()), [_result(judged, lines) for judged in judgements], __version__, out)


def _result(judged: Judgement, lines: RepositoryLines) -> SarifResult:
    rule = _RULES[judged.verdict]
    line = lines.of(judged)
    source = judged.location
    location = sarif_file(line.path, line.line)
    if source is not None and not line.is_file:
        location = sarif_location(source.class_name, source.method, source.file, source.line)
    values = {name: getattr(judged, name) for name in ("before", "after", "value", "low", "high", "limit", "unit")}
    text = f"{rule.title}: {judged.subject.described}. {rule.text}"
    identity = (*judged.subject, type(judged.budget.limit).__name__)
    return SarifResult(rule.id, text, identity, _FINGERPRINT, [location], values)

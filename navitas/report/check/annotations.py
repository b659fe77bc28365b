"""Annotations of GitHub Actions: commands in a job's log that show messages at lines of a pull request.

GitHub's documentation, "Workflow commands for GitHub Actions", names the commands; its toolkit (`command.ts`) the escapes.
"""

from __future__ import annotations

from collections.abc import Iterator

from navitas.base.untrusted_text import printable
from navitas.insight.check.judgement import CheckResult, Judgement
from navitas.insight.compare.subject import without_descriptor
from navitas.report.check.judgement_texts import over_limit, rise, why_unknown
from navitas.report.check.repository_lines import RepositoryLines

_MOST = 10
"""GitHub shows so many of each level from one step."""
_LONGEST = 1000
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def annotation_commands(result: CheckResult, lines: RepositoryLines) -> Iterator[str]:
    """Yield at most 10 errors, for figures above their limit and budgets that match nothing, and at most 10 warnings.

    Warnings are for figures that are not known.
    """
    left = _MOST
    for judged in result.having("above")[:_MOST]:
        rose = "; ".join(f"{without_descriptor(method.name)} {rise(method)}" for method in judged.methods)
        text = f"{judged.subject.described}: {over_limit(judged)}" + (f". Methods whose energy rose: {rose}" if rose else "")
        yield _command("error", "Above its energy budget", text, judged, lines)
        left -= 1
    for judged in result.having("matches nothing")[:left]:
        yield _command("error", "Energy budget that matches nothing", judged.reason, judged, lines)
    for judged in result.having("not enough data")[:_MOST]:
        text = f"{judged.subject.described}: {why_unknown(judged)}"
        yield _command("warning", "Not known whether within its energy budget", text, judged, lines)


def _command(level: str, title: str, text: str, judged: Judgement, lines: RepositoryLines) -> str:
    line = lines.of(judged)
    properties = {"file": line.path, **({"line": str(line.line)} if line.line else {}), "title": title}
    shown = ",".join(f"{name}={printable(value, _LONGEST).translate(_PROPERTY)}" for name, value in properties.items())
    return f"::{level} {shown}::{printable(text, _LONGEST).translate(_DATA)}"

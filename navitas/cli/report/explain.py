"""`navitas explain`: what uses the energy of a recording, or of a part of it, in words, with the evidence."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from navitas.base.errors import UsageError
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import SCHEMA_VERSION, STDOUT, json_option, write_json, write_to
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import READ_ANY_NAME, TEXT
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import BEFORE_HELP
from navitas.cli.report.reporting import load_common_tests, load_profile
from navitas.energy.attribute.analysis_settings import DEFAULT, AnalysisSettings
from navitas.insight.explain.explain import MOST_ROWS, Explainer
from navitas.insight.explain.explanation import Explanation
from navitas.insight.explain.subjects import find_component, find_method, find_test, find_thread
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.statement import Statement
from navitas.report.change import changed
from navitas.report.explanation_text import explanation_text

_LIMIT = 4000
_LONGEST_NAME = 300
_LONGEST_SENTENCE = 1000


@click.command(
    "explain",
    cls=NavitasCommand,
    example="navitas explain navitas-recordings/demo\nnavitas explain navitas-recordings/demo --method Inbox.pollForMessage",
)
@click.argument("recording", type=READ_ANY_NAME, required=False)
@option("--test", type=TEXT, metavar="NAME", section="Subject", help="Explain this test: SortTest#sorts.")
@option("--method", type=TEXT, metavar="NAME", section="Subject", help="Explain this method: Sorter.sort.")
@option("--thread", type=TEXT, metavar="NAME", section="Subject", help="Explain the threads of this name.")
@option("--component", type=TEXT, metavar="NAME", section="Subject", help="Explain this component, such as wifi.")
@option("--before", type=READ_ANY_NAME, metavar="RECORDING", section="Subject", help=BEFORE_HELP)
@option(
    "--limit",
    type=click.IntRange(min=200, max=10_000_000),
    default=_LIMIT,
    metavar="CHARS",
    section="Output",
    help="Most characters to print.",
)
@option(
    "--skill",
    is_flag=True,
    from_project=False,
    section="Output",
    help="Print how coding assistants use Navitas (SKILL.md) and exit.",
)
@json_option
def command(
    recording: Path | None, *, before: Path | None, limit: int, skill: bool, json_file: Path | None, **subject: str | None
) -> None:
    """Explain what uses the energy of a RECORDING: the answer, the evidence for it, and what to do.

    Without a test, method, thread or component, it explains the whole recording. Names can be short.
    """
    if skill:
        click.echo((files("navitas") / "SKILL.md").read_text("utf-8"), nl=False)
        return
    if recording is None:
        raise UsageError("RECORDING is missing", "give the recording's folder: navitas explain navitas-recordings/demo")
    given = {kind: name for kind, name in subject.items() if name is not None}
    if len(given) > 1:
        raise UsageError(f"{' and '.join(f'--{kind}' for kind in given)} are different subjects", "name one of them")
    if before is not None and given:
        raise UsageError("--before is about the whole recording", "leave out the subject, or compare: navitas compare --help")
    with ConsoleProgress(only_live=True) as progress:
        settings = AnalysisSettings(call_steps=True)
        figures = Figures(load_profile(recording, settings, stage=progress.stage))
        change = None
        if before is not None:
            progress.stage("reading the recording before")
            change = changed(figures, str(before), Figures(load_common_tests(before, DEFAULT, figures.profile, recording)))
        explanation = _explained(figures, given, change)
    if json_file is not None:
        write_json(json_file, **_bounded(explanation, str(recording), limit))
    if json_file != STDOUT:
        write_to(STDOUT, lambda out: out.write(explanation_text(explanation, str(recording), limit)))


def _explained(figures: Figures, subject: dict[str, str], change: Statement | None) -> Explanation:
    """Explain the subject. Raises `UsageError` if the recording lacks it."""
    explainer = Explainer(figures)
    match subject:
        case {"test": name}:
            return explainer.test(find_test(figures, name))
        case {"method": name}:
            return explainer.method(find_method(figures, name))
        case {"thread": name}:
            return explainer.thread(find_thread(figures, name))
        case {"component": name}:
            return explainer.component(find_component(figures, name))
    return explainer.recording(change)


def _bounded(explanation: Explanation, recording: str, limit: int) -> dict[str, Any]:
    """Return the document's members, with so many rows that it has at most `limit` characters, if that is possible.

    Names and sentences that are longer than any should be are cut first.
    """
    rows = MOST_ROWS
    while True:
        document: dict[str, Any] = _cut(explanation.as_json(rows, recording))
        if not rows or len(json.dumps({"schema_version": SCHEMA_VERSION, **document}, indent=2)) <= limit:
            return document
        rows //= 2


def _cut(value: Any, key: str = "") -> Any:
    """Return a JSON value whose texts are bounded. Commands stay: part of a command is no command."""
    if isinstance(value, dict):
        return {name: _cut(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return list(map(_cut, value))
    most = _LONGEST_SENTENCE if key == "text" else _LONGEST_NAME
    return f"{value[: most - 1]}…" if isinstance(value, str) and key != "command" and len(value) > most else value

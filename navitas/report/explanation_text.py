"""An explanation as plain text of a bounded length, for people in a terminal, for scripts and for assistants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from navitas.base.units import UNBROKEN, duration, joules, joules_within, percent, plus_minus, watts
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.call_words import PROBED, SAMPLED
from navitas.insight.explain.explanation import Explanation, ExplanationTable, Value

_MOST_ROWS = 12
_LONGEST_NAME = 200
_LONGEST_SENTENCE = 1000
_UNITS = {"_j": joules, "_ns": duration, "_w": watts, "share": percent}
_HEADS = {
    "cpu_ns": "CPU time",
    "wall_ns": "wall time",
    "inclusive_ns": "inclusive time",
    "waited_ns": "waited for a CPU",
    "app_j": "app energy",
    "total_j": "app, base and others",
    "base_j": "base energy",
    "other_threads_j": "JIT compiler, profiler, probes",
}
_HALF = "_half_width_j"
_ENDS = ("_low_j", "_high_j")


def explanation_text(explanation: Explanation, recording: str, limit: int) -> str:
    """Return at most `limit` characters of whole lines: the verdict, its limits, figures and tables, and what to do.

    Tables have fewer rows until the text fits. If it never does, its end is cut and a note says so. A first line that is
    too long is cut, too. `limit` is at least 100.
    """
    for rows in range(_MOST_ROWS, 0, -1):
        text = "\n".join(_lines(explanation, recording, rows)) + "\n"
        if len(text) <= limit:
            return text
    note = f"… cut after {limit:,} characters (--limit)\n"
    kept = text[: max(limit - len(note), 0)]
    end = kept.rfind("\n") + 1
    # The first line is the answer: part of it is better than nothing.
    return (kept[:end] or f"{kept[:-2]}…\n") + note


def _lines(explanation: Explanation, recording: str, rows: int) -> Iterator[str]:
    verdict = explanation.verdict
    yield from map(_sentence, (statement.text for statement in verdict.statements))
    yield from (f"- {_sentence(limit.text)}" for limit in verdict.limits)
    yield from ("", "What to do")
    yield from (f"  {step.line(recording)}\n    to {step.reason}" for step in explanation.next_steps)
    yield from ("", "Figures")
    yield from _figures(explanation.figures)
    for table in explanation.tables:
        yield from ("", table.title)
        yield from _table(table.first(rows))
    columns = {name for table in explanation.tables for name in table.columns}
    if any(name.startswith("self_j") for name in columns):
        yield from ("", (SAMPLED if "samples" in columns else PROBED).about_self)


def _figures(figures: dict[str, Value]) -> Iterator[str]:
    shown = {name: value for name, value in figures.items() if value is not None and not name.endswith((_HALF, *_ENDS))}
    width = max((len(_head(name)) for name in shown), default=0)
    for name, value in shown.items():
        ends = [figures.get(name.removesuffix("_j") + end) for end in _ENDS] if name.endswith("_j") else [None]
        text = _shown(name, value) if None in ends else joules_within(*cast(list[float], [value, *ends]))
        yield f"  {_head(name):<{width}}  {text}"


def _table(table: ExplanationTable) -> Iterator[str]:
    columns = [name for name in table.columns if not name.endswith(_ENDS)]
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    heads, cells = [_head(name) for name in columns], [[_cell(name, row) for name in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    for row in (heads, *cells):
        padded = (
            f"{cell:<{width}}" if isinstance(rows[0][name], str) else f"{cell:>{width}}"
            for name, cell, width in zip(columns, row, widths, strict=True)
        )
        yield "  " + "  ".join(padded).rstrip()
    if table.more:
        yield f"  … {table.more:,} more, with less energy"


def _cell(name: str, row: dict[str, Value]) -> str:
    """Return a value of a row as text. That of the half-width is the interval."""
    if not name.endswith(_HALF):
        return _shown(name, row[name])
    of = name.removesuffix(_HALF)
    return plus_minus(*cast(list[float], [row[of + end] for end in ("_j", *_ENDS)])).removeprefix("± ")


def _head(name: str) -> str:
    """Return the head of a column: `Inclusive per call` for `inclusive_per_call_j`."""
    if name.endswith(_HALF):
        return "±"
    words = _HEADS.get(name, name)
    for unit in ("_j", "_ns", "_w"):
        words = words.removesuffix(unit)
    words = words.removesuffix("_share").replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}"


def _shown(name: str, value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return printable(value, _LONGEST_NAME)
    unit = next((shown for ending, shown in _UNITS.items() if name.endswith(ending)), None)
    return f"{value:,}" if unit is None else unit(value)


def _sentence(text: str) -> str:
    return printable(text.replace(UNBROKEN, " "), _LONGEST_SENTENCE)

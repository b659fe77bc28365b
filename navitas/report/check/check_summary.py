"""The result of a check as Markdown, for the summary of a CI's job or a comment on a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from navitas.base.units import UNBROKEN, counted, joules
from navitas.base.untrusted_text import printable
from navitas.insight.check.judgement import ChangedMethod, CheckResult, FailOn, Judgement
from navitas.insight.compare.subject import without_descriptor
from navitas.report.check.judgement_texts import (
    amount,
    bounds_text,
    in_order,
    limit_text,
    short_name,
    sides_text,
    verdict_words,
    what_decides,
    why_unknown,
)
from navitas.report.check.repository_lines import RepositoryLine, RepositoryLines
from navitas.report.markdown_text import MAX_CHARACTERS, code, code_cell, escaped, folded

_MOST_ROWS = 100
_LONGEST = 300
_ASSOCIATION = "They rose together with it: that is no proof of a cause."


def check_summary(result: CheckResult, fail_on: FailOn, lines: RepositoryLines) -> str:
    """Return the verdict, what is above its limit, unknown or changed, and budgets and waivers: so many rows as fit."""
    summary = _Summary(result, fail_on, lines)
    rows = _MOST_ROWS
    while len(text := "\n".join(summary.lines(rows)) + "\n") > MAX_CHARACTERS and rows > 0:
        rows //= 2
    return text


def _headline(result: CheckResult, fail_on: FailOn) -> str:
    """Return the result of a check in one line."""
    if result.failed:
        return "Energy check: tests failed"
    if result.word == "within":
        return "Energy check passed"
    if result.word == "above":
        return "Energy check failed: above the limit"
    if result.word == "matches nothing":
        return "Energy check failed: a budget matches nothing"
    return "Energy check failed: not enough data" if fail_on == "unknown" else "Energy check passed, but not all is known"


class _Summary:
    def __init__(self, result: CheckResult, fail_on: FailOn, lines: RepositoryLines) -> None:
        self.result, self.fail_on, self.repository = result, fail_on, lines
        ordered = in_order(result)
        self.shown = [judged for judged in ordered if judged.verdict != "within" or _is_changed(judged)]
        self.within = [judged for judged in ordered if judged.verdict == "within" and not _is_changed(judged)]
        self.unknown = result.having("not enough data")

    def lines(self, most: int) -> Iterator[str]:
        """Yield the lines of the summary, with at most so many rows in each table and list."""
        result = self.result
        yield f"## {_headline(result, self.fail_on)}"
        yield from ("", f"{self._counts()} Sessions: {sides_text(result)}{', with runs in turns' if result.together else ''}.")
        yield from self._figures("Above, unknown or changed", self.shown, most)
        yield from self._methods(most)
        yield from _listed("Budgets that match nothing", map(self._unmatched, result.having("matches nothing")), most)
        reasons = [f"{code(short_name(judged))}: {escaped(printable(why_unknown(judged), _LONGEST))}" for judged in self.unknown]
        yield from _listed("What is not known", reasons, most)
        if self.unknown:
            yield from ("", f"{escaped(what_decides(self.unknown))}.")
        yield from _listed("Budgets changed", map(_sentence, result.changed_budgets), most)
        yield from _listed("Waivers", self._waivers(), most)
        yield from _listed("Tests that failed", map(code, result.failed), most)
        yield from _listed("Warnings", map(_sentence, result.warnings), most)
        yield from folded(self._figures(f"Within the limit ({len(self.within):,})", self.within, most))

    def _counts(self) -> str:
        result = self.result
        accepted = sum(judged.waiver is not None for judged in result.judgements)
        counts = {
            "above": len(result.having("above")),
            "without a match": len(result.having("matches nothing")),
            "unknown": len(self.unknown),
            "accepted by a waiver": accepted,
            "within": len(result.having("within")),
        }
        said = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
        return f"{counted(len(result.judgements), 'figure')} judged: {said}." if said else "No figure was judged."

    def _figures(self, title: str, judgements: Sequence[Judgement], most: int) -> Iterator[str]:
        columns: dict[str, Callable[[Judgement], str]] = {
            "Figure": lambda judged: f"{code_cell(short_name(judged))} ({judged.subject.kind}, {judged.subject.figure})",
            "Where": lambda judged: self._linked(self.repository.of(judged)),
            "Before": lambda judged: amount(judged.before, judged.figure_unit),
            "After": lambda judged: amount(judged.after, judged.figure_unit),
            "Found": lambda judged: amount(judged.value, judged.unit),
            "Bounds": bounds_text,
            "Limit": limit_text,
            "Verdict": verdict_words,
        }
        rows = [[cell(judged) for cell in columns.values()] for judged in judgements[:most]]
        yield from _table(title, list(columns), rows, len(judgements))

    def _methods(self, most: int) -> Iterator[str]:
        rose = [(judged, method) for judged in self.result.having("above") for method in judged.methods]
        rows = [self._method(judged, method) for judged, method in rose[:most]]
        yield from _table("Methods whose energy rose", ["Method", "Where", "Before", "After", "Certain", "With"], rows, len(rose))
        if rose:
            yield from ("", _ASSOCIATION)

    def _method(self, judged: Judgement, method: ChangedMethod) -> list[str]:
        where = "" if method.location is None else self._linked(self.repository.of_source(method.location))
        energies = joules(method.before_j), joules(method.after_j)
        certain = "yes" if method.is_sure else "no"
        return [code_cell(without_descriptor(method.name)), where, *energies, certain, code_cell(short_name(judged))]

    def _unmatched(self, judged: Judgement) -> str:
        return f"{self._linked(self.repository.of_budget(judged.budget.location))}: {_sentence(judged.reason)}"

    def _waivers(self) -> Iterator[str]:
        for waiver in self.result.waivers:
            state = "accepted until" if self.result.is_active(waiver) else "**ended on**"
            reason = _sentence(waiver.reason)
            where = self._linked(self.repository.of_budget(waiver.location))
            yield f"{where}: {code(waiver.selection.described)} {state} {waiver.until}: {reason}"

    def _linked(self, line: RepositoryLine) -> str:
        url = self.repository.url(line)
        return f"[{code_cell(line.text)}]({url})" if url else code_cell(line.text)


def _is_changed(judged: Judgement) -> bool:
    """Whether both bounds of a change are on one side of zero."""
    return judged.unit == "%" and judged.low is not None and judged.high is not None and (judged.low > 0 or judged.high < 0)


def _sentence(text: str) -> str:
    return escaped(printable(text, _LONGEST))


def _listed(title: str, items: Iterable[str], most: int) -> Iterator[str]:
    everything = list(items)
    if everything:
        yield from ("", f"### {title}", "")
        yield from (f"- {item}" for item in everything[:most])
        yield from _more(len(everything) - most)


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], count: int) -> Iterator[str]:
    if not count:
        return
    yield from ("", f"### {title}", "", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}")
    yield from (f"| {' | '.join(row)} |".replace(UNBROKEN, " ") for row in rows)
    yield from _more(count - len(rows))


def _more(count: int) -> Iterator[str]:
    if count > 0:
        yield from ("", f"… {count:,} more.")

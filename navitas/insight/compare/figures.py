"""Which figures a user means with `--figure`: an energy of tests, and patterns of kinds and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple, get_args

from navitas.base.errors import UsageError
from navitas.base.untrusted_text import printable, printable_list
from navitas.insight.compare.subject import Energy, Kind, Subject, without_descriptor

ENERGIES: tuple[Energy, ...] = get_args(Energy)
KINDS: tuple[Kind, ...] = get_args(Kind)


class FigurePattern(NamedTuple):
    """A kind of figures, and a name or a pattern with `*` and `?`."""

    kind: Kind
    name: str

    def matches(self, subject: Subject) -> bool:
        """Whether a figure has this kind and name."""
        return subject.kind == self.kind and matches_name(self.name, subject.name, is_method=self.kind == "method")


def matches_name(pattern: str, name: str, *, is_method: bool) -> bool:
    """Whether a name or a pattern with `*` and `?` names a figure. The descriptor of a method can be left out."""
    names = {name, without_descriptor(name)} if is_method else {name}
    return pattern in names or any(fnmatchcase(spelling, pattern.replace("[", "[[]")) for spelling in names)


@dataclass(frozen=True, slots=True)
class FigureChoice:
    """The energy of tests, and patterns of figures. Without patterns, it includes the figures of all kinds."""

    energy: Energy = "app"
    patterns: tuple[FigurePattern, ...] = ()

    def includes(self, subject: Subject) -> bool:
        """Whether a figure belongs to the choice."""
        matches = not self.patterns or any(pattern.matches(subject) for pattern in self.patterns)
        return matches and subject.energy in ("", self.energy)

    def limits(self, subject: Subject) -> bool:
        """Whether a limit applies to a figure: to those that patterns name, by default to all tests and each test."""
        return self.includes(subject) and (bool(self.patterns) or subject.kind in ("all", "test"))

    def none_matches(self, subjects: Iterable[Subject]) -> UsageError:
        """Return the error that nothing matches, with examples from the figures that there are."""
        wanted = printable_list([f"{pattern.kind}:{pattern.name}" for pattern in self.patterns], 3)
        of_energy = [one for one in subjects if one.energy in ("", self.energy)]
        examples = ", ".join(printable(f"{one.kind}:{one.name}", 100) for one in of_energy[:3])
        return UsageError(
            f"no figure matches {wanted}",
            f"Such as: {examples}. Methods and threads with a small share of all energy are left out.",
        )


def has_share(subject: Subject, energy_j: float, total_j: float, least_share: float) -> bool:
    """Whether a thread or method has a share of the energy of all tests, and a component any energy."""
    if subject.kind == "component":
        return bool(energy_j)
    return subject.kind not in ("thread", "method") or energy_j >= least_share * total_j


def parse_figures(texts: Sequence[str]) -> FigureChoice:
    """Return the choice of an energy, `KIND:PATTERN`, or several. Raises `UsageError` for other texts, or two energies."""
    energies = [energy for energy in ENERGIES if energy in texts]
    if len(energies) > 1:
        raise UsageError(f"--figure has two energies of tests: {' and '.join(energies)}", "Give one of them.")
    patterns = tuple(_pattern(text) for text in texts if text not in ENERGIES)
    return FigureChoice(energies[0] if energies else "app", patterns)


def _pattern(text: str) -> FigurePattern:
    kind, _, name = text.partition(":")
    for known in KINDS:
        if kind == known and name:
            return FigurePattern(known, name)
    example = "such as test:a.SortTest#sorts, component:cpu, thread:main or method:a.Sorter.sort"
    raise UsageError(f"{printable(text)!r} is no figure", f"Give app, base, total or KIND:PATTERN, {example}.")

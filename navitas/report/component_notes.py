"""What reports for people say of components: notes on their rails, and the evidence of those that share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from navitas.analyze.profile import Profile
from navitas.analyze.top import ComponentShare, Top
from navitas.report.units import digits, unbroken
from navitas.untrusted_text import printable

CONSUMERS_NOTE = "The device computes its consumers from its rails, by a model of its own. The app's share is by uid."
_LONGEST = 40


def rails_note(uses: Sequence[ComponentShare]) -> str:
    """Return a note on the components that rails scaled, or did not. A ratio and its sign are one word."""
    meaning = "Rails and model alone: energies of the time in which the rails were read."
    scaled = [(use.component, use.ratio) for use in uses if use.level == "rails"]
    ratios = [unbroken(f"{printable(name, _LONGEST)} × {digits(ratio)}") for name, ratio in scaled if ratio is not None]
    if not scaled:
        return f"{meaning} Energy is that of the model (--evidence model)."
    return f"{meaning} Scaled to its rails: {', '.join(ratios)}." if ratios else meaning


def silent_note(found: Top) -> str:
    """Return a note on the components that are known from a rail only, which measured 0 J."""
    return f"Rails measured nothing: {listed(found.silent)}."


def listed(components: Sequence[str]) -> str:
    """Return names of components, with commas."""
    return ", ".join(printable(name, _LONGEST) for name in components)


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """Components with the same level of evidence.

    `reasons` are why it is not better: sentences, each with the components that it holds for.
    """

    components: tuple[str, ...]
    level: str
    basis: str
    expected_error: float | None
    reasons: tuple[tuple[str, tuple[str, ...]], ...]

    def reason_lines(self, leave_out: frozenset[str] = frozenset()) -> list[str]:
        """Return the reasons, with the names of their components if these are not all. `leave_out` are sentences."""
        return [text if of == self.components else f"{listed(of)}: {text}" for text, of in self.reasons if text not in leave_out]


def evidence_groups(profile: Profile, component: str | None = None) -> list[EvidenceGroup]:
    """Group the components that `Top.shown` has by their evidence, in the order of the recording's components."""
    shown = {use.component for use in profile.top().shown(component)}
    groups: dict[tuple[str, str, float | None], dict[str, tuple[str, ...]]] = {}
    for each in profile.evidence:
        if each.component in shown:
            group = groups.setdefault((each.level, each.basis, each.expected_error), {})
            group[each.component] = tuple(dict.fromkeys(map(str, each.reasons)))
    return [EvidenceGroup(tuple(group), *level, _by_reason(group)) for level, group in groups.items()]


def _by_reason(group: Mapping[str, Sequence[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return each reason of some components once, with its components."""
    found: dict[str, list[str]] = {}
    for component, reasons in group.items():
        for text in reasons:
            found.setdefault(text, []).append(component)
    return tuple((text, tuple(names)) for text, names in found.items())

"""Differences of a page from an earlier recording: their intervals, and what else than code differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from navitas.base.untrusted_text import printable_line
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.spread import Spread
from navitas.insight.compare.effect import effects
from navitas.insight.compare.session import recorded_conditions

Range = tuple[float, float] | None
"""The 95 % interval of a difference, in percent of the figure before. None if it is not known."""
Compared = tuple[Spread, Spread] | None
"""A figure over the runs before and over those after. None if one recording lacks it."""
_MOST_FACTS = 8
_LONGEST = 60


def difference_ranges(figures: Sequence[Compared]) -> list[Range]:
    """Return the interval of each figure: Welch's t-test of the runs that count, of both recordings.

    It takes two such runs of each recording, with energies above zero.
    """
    ranges: list[Range] = [None] * len(figures)
    alike: dict[tuple[int, int], list[tuple[int, tuple[float, ...], tuple[float, ...]]]] = defaultdict(list)
    for number, pair in enumerate(figures):
        if pair is not None:
            before, after = pair[0].counted, pair[1].counted
            alike[len(before), len(after)].append((number, before, after))
    for sizes, rows in alike.items():
        if min(sizes) < 2:
            continue
        numbers, before_j, after_j = zip(*rows, strict=True)
        for row, effect in zip(numbers, effects([np.array(before_j)], [np.array(after_j)], together=True), strict=True):
            if effect is not None and effect.low_percent is not None and effect.high_percent is not None:
                ranges[row] = effect.low_percent, effect.high_percent
    return ranges


def differences_note(name: str, earlier: Profile, later: Profile) -> str:
    """Name the earlier recording, what its intervals are, and what makes its figures less comparable."""
    text = f"Compared with {name}."
    if min(earlier.totals.repeats, later.totals.repeats) > 1:
        text += " Below each difference is its 95 % interval, from the runs of both, in percent of the energy before."
        text += " Recordings of the same code differ by more than their runs."
    else:
        text += " Differences have no intervals: those take two runs of each recording."
    before, after = _conditions(earlier), _conditions(later)
    unlike = [fact for fact in before | after if before.get(fact, "") != after.get(fact, "")]
    if not unlike:
        return text
    named = [f"{fact} ({_value(before.get(fact))} before, {_value(after.get(fact))} now)" for fact in unlike[:_MOST_FACTS]]
    more = f", and {len(unlike) - _MOST_FACTS} more" if len(unlike) > _MOST_FACTS else ""
    return f"{text} Not only the code differs: {', '.join(named)}{more}."


def _value(text: str | None) -> str:
    return printable_line(text, _LONGEST) if text else "none"


def _conditions(profile: Profile) -> dict[str, str]:
    """What else than code can change the energy of a recording."""
    about, device = profile.about, profile.about.device
    levels = {evidence.component: evidence.level for evidence in profile.evidence}
    time = "exact" if profile.tick_ns is None else "statistical"
    texts = {"device": device.get("model", ""), "identity of the device": device.get("identity", "")}
    texts |= {"power profile": about.power_profile.get("name", ""), "its content": about.power_profile.get("sha256", "")}
    facts = {fact: str(value) for fact, value in texts.items()}
    return facts | recorded_conditions(levels, time, about.settings, profile.project, str(device.get("fingerprint", "")))

"""Warnings about the hogs of a fleet as a whole."""

from __future__ import annotations

import numpy as np

from navitas.counts import counted
from navitas.fleet.hogs import Hogs
from navitas.fleet.verdicts import Claim

_IMPLAUSIBLE_SHARE, _FEW = 0.2, 5
_RELIABLE, _SCREEN = 0.5, 0.9


def warnings_of(hogs: Hogs) -> list[str]:
    """Sentences about results that are implausible or limited, with the likely cause and what helps."""
    judged = np.isfinite(hogs.false_rate)
    named, total = int(hogs.is_hog.sum()), int(judged.sum())
    found = []
    if named > _FEW and named > _IMPLAUSIBLE_SHARE * total:
        found.append(
            f"Warning: {named:,} of {total:,} apps that can be judged are named. So many hogs are implausible. "
            f"The likely cause is something that drains while these apps run and that samples do not show. {_cause(hogs)}"
        )
    if hidden := int(hogs.verdicts.are(Claim.SCREEN).sum()):
        found.append(
            f"{counted(hidden, 'app')} cannot be separated from the screen. Samples with screen_on_s would separate them."
        )
    if short := int((hogs.is_hog & (hogs.evidence.reliability < _RELIABLE)).sum()):
        found.append(
            f"{counted(short, 'hog')} {'runs' if short == 1 else 'run'} for short times between samples. Such a drain follows "
            "from how often the app starts and stops, which is less certain. Samples with running_s would make it exact."
        )
    return found


def _cause(hogs: Hogs) -> str:
    known = np.nanmean(np.where(np.isfinite(hogs.false_rate), hogs.evidence.screen_known, np.nan))
    if known < _SCREEN:
        return "Most samples lack screen_on_s; add it."
    return "Compare with `navitas fleet rates`, and look for a common condition, such as one model or one network."

"""Merge the reasons of many runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from navitas.parse.reasons import MergedReason, Reason


def merged(runs: Sequence[Sequence[Reason]]) -> tuple[MergedReason, ...]:
    """Return every reason once. Reasons that differ only in their share become one with a range of shares."""
    shares: dict[Reason, list[float | None]] = {}
    for reason in (reason for reasons in runs for reason in reasons):
        shares.setdefault(replace(reason, share=None), []).append(reason.share)
    return tuple(_merged(reason, found, len(runs)) for reason, found in shares.items())


def _merged(reason: Reason, shares: Sequence[float | None], runs: int) -> MergedReason:
    known = [share for share in shares if share is not None]
    least, most = (min(known), max(known)) if known else (None, None)
    return MergedReason(reason.code, reason.text, least, most, len(known or shares), runs)

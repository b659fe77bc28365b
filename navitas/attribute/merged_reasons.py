"""The reasons of many runs as one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from navitas.parse.reasons import MergedReason, Reason


def merged(runs: Sequence[Sequence[Reason]]) -> tuple[MergedReason, ...]:
    """Every run's reasons, each once; where runs differ in a reason's share alone, its range."""
    shares: dict[Reason, list[float | None]] = {}
    for reason in (reason for reasons in runs for reason in reasons):
        shares.setdefault(replace(reason, share=None), []).append(reason.share)
    return tuple(_merged(reason, found, len(runs)) for reason, found in shares.items())


def _merged(reason: Reason, shares: Sequence[float | None], runs: int) -> MergedReason:
    known = [share for share in shares if share is not None]
    least, most = (min(known), max(known)) if known else (None, None)
    return MergedReason(reason.code, reason.text, least, most, len(known or shares), runs)

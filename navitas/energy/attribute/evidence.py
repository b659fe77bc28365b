"""The level of evidence of each component over all runs, and the reasons why it is not a better one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from navitas.energy.attribute.calls.nodes import NO_COST
from navitas.energy.attribute.component import Component, ComponentCurves
from navitas.energy.attribute.ledger import Evidence
from navitas.energy.attribute.scaling import NO_USE
from navitas.recording.parse.reasons import MergedReason, Reason
from navitas.recording.parse.tables import RunTables, Thread

_NO_RUN = Reason("no_runs", "the recording holds no run")
_ONLY_BASELINES = Reason("only_baselines", "the recording holds only runs without probes")


def evidence_of(
    component: Component, runs: Sequence[tuple[RunTables, ComponentCurves | None]], *, has_baselines: bool
) -> Evidence:
    """The lowest level of all runs that have data of the component, and every reason once."""
    known = [(run, curves) for run, curves in runs if curves is not None]
    if not known:
        return Evidence(component.name, "none", () if runs else merged([[_ONLY_BASELINES if has_baselines else _NO_RUN]]))
    names = [level.name for level in component.levels]
    level = component.levels[max(names.index(curves.level) for _, curves in known)]
    with_cpu_time = [run for run, curves in known if curves.threads is not None and curves.threads.cpu_ns is not None]
    uncalibrated = any(run.calls.probe_cost is None and any(map(_has_calls, run.threads)) for run in with_cpu_time)
    reasons = (*merged(_reasons([curves for _, curves in known])), *merged([[NO_COST]] if uncalibrated else []))
    rails_j, unscaled_j = (
        [joules for joules in column if joules is not None]
        for column in zip(*((curves.rails_j, curves.unscaled_j) for _, curves in known), strict=True)
    )
    return Evidence(
        component.name,
        level.name,
        reasons,
        level.basis,
        level.expected_error,
        rails_j=sum(rails_j) if rails_j else None,
        unscaled_j=sum(unscaled_j) if unscaled_j else None,
    )


def _reasons(known: Sequence[ComponentCurves]) -> list[Sequence[Reason]]:
    """The reasons of each run. If one run shows what used the component, the others were able to: it was not used in them."""
    if all(NO_USE in curves.reasons for curves in known):
        return [curves.reasons for curves in known]
    return [[reason for reason in curves.reasons if reason != NO_USE] for curves in known]


def _has_calls(thread: Thread) -> bool:
    return len(thread.calls) > 0 or len(thread.folded.node) > 0


def merged(runs: Sequence[Sequence[Reason]]) -> tuple[MergedReason, ...]:
    """Return every reason once. Reasons that differ only in their share become one with a range of shares."""
    shares: dict[Reason, list[float | None]] = {}
    for reason in (reason for reasons in runs for reason in reasons):
        shares.setdefault(replace(reason, share=None), []).append(reason.share)
    merged = []
    for reason, of_runs in shares.items():
        known = [share for share in of_runs if share is not None]
        least, most = (min(known), max(known)) if known else (None, None)
        merged.append(MergedReason(reason.code, reason.text, least, most, len(known or of_runs), len(runs)))
    return tuple(merged)

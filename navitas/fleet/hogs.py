"""Apps that drain the battery on every phone that runs them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.fleet import joint
from navitas.fleet.app_evidence import AppEvidence, evidence_of
from navitas.fleet.joint_effects import joint_effects
from navitas.fleet.single_apps import SingleApps, outliers_of, single_apps
from navitas.fleet.stages import Fleet, Progress, no_progress
from navitas.fleet.statistics import F64, I64, Bool, Effects, false_rates
from navitas.fleet.verdicts import MIN_CLIENTS, AppEstimates, Claim, Verdicts, verdicts_of

MIN_SHARE = 0.02
"""Smallest share of the usual drain that makes a hog."""
_CANDIDATE_T = 2.0
_MOST_CANDIDATES = 500
"""Apps that are regressed together: effects of at least so many standard errors, the most certain ones first."""


@dataclass(frozen=True, slots=True)
class Hogs:
    """All apps, by number. Rates and effects are in ppm of the battery per second.

    `effect` is the extra drain given all other apps that drain, `alone` that of a regression on the app alone. `false_rate` is
    the false discovery rate at which the app is a hog, or NaN with too few clients. `usual_ppm_s` is the drain of all clients.
    `noise_scale` is the clients' real spread divided by the spread that the variance of their pairs implies. `variance` is that
    of the effect among clients. `partner` is the app that runs most along with it, or −1, and `overlap` their correlation.
    """

    app: I64
    clients: I64
    contrasted: I64
    pairs: I64
    seconds: F64
    rate: F64
    effect: Effects
    alone: Effects
    false_rate: F64
    verdicts: Verdicts
    usual_ppm_s: float
    noise_scale: float
    variance: F64
    partner: I64
    overlap: F64
    evidence: AppEvidence

    @property
    def is_hog(self) -> Bool:
        """Whether each app is a hog."""
        return self.verdicts.are(Claim.HOG)


def find_hogs(fleet: Fleet, progress: Progress = no_progress) -> Hogs:
    """Contrast each app's running time with the same clients' other time (docs/fleet-statistics.md, "Hogs").

    Apps that seem to drain or to save are then regressed together. That reads samples, unless it was done before.
    """
    evidence = evidence_of(fleet)
    _, seconds, drop = fleet.totals()
    usual = drop / max(seconds, 1)
    alone = single_apps(fleet, evidence, MIN_SHARE * usual)
    given = _given_others(fleet, evidence, alone, progress)
    effect = given.effect.above(MIN_SHARE * usual)
    false_rate, alone_rate = (_false_rates(one, alone.contrasted) for one in (effect, alone.effect))
    half = effect.half_width
    estimates = AppEstimates(
        false_rate, effect.value - half, effect.value + half, alone.contrasted, alone.seconds, alone_rate, given.overlap
    )
    return Hogs(
        app=evidence.app,
        clients=alone.clients,
        contrasted=alone.contrasted,
        pairs=alone.pairs,
        seconds=alone.seconds,
        rate=alone.drop_ppm / np.maximum(alone.seconds, 1.0),
        effect=effect,
        alone=alone.effect,
        false_rate=false_rate,
        verdicts=verdicts_of(estimates, evidence, MIN_SHARE * usual),
        usual_ppm_s=usual,
        noise_scale=alone.noise_scale,
        variance=alone.variance,
        partner=given.partner,
        overlap=given.overlap,
        evidence=evidence,
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """Effects given all other apps that drain, and the app that runs most along with each."""

    effect: Effects
    partner: I64
    overlap: F64


def _given_others(fleet: Fleet, evidence: AppEvidence, alone: SingleApps, progress: Progress) -> _Given:
    """The effects, where those that differ from 0 are from one regression on all of them."""
    partner, overlap = np.full(len(evidence.app), -1), np.zeros(len(evidence.app))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(alone.effect.value / alone.effect.error)
    chosen = np.flatnonzero(t > _CANDIDATE_T)
    chosen = np.sort(chosen[np.argsort(-t[chosen], kind="stable")][:_MOST_CANDIDATES])
    if not len(chosen):
        return _Given(alone.effect, partner, overlap)
    app = evidence.app[chosen]
    joint.bring_up_to_date(fleet, joint.JointApps(app, evidence.by_class[chosen]), progress)
    found = joint_effects(fleet, app, outliers_of(fleet, evidence, alone, chosen))
    value, error, freedom = (column.copy() for column in (alone.effect.value, alone.effect.error, alone.effect.freedom))
    value[chosen], error[chosen], freedom[chosen] = found.value, found.error, np.maximum(found.clusters - 1, 1.0)
    others = np.abs(found.overlap - np.diag(np.diag(found.overlap)))
    most = others.argmax(axis=1)
    overlap[chosen] = others.max(axis=1)
    partner[chosen] = np.where(overlap[chosen] > 0, app[most], -1)
    return _Given(Effects(value, error, freedom, alone.effect.p), partner, overlap)


def _false_rates(effect: Effects, contrasted: I64) -> F64:
    """False discovery rates by two-sided p-values, so that they agree with intervals. NaN with too few clients."""
    return false_rates(np.where(contrasted >= MIN_CLIENTS, np.minimum(2 * effect.p, 1.0), np.nan))

"""Apps that drain the battery on every phone that runs them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from navitas.fleet.app_evidence import AppEvidence, evidence_of
from navitas.fleet.given_others import given_others
from navitas.fleet.joint_request import JointRequest
from navitas.fleet.single_apps import single_apps
from navitas.fleet.stages import Fleet, Progress, no_progress
from navitas.fleet.statistics import F64, I64, Bool, Effects, false_rates
from navitas.fleet.verdicts import MIN_CLIENTS, AppEstimates, Claim, Verdicts, verdicts_of

MIN_SHARE = 0.02
"""Smallest share of the usual drain that makes a hog."""
_RUNS_ERROR, _SCREEN_ERROR, _CHARGED_ERROR, _SHOWN_ERROR = 0.5, 0.1, 0.15, 0.1
"""Standard errors of what is inferred (docs/dev/decisions.md): relative ones where running times are inferred, times the square
of 1 − reliability, and where the screen's time is; and those of an app which comes with the screen, relative to what the screen
may drain: if its time is unknown, and always, since its drain depends on what it shows, and how brightly, between two samples.
"""


@dataclass(frozen=True, slots=True)
class Hogs:
    """All apps, by number. Rates and effects are in ppm of the battery per second.

    `effect` is the extra drain given all other apps that drain, `alone` that of a regression on the app alone. `false_rate` is
    the false discovery rate at which the app is a hog, or NaN with too few clients. `usual_ppm_s` is the drain of all clients.
    `noise_scale` is the clients' real spread divided by the spread that the variance of their pairs implies. `variance` is that
    of the effect among clients, and `noise_of_clients` the real noise of effects on single clients divided by its estimate.
    `shared_error` is the part of the effect's error that is the same on all clients: what is inferred about the screen.
    `partner` is the app that runs most along with it, or −1, and `overlap` their correlation.
    `request` says which apps were regressed together.
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
    noise_of_clients: float
    shared_error: F64
    partner: I64
    overlap: F64
    evidence: AppEvidence
    request: JointRequest | None

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
    given = given_others(fleet, evidence, alone, usual, progress)
    if_screen_known = _with_model_error(given.effect, evidence).above(MIN_SHARE * usual)
    effect = _with_charged_error(if_screen_known, evidence).above(MIN_SHARE * usual)
    false_rate, known_rate, alone_rate = (_false_rates(one, alone.contrasted) for one in (effect, if_screen_known, alone.effect))
    estimates = AppEstimates(
        false_rate, known_rate, effect.low, effect.high, alone.contrasted, alone.seconds, alone_rate, given.overlap
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
        variance=given.spreads.variance,
        noise_of_clients=given.spreads.noise,
        shared_error=np.hypot(_shown_error(evidence), _charged_error(evidence)),
        partner=given.partner,
        overlap=given.overlap,
        evidence=evidence,
        request=given.request,
    )


def _with_model_error(effect: Effects, evidence: AppEvidence) -> Effects:
    """The effects with errors of what samples do not show of running times and of the screen's drain."""
    of_runs = _RUNS_ERROR * (1 - np.nan_to_num(evidence.reliability, nan=1.0)) ** 2
    of_screen = _SCREEN_ERROR * (1 - np.nan_to_num(evidence.screen_known))
    error = np.hypot(effect.error, _shown_error(evidence))
    return replace(effect, error=error, scale_error=np.hypot(of_runs, of_screen))


def _with_charged_error(effect: Effects, evidence: AppEvidence) -> Effects:
    """The effects with the error of what apps are charged for the screen, where its time is unknown."""
    return replace(effect, error=np.hypot(effect.error, _charged_error(evidence)))


def _shown_error(evidence: AppEvidence) -> F64:
    return _SHOWN_ERROR * evidence.shown_ppm_s


def _charged_error(evidence: AppEvidence) -> F64:
    return _CHARGED_ERROR * evidence.charged_ppm_s


def _false_rates(effect: Effects, contrasted: I64) -> F64:
    """False discovery rates by two-sided p-values, so that they agree with intervals. NaN with too few clients."""
    return false_rates(np.where(contrasted >= MIN_CLIENTS, np.minimum(2 * effect.p, 1.0), np.nan))

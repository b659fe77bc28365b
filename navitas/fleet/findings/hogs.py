"""Apps that drain the battery on every phone that runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from navitas.base.units import counted
from navitas.fleet.findings.client_effects import ClientEffects, app_priors, effects_of_clients
from navitas.fleet.findings.client_weights import client_weights
from navitas.fleet.findings.given_others import GivenOthers, given_others
from navitas.fleet.findings.joint import systems_of
from navitas.fleet.findings.single_apps import AppEvidence, SingleApps, evidence_of, single_apps, with_brightness
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, Bool, Effects, false_rates

FDR_LIMIT = 0.05
"""False discovery rate of hogs."""
MIN_CLIENTS = 3
_ALWAYS = 0.05
"""An app always runs if its clients ran it for all but this share of its time."""
_SCREEN_KNOWN = 0.9
"""With less of the evidence from pairs whose screen time is known, the screen may explain an app's drain."""
_INSEPARABLE = 0.9
"""Apps whose running times correlate by more than this cannot be separated. Nor can an app and the screen, if it is on so much
more often while the app runs that the controls leave nothing of the app's running times.
"""
MIN_SHARE = 0.02
"""Smallest share of the usual drain that makes a hog."""
_SCREEN_ERROR, _CHARGED_ERROR, _SHOWN_ERROR = 0.1, 0.15, 0.1
"""Standard errors of what is inferred (docs/dev/decisions.md): a relative one where the screen's time is inferred; and those of
an app which comes with the screen, relative to what the screen may drain: if its time is unknown, and always, since its drain
depends on what it shows, and how brightly, between two samples.
"""
_IMPLAUSIBLE_SHARE, _FEW = 0.2, 5
_RELIABLE, _SCREEN = 0.5, 0.9


class Claim(StrEnum):
    """What is said about an app."""

    HOG = "hog"
    CLEAN = "clean"
    UNCLEAR = "unclear"
    SCREEN = "not separable from the screen"
    PARTNER = "not separable from another app"
    ALWAYS = "not judged: it always runs"
    FEW = "not judged: too few clients"
    SHORT = "not judged: it runs too briefly"


def claims_of(
    *,
    low: F64,
    high: F64,
    false_rate: F64,
    known_rate: F64,
    alone_rate: F64,
    clients: I64,
    contrasted: I64,
    seconds: F64,
    overlap: F64,
    evidence: AppEvidence,
    least_ppm_s: float,
) -> NDArray[np.object_]:
    """The claim about each app. A hog's whole interval (`low` to `high`, in ppm/s) is above `least_ppm_s`.

    Rates are false discovery rates: `known_rate` is that if the screen's time were known, `alone_rate` that of a regression on
    the app alone. Where the screen's time between samples or its brightness is unknown, an app that comes with the screen may be
    charged for it: at most the screen's drain times the difference that the app makes to it. Such an app is a hog only if it
    drains more than that.
    """
    claim = np.full(len(false_rate), Claim.UNCLEAR, object)
    if least_ppm_s > 0:  # Without any drain, nothing is known.
        claim[high <= least_ppm_s] = Claim.CLEAN
    claim[(alone_rate <= FDR_LIMIT) & (overlap > _INSEPARABLE) & (high > least_ppm_s)] = Claim.PARTNER
    claim[(false_rate <= FDR_LIMIT) & (low > least_ppm_s)] = Claim.HOG
    covered = low - evidence.charged_ppm_s <= least_ppm_s
    unknown = (evidence.screen_known < _SCREEN_KNOWN) | evidence.is_dark
    claim[(known_rate <= FDR_LIMIT) & unknown & covered] = Claim.SCREEN
    # Such an app may drain more than its estimate, so a hog stays one.
    claim[evidence.are_short & np.isin(claim, [Claim.CLEAN, Claim.UNCLEAR])] = Claim.SHORT
    few = contrasted < MIN_CLIENTS
    claim[few] = Claim.FEW
    claim[few & (evidence.varied_s <= _ALWAYS * seconds)] = Claim.ALWAYS
    claim[few & (clients >= MIN_CLIENTS) & (np.nan_to_num(evidence.link) > _INSEPARABLE)] = Claim.SCREEN
    return claim


@dataclass(frozen=True, slots=True)
class Hogs:
    """All apps, by number. Rates and effects are in ppm of the battery per second.

    `alone` has regressions on each app alone, and `given` those given all other apps that drain. `effect` is the extra drain of
    the latter, with the errors of what is inferred. `shared_error` is the part of its error that is the same on all clients: what
    is inferred about the screen. `false_rate` is the false discovery rate at which the app is a hog, or NaN with too few clients
    or too short runs. `usual_ppm_s` is the drain of all clients.
    """

    app: I64
    alone: SingleApps
    given: GivenOthers
    rate: F64
    effect: Effects
    shared_error: F64
    false_rate: F64
    claim: NDArray[np.object_]
    usual_ppm_s: float
    evidence: AppEvidence

    @property
    def is_hog(self) -> Bool:
        """Whether each app is a hog."""
        return np.asarray(self.claim == Claim.HOG, bool)

    def weights_of(self, clients: I64, app: int) -> F64:
        """The weights of clients in sums of an app over clients."""
        needs_brightness = self.evidence.needs_brightness[self.app == app].any(keepdims=True)
        return self.alone.weights.of(clients, needs_brightness)[:, 0]

    @property
    def excluded_ppm_s(self) -> F64:
        """Each app drains less than this, by its 95 % interval. NaN for hogs, and for apps that are not judged."""
        judged = np.isin(self.claim, [Claim.CLEAN, Claim.UNCLEAR, Claim.SCREEN, Claim.PARTNER])
        return np.where(judged, np.maximum(self.effect.high, 0.0), np.nan)


def find_hogs(fleet: Fleet) -> Hogs:
    """Contrast each app's running time with the same clients' other time (docs/fleet-statistics.md, "Hogs").

    Apps that seem to drain or to save are then regressed together. That reads samples, unless it was done before.
    """
    weights = client_weights(fleet)
    evidence = with_brightness(fleet, evidence_of(fleet), weights)
    _, seconds, drop = fleet.totals()
    usual = drop / max(seconds, 1)
    alone = single_apps(fleet, evidence, weights, MIN_SHARE * usual)
    given = given_others(fleet, evidence, alone, usual)
    evidence = given.evidence
    # Errors of what samples do not show of running times and of the screen's drain.
    shown, charged = _SHOWN_ERROR * evidence.shown_ppm_s, _CHARGED_ERROR * evidence.charged_ppm_s
    of_screen = _SCREEN_ERROR * (1 - np.nan_to_num(evidence.screen_known))
    with_errors = replace(
        given.effect,
        error=np.hypot(given.effect.error, shown),
        scale_error=np.hypot(evidence.runs_error, of_screen),
    )
    if_screen_known = with_errors.above(MIN_SHARE * usual)
    effect = replace(if_screen_known, error=np.hypot(if_screen_known.error, charged)).above(MIN_SHARE * usual)
    false_rate, known_rate, alone_rate = (_false_rates(one, alone.contrasted) for one in (effect, if_screen_known, alone.effect))
    claim = claims_of(
        low=effect.low,
        high=effect.high,
        false_rate=false_rate,
        known_rate=known_rate,
        alone_rate=alone_rate,
        clients=alone.clients,
        contrasted=alone.contrasted,
        seconds=alone.seconds,
        overlap=given.overlap,
        evidence=evidence,
        least_ppm_s=MIN_SHARE * usual,
    )
    return Hogs(
        app=evidence.app,
        alone=alone,
        given=given,
        rate=alone.drop_ppm / np.maximum(alone.seconds, 1.0),
        effect=effect,
        shared_error=np.hypot(shown, charged),
        false_rate=np.where(claim == Claim.SHORT, np.nan, false_rate),
        claim=claim,
        usual_ppm_s=usual,
        evidence=evidence,
    )


def _false_rates(effect: Effects, contrasted: I64) -> F64:
    """False discovery rates by two-sided p-values, so that they agree with intervals. NaN with too few clients."""
    return false_rates(np.where(contrasted >= MIN_CLIENTS, np.minimum(2 * effect.p, 1.0), np.nan))


def effects_on_clients(fleet: Fleet, hogs: Hogs, buckets: Sequence[int], *, suspects: bool) -> ClientEffects:
    """The effects on all clients of some buckets, by number of the app: of suspects only, or of hogs, too."""
    request = hogs.given.request
    if request is None:
        return ClientEffects.concatenated([])
    place = np.searchsorted(hogs.app, request.app)
    mean = np.nan_to_num(hogs.effect.value)[place]
    priors = app_priors(request, mean, hogs.given.spreads.variance[place], hogs.is_hog[place], hogs.usual_ppm_s)
    systems = (system.scaled(hogs.given.scale) for system in systems_of(fleet, request, buckets))
    return effects_of_clients(systems, request, priors, hogs.alone.noise_scale, suspects_only=suspects).with_apps(request.app)


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
    if hidden := int((hogs.claim == Claim.SCREEN).sum()):
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

"""The results of a fit, and the model file's content that they make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas import __version__
from navitas.insight.operations.regress.apply import calibrated_hull
from navitas.insight.operations.regress.costs import Term
from navitas.insight.operations.regress.families import FamilyScores, Fitted, standard_error
from navitas.insight.operations.regress.model_file import (
    FamilyScore,
    FoldScore,
    HullPart,
    LeftOut,
    ModelFeature,
    Operation,
    OperationsModel,
    Product,
    Status,
)
from navitas.insight.operations.regress.noise import Growth, Noise
from navitas.insight.operations.regress.prepare import LOSSES, Prepared
from navitas.insight.operations.regress.table import shown

IDLE = "(idle)"


@dataclass(frozen=True, slots=True)
class FitLoss:
    """The loss of a fit, by the kind of noise that it is right for. `is_wanted`: the user named it.

    `growth`: that of errors of left-out cases.
    """

    noise: Noise
    growth: Growth
    is_wanted: bool

    @property
    def name(self) -> str:
        """Its name in files and options."""
        return next(name for name, noise in LOSSES.items() if noise is self.noise)

    @property
    def reason(self) -> str:
        """Why it is used, as a sentence."""
        one = self.growth
        interval = f"95 % interval: {one.low:.2f} to {one.high:.2f}; 0: equal in joules, 1: equal in percent"
        power = f"of left-out cases grow with the energy to the power of {one.exponent:.2f} ({interval})"
        return f"It was requested; errors {power}." if self.is_wanted else f"Errors {power}."


@dataclass(frozen=True, slots=True)
class FitFindings:
    """All results of a fit: the family, the errors of all families and of simple predictions, costs and intervals.

    `noise` is that of the fit's errors in left-out cases.

    `source` is the table's name; `width` the half width of intervals (regress/fit.py). The fitted columns
    are the sums of these `groups` of features.
    """

    source: str
    target: str
    level: float
    fitted: Fitted
    scores: dict[str, FamilyScores]
    baselines: dict[str, FamilyScores]
    loss: FitLoss
    noise: Noise
    terms: list[Term]
    width: float
    groups: list[list[int]]


def described(ready: Prepared, found: FitFindings, notes: Sequence[str]) -> OperationsModel:
    """The model, with coefficients for the units of the table."""
    fitted = found.fitted
    fitted_slopes = (fitted.coefficient[1:] / fitted.cases.scale).tolist()
    places = [[column] for group in found.groups for column in group] + [[i, j] for i, j in fitted.pairs]
    slopes = [slope for group, slope in zip(found.groups, fitted_slopes, strict=False) for _ in group]
    slopes += fitted_slopes[len(found.groups) :]
    hull = calibrated_hull(ready.cases.x, ready.cases.folds)
    scale = ready.cases.scale
    ranges = zip(ready.names, hull.low * scale, hull.high * scale, hull.mean * scale, hull.deviation * scale, strict=True)
    operations = [_operation(term, ready.names, found) for term in found.terms]
    asking = [one.name for one in operations if one.status == "negative"]
    below = [one.name for one in operations if one.cost_j < 0]
    more = [f"merged, since they change together: {shown(one.columns)}" for one in operations if one.status == "merged"]
    if asking:
        more.append(f"cost 0, although the cases ask for a negative one: {shown(asking)}")
    if below:
        more.append(f"negative cost, which is physically impossible: {shown(below)}")
    return OperationsModel(
        navitas_version=__version__,
        source=found.source[-1000:],
        target=found.target,
        rows=len(ready.cases.y),
        family=fitted.family,
        loss=found.loss.name,  # type: ignore[arg-type]
        loss_reason=found.loss.reason,
        noise=found.noise,
        ridge=fitted.ridge,
        level=found.level,
        half_width=found.width,
        idle_j=float(fitted.coefficient[0]),
        features=[
            ModelFeature(name=name, low=low, high=high, mean=mean, deviation=deviation)
            for name, low, high, mean, deviation in ranges
        ],
        products=[Product(features=of, coefficient=float(value)) for of, value in zip(places, slopes, strict=True) if value],
        hull=HullPart(
            axes=hull.axes.tolist(), variance=hull.variance.tolist(), rest=hull.rest, limit=hull.limit, slack=hull.slack
        ),
        left_out=[LeftOut(name=name, usual=usual, reason=reason) for name, usual, reason in ready.left_out],  # type: ignore[arg-type]
        ignored=list(ready.ignored),
        operations=sorted(operations, key=lambda one: -one.share),
        folds=[
            FoldScore(training=_known(one), validation=_known(two))
            for one, two in zip(fitted.scores.training, fitted.scores.validation, strict=True)
        ],
        scores=[
            FamilyScore(
                family=name,
                training=_known(float(np.mean(scores.training))),
                validation=_known(float(np.mean(scores.validation))),
                standard_error=_known(standard_error(scores.validation)),
                mean_j=_known(float(np.mean(scores.mean_j))),
            )
            for name, scores in (found.scores | found.baselines).items()
        ],
        notes=[*notes, *more],
    )


def _operation(term: Term, names: Sequence[str], found: FitFindings) -> Operation:
    own = [names[column] for column in term.columns]
    total = sum(one.energy_j for one in found.terms)
    return Operation(
        name=" + ".join(own)[:1000] or IDLE,
        columns=own,
        cost_j=term.cost_j,
        standard_error_j=term.error_j,
        share=term.energy_j / total if total else 0.0,
        identifiable=term.identifiable,
        status=_status(term),
    )


def _status(term: Term) -> Status:
    if not term.columns:
        return "idle"
    if len(term.columns) > 1:
        return "merged"
    if term.identifiable:
        return "identifiable"
    if term.asks_negative:
        return "negative"
    return "uncertain" if term.cost_j else "zero"


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None

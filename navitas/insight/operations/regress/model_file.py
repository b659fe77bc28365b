"""Files of models of operations: JSON that is checked when it is read (docs/operations.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from navitas.base.errors import UsageError
from navitas.base.model_defects import first_defect
from navitas.base.regular_files import as_utf8, read_regular
from navitas.insight.operations.regress.noise import Noise

FORMAT = "navitas-operations-model"
VERSION = 2
"""Version 1 had no noise between constant and proportional."""
MAX_BYTES = 64 << 20
_FIT = "Make the file with navitas operations fit."
_Name = Annotated[str, Field(max_length=1000)]
_Number = Annotated[float, Field(ge=-1e60, le=1e60)]
_Positive = Annotated[float, Field(ge=1e-60, le=1e60)]
_Size = Annotated[float, Field(ge=0, le=1e60)]
_Place = Annotated[int, Field(ge=0)]
Status = Literal["identifiable", "uncertain", "merged", "zero", "negative", "idle"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class ModelFeature(_Part):
    """A column with coefficients. `low`, `high`, `mean`, `deviation`: of the training rows."""

    name: _Name
    low: _Number
    high: _Number
    mean: _Number
    deviation: _Positive


class Product(_Part):
    """A summand of the energy: joules for a unit of a feature, or of the product of two (numbers of `features`)."""

    features: Annotated[list[_Place], Field(min_length=1, max_length=2)]
    coefficient: _Number


class Operation(_Part):
    """A cost as shown: of one operation, of merged ones (of their sum, in the proportion of the cases), or of idling.

    `share`: of the energy of all cases. `identifiable`: the cost is within 10 % (docs/operations.md, "Costs").
    """

    name: _Name
    columns: list[_Name]
    cost_j: _Number
    standard_error_j: _Size
    share: _Number
    identifiable: bool
    status: Status


class LeftOut(_Part):
    """A column without a coefficient, and its usual value. Other values were not learned."""

    name: _Name
    usual: _Number
    reason: Literal["constant", "rare"]


class FamilyScore(_Part):
    """Errors of a family in cross-validation: NMAE, None if no row has energy; and `mean_j`, the mean in joules."""

    family: _Name
    training: float | None
    validation: float | None
    standard_error: float | None
    mean_j: float | None = None


class FoldScore(_Part):
    """Errors (NMAE) of the model in one fold."""

    training: float | None
    validation: float | None


class HullPart(_Part):
    """Main directions of the standardised features: as in navitas/insight/operations/regress/apply.py."""

    axes: list[list[_Number]]
    variance: list[_Positive]
    rest: _Positive
    limit: _Positive
    slack: _Size = 0.01


class OperationsModel(_Part):
    """A model file. `half_width`: of intervals, in units of the energy to the power of the noise (joules; √J; a share).

    `loss`: which errors the fit weighs, for the reason in `loss_reason`.

    `ignored`: columns of the training table that are no features, such as the target.
    """

    format: Literal["navitas-operations-model"] = "navitas-operations-model"
    schema_version: Literal[1, 2] = 2
    navitas_version: _Name
    source: _Name
    target: _Name
    rows: _Place
    family: _Name
    loss: Literal["squared", "between", "relative"] | None = None
    loss_reason: str = ""
    noise: Noise
    ridge: _Size
    level: Annotated[float, Field(gt=0, lt=1)]
    half_width: _Size
    idle_j: _Number
    features: list[ModelFeature]
    products: list[Product]
    hull: HullPart
    left_out: list[LeftOut]
    ignored: list[_Name]
    operations: list[Operation]
    folds: list[FoldScore]
    scores: list[FamilyScore]
    notes: list[str]


def read_model(path: Path) -> OperationsModel:
    """Read a model file. Raises `UsageError` with the first defect."""
    try:
        data = as_utf8(read_regular(path, MAX_BYTES))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", "Check the path.") from error
    _check_kind(path, data)
    try:
        model = OperationsModel.model_validate_json(data)
    except ValidationError as error:
        place, message = first_defect(error)
        raise UsageError(f"{path}: not a valid model: {place[:200]}: {message}", _FIT) from None
    defect = _defect(model)
    if defect:
        raise UsageError(f"{path}: not a valid model: {defect}", _FIT)
    return model


def _check_kind(path: Path, data: bytes) -> None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON, or truncated: {str(error)[:200]}", _FIT) from None
    kind = found.get("format") if isinstance(found, dict) else None
    if kind != FORMAT:
        what = f"its format is {str(kind)[:80]!r}" if kind is not None else "it has no format"
        raise UsageError(f"{path}: not a model of operations: {what}, not {FORMAT!r}", _FIT)
    version = found.get("schema_version")
    if isinstance(version, int) and version > VERSION:
        raise UsageError(f"{path}: version {version} is newer than this Navitas reads ({VERSION})", "Update Navitas.")


def _defect(model: OperationsModel) -> str:
    """Parts that do not fit each other."""
    features = len(model.features)
    if len({one.name for one in model.features}) < features:
        return "features: two have one name"
    if any(place >= features for one in model.products for place in one.features):
        return "products: a feature that is not listed"
    if len(model.hull.axes) != len(model.hull.variance) or any(len(axis) != features for axis in model.hull.axes):
        return "hull: its sizes differ"
    return ""

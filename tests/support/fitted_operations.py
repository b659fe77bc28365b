"""A model file of operations' costs, without any operation."""

from __future__ import annotations

from navitas.insight.operations.regress.model_file import HullPart, OperationsModel
from navitas.insight.operations.regress.noise import Noise

EMPTY_MODEL = OperationsModel(
    navitas_version="1",
    source="t.csv",
    target="e",
    rows=8,
    family="nnls",
    noise=Noise.CONSTANT,
    ridge=0,
    level=0.9,
    half_width=1,
    idle_j=1,
    features=[],
    products=[],
    hull=HullPart(axes=[], variance=[], rest=1, limit=1),
    left_out=[],
    ignored=[],
    operations=[],
    folds=[],
    scores=[],
    notes=[],
)

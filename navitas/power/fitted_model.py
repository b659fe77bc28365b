"""Model files: coefficients of components, fitted to measured power (docs/power.md, fitted models)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from navitas.base.errors import PowerProfileError
from navitas.base.model_defects import first_defect
from navitas.base.regular_files import as_utf8, open_regular
from navitas.power.defects import MOST_W

FORMAT = "navitas-fitted-model"
MAX_BYTES = 1 << 20
_FIT = "Make the file with navitas power fit."
_Power = Annotated[float, Field(ge=0, le=MOST_W)]
_Name = Annotated[str, Field(max_length=200)]
Unit = Literal["W", "J/MB", "1"]
PARAMETER_UNITS: dict[str, Unit] = {
    "cpu.estimate": "1",
    "screen.on": "W",
    "screen.brightness": "W",
    "wifi.received": "J/MB",
    "wifi.sent": "J/MB",
    "wifi.scan": "W",
    "modem.received": "J/MB",
    "modem.sent": "J/MB",
    "bluetooth.scan": "W",
    "gnss.on": "W",
    "camera.on": "W",
    "flashlight.on": "W",
    "audio.on": "W",
    "video.on": "W",
    "storage.read": "J/MB",
    "storage.written": "J/MB",
    "gpu.screen": "W",
}
"""All parameters of the linear component model, and the units of their coefficients."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class FittedCoefficient(_Part):
    """What one unit of a use costs: watts while it lasts, joules per MB, or (`1`) measured watts per estimated watt.

    `unit` is that of `PARAMETER_UNITS`, which `read_fitted_model` checks.
    `inflation` is its variance inflation factor: 1 if no other parameter changes with it. None for a single parameter.
    """

    parameter: _Name
    unit: _Name
    value: Annotated[float, Field(ge=0, le=1e6)]
    standard_error: Annotated[float, Field(ge=0)]
    inflation: float | None = None


class FittedGroup(_Part):
    """Components that were measured together, with one base power.

    - `measured_by`: the rails, or the file of a power meter.
    - `base_of`: the component that the base power belongs to. None: it is of several, or of the whole phone.
    - `r2`: the share of the power's variance that the model explains.
    - `rmse_w`: the root of the mean squared residual.
    - `held_out_error`: the median relative error of the energy of parts that were left out of the fit. None if unknown.
    - `notes`: parameters that were left out, and doubts.
    """

    components: list[_Name]
    measured_by: list[_Name]
    base_of: _Name | None = None
    intervals: Annotated[int, Field(ge=1)]
    base_w: _Power
    base_error_w: Annotated[float, Field(ge=0)]
    coefficients: list[FittedCoefficient]
    r2: float
    rmse_w: float
    held_out_error: float | None = None
    notes: list[str] = []


class FittedModel(_Part):
    """A model file. `source` names the recordings; `fingerprint` is the software of the device that was measured."""

    format: Literal["navitas-fitted-model"] = "navitas-fitted-model"
    schema_version: Literal[1] = 1
    navitas_version: str
    source: list[_Name]
    device: _Name
    fingerprint: _Name
    groups: list[FittedGroup]

    def group_of(self, component: str) -> FittedGroup | None:
        """The group that a component was measured with."""
        return next((group for group in self.groups if component in group.components), None)

    def listed_components(self) -> str:
        """The first names of its components, and how many more there are."""
        return listed([component for group in self.groups for component in group.components], 20)

    def values(self, component: str) -> dict[str, float]:
        """The coefficients of a component by the last word of their parameters, and `base` if the rails measured nothing else."""
        group = self.group_of(component)
        if group is None:
            return {}
        found = {
            each.parameter.partition(".")[2]: each.value
            for each in group.coefficients
            if each.parameter.partition(".")[0] == component
        }
        return {**found, "base": group.base_w} if found and group.base_of == component else found

    def origin(self, component: str) -> str:
        """Say where the coefficients of a component come from."""
        group = self.group_of(component)
        if group is None:
            return ""
        error = "unknown" if group.held_out_error is None else f"{100 * group.held_out_error:.0f} %"
        by = listed(group.measured_by)
        return f"{group.intervals} intervals of {listed(self.source)}, measured by {by}, held-out error {error}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return the first names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def read_fitted_model(path: Path) -> FittedModel:
    """Read a model file. Raises `PowerProfileError` with the file's name and the first defect."""
    try:
        with open_regular(path) as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise PowerProfileError(f"{path}: cannot be read ({error.strerror}).", "Check the path.") from error
    if len(data) > MAX_BYTES:
        raise PowerProfileError(f"{path}: larger than 1 MiB.", _FIT)
    try:
        model = FittedModel.model_validate_json(as_utf8(data))
    except ValidationError as error:
        place, message = first_defect(error)
        raise PowerProfileError(f"{path}: not a fitted model: {f'{place}: ' if place else ''}{message}.", _FIT) from None
    for each in (each for group in model.groups for each in group.coefficients):
        expected = PARAMETER_UNITS.get(each.parameter)
        if expected is None:
            raise PowerProfileError(f"{path}: unknown parameter {each.parameter!r}.", "Update Navitas, or fit the model again.")
        if each.unit != expected:
            raise PowerProfileError(f"{path}: the unit of {each.parameter} is {each.unit!r}, not {expected!r}.", _FIT)
    return model

"""The thermal service: `dumpsys thermalservice` (ThermalManagerService). The phone stays cool unless the status is overridden."""

from __future__ import annotations

from dataclasses import dataclass

_CELSIUS = 30.0


@dataclass(slots=True)
class ThermalService:
    """The thermal status: 0, or the value of `cmd thermalservice override-status`."""

    override: int | None = None

    def dump(self) -> str:
        """Return the text of `dumpsys thermalservice`."""
        status = self.override or 0
        temperature = f"Temperature{{mValue={_CELSIUS}, mType=3, mName=skin, mStatus={status}}}"
        return (
            f"IsStatusOverride: {str(self.override is not None).lower()}\n"
            "ThermalEventListeners:\n\tcallbacks: 0\n\tkilled: false\n\tbroadcasts count: -1\n"
            f"Thermal Status: {status}\n"
            f"Cached temperatures:\n\t{temperature}\n"
            "HAL Ready: true\nHAL connection:\n\tThermalHAL 2.0 connected: yes\n"
            f"Current temperatures from HAL:\n\t{temperature}\n"
            "Current cooling devices from HAL:\n"
        )

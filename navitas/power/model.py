"""The power model of a phone (AOSP: PowerProfile.java, CpuPowerCalculator.java)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from navitas.power.components.component_power import ComponentPower

if TYPE_CHECKING:
    from navitas.power.fitted_model import FittedModel


@dataclass(frozen=True, slots=True)
class ClusterPower:
    """One cluster: `core_ma[j]` is the current of a running core at `freq_khz[j]` (ascending), `cluster_ma` the cluster's own."""

    cpus: tuple[int, ...]
    freq_khz: NDArray[np.int64]
    core_ma: NDArray[np.float64]
    cluster_ma: float

    def core_ma_at(self, freq_khz: NDArray[np.int64]) -> NDArray[np.float64]:
        """Current of a running core at any frequencies: linear between operating points, constant beyond the ends."""
        return np.interp(freq_khz, self.freq_khz, self.core_ma)

    def as_json(self) -> dict[str, object]:
        """Return the cluster's figures as documents of `navitas power` have them."""
        return {
            "cores": len(self.cpus),
            "cluster_ma": self.cluster_ma,
            "freq_khz": self.freq_khz.tolist(),
            "core_ma": self.core_ma.tolist(),
        }


@dataclass(frozen=True, slots=True)
class CpuPower:
    """Currents in mA: `suspend_ma` always, `idle_ma` while awake, `active_ma` while any core runs, then clusters and cores."""

    suspend_ma: float
    idle_ma: float
    active_ma: float
    clusters: tuple[ClusterPower, ...]


@dataclass(frozen=True, slots=True)
class PowerModel:
    """A profile's values and the voltage that converts them to watts (mA × V = mW).

    `warnings` name defects of the profile, `implausible` those of them that no phone's CPU has.
    `components`: the models of all components but the CPU. `fitted`: a model file, and `filled`, the components whose figures are
    from it.
    """

    name: str
    voltage_v: float
    battery_mah: float | None
    cpu: CpuPower
    warnings: tuple[str, ...] = ()
    implausible: tuple[str, ...] = ()
    components: ComponentPower = field(default_factory=ComponentPower.empty)
    fitted: FittedModel | None = None
    filled: tuple[str, ...] = ()

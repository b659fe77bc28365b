"""Table of a device's energy consumers: what its power statistics attribute to components, and to apps by uid."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.device_states import NO_UID


@dataclass(frozen=True, slots=True)
class EnergyConsumers:
    """Readings of consumers (AOSP: android.hardware.power.stats, EnergyConsumer). The device computes them from its rails.

    - `names` and `kinds`: of consumer k, such as `CPUCL0` and `CPU_CLUSTER`.
    - `t_ns`, `energy_j`: consumer k has used `energy_j[i, k]` in total at `t_ns[i]`.
    - `uid_consumer`, `uid`, `uid_t_ns`, `uid_energy_j`: rows of what a consumer has used in total for an app, in order of time.
    - `app_uid`: the uid of the profiled app, `NO_UID` if it is unknown.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    t_ns: I64
    energy_j: F64
    uid_consumer: I64
    uid: I64
    uid_t_ns: I64
    uid_energy_j: F64
    app_uid: int = NO_UID

"""The mobile modem: its currents by technology, or those of an active and an idle radio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.components.modem_currents import active_currents
from navitas.power.power_profile import PowerProfile

_SIGNAL_LEVELS = 5
_LOWEST_IDLE_MA = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class ModemPower:
    """Currents of a modem. For `receive_ma` and `transmit_ma`, see `active_currents`.

    `active_ma` is the current of the active radio in any technology, and `signal_ma` that of the idle radio by signal level.
    """

    sleep_ma: float
    idle_ma: float
    receive_ma: NDArray[np.float64]
    transmit_ma: NDArray[np.float64]
    active_ma: float
    scanning_ma: float
    signal_ma: tuple[float, ...]
    voltage_mv: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> ModemPower:
        """Read the `<modem>` element, `modem.controller.*` and `radio.*` (AOSP: MobileRadioPowerCalculator's constructor).

        Without `radio.active`, the active radio draws the mean of receiving and the five transmit levels. Without `radio.on`, the
        idle radio draws `idle`·25/180 at signal level 0, and `idle`/256 but at least 1 mA at all others, or 0 if `idle` is 0.
        """
        keys = ProfileKeys("modem", profile)
        is_timed = keys.has("radio.active") and not any(
            keys.has(key)
            for key in ("modem.idle", "modem.controller.idle", "modem.controller.rx", "modem.active.DEFAULT.receive")
        )
        sleep, idle = (next(iter(keys.values(f"modem.{state}", optional=True)), None) for state in ("sleep", "idle"))
        if sleep is None:
            sleep = keys.value("modem.controller.sleep", optional=is_timed)
        if idle is None:
            idle = keys.value("modem.controller.idle", optional=is_timed)
        receive_ma, transmit_ma = active_currents(keys, is_optional=is_timed)
        mean_ma = float((receive_ma[0, 0] + transmit_ma[0, 0].sum()) / (1 + transmit_ma.shape[2]))
        imputed_ma = (idle * 25 / 180, *[max(_LOWEST_IDLE_MA, idle / 256)] * (_SIGNAL_LEVELS - 1)) if idle else ()
        return cls(
            sleep,
            idle,
            receive_ma,
            transmit_ma,
            next(iter(keys.values("radio.active", optional=True)), mean_ma),
            keys.value("radio.scanning", optional=True),
            keys.values("radio.on", optional=not is_timed) or imputed_ma,
            keys.value("modem.controller.voltage", optional=True),
            keys.coverage(),
        )

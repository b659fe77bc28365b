"""The mobile modem: its currents by technology, or those of an active and an idle radio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.modem_element import FREQUENCIES, TECHNOLOGIES, TX_LEVELS, active_key
from navitas.power.power_profile import PowerProfile

_SIGNAL_LEVELS = 5
_LOWEST_IDLE_MA = 1.0


def active_currents(keys: ProfileKeys, *, is_optional: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return receive currents, shape (`TECHNOLOGIES`, `FREQUENCIES`), and transmit currents, with levels as a third dimension.

    Technologies other than those named (2G, 3G) are DEFAULT.
    A missing current is that of its technology, else of DEFAULT, else of the older `modem.controller.rx` and `.tx`
    (AOSP: ModemPowerProfile.getAverageBatteryDrainMa, PowerProfile.handleDeprecatedModemConstant).
    """
    is_nested = any(
        keys.has(active_key(technology, frequency, "receive")) for technology in TECHNOLOGIES for frequency in FREQUENCIES
    )
    flat_rx, flat_tx = (keys.values(f"modem.controller.{one}", optional=is_optional or is_nested) for one in ("rx", "tx"))
    receive = np.zeros((len(TECHNOLOGIES), len(FREQUENCIES)))
    transmit = np.zeros((len(TECHNOLOGIES), len(FREQUENCIES), TX_LEVELS))
    for (row, technology), (column, frequency) in product(enumerate(TECHNOLOGIES), enumerate(FREQUENCIES)):
        names = (technology, frequency)
        receive[row, column] = _current(keys, names, "receive", flat_rx[:1], is_nested)
        for level in range(TX_LEVELS):
            flat = flat_tx[min(level, len(flat_tx) - 1) :][:1]
            transmit[row, column, level] = _current(keys, names, f"transmit.{level}", flat, is_nested)
    return receive, transmit


def _current(keys: ProfileKeys, names: tuple[str, str], what: str, flat: Sequence[float], is_nested: bool) -> float:
    default = active_key("DEFAULT", "DEFAULT", what)
    for key in (active_key(*names, what), active_key(names[0], "DEFAULT", what), default):
        if keys.has(key):
            return keys.value(key)
    return flat[0] if flat else keys.value(default, optional=not is_nested)


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

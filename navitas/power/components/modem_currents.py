"""The currents of an active modem by radio technology and NR frequency (AOSP: ModemPowerProfile)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from navitas.power.components.coverage import ProfileKeys
from navitas.power.modem_element import FREQUENCIES, TECHNOLOGIES, TX_LEVELS, active_key


class Technology(IntEnum):
    """Radio technologies in a profile. All others (2G, 3G) are DEFAULT."""

    DEFAULT = 0
    LTE = 1
    NR = 2


class NrFrequency(IntEnum):
    """Frequency ranges of NR (5G)."""

    DEFAULT = 0
    LOW = 1
    MID = 2
    HIGH = 3
    MMWAVE = 4


def active_currents(keys: ProfileKeys, *, is_optional: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return receive currents, shape (technologies, frequencies), and transmit currents, with levels as a third dimension.

    A missing current is that of its technology, else of DEFAULT, else of the older `modem.controller.rx` and `.tx`
    (AOSP: ModemPowerProfile.getAverageBatteryDrainMa, PowerProfile.handleDeprecatedModemConstant).
    """
    is_nested = any(
        keys.has(active_key(technology, frequency, "receive")) for technology in TECHNOLOGIES for frequency in FREQUENCIES
    )
    flat_rx, flat_tx = (keys.values(f"modem.controller.{one}", optional=is_optional or is_nested) for one in ("rx", "tx"))
    receive = np.zeros((len(TECHNOLOGIES), len(FREQUENCIES)))
    transmit = np.zeros((len(TECHNOLOGIES), len(FREQUENCIES), TX_LEVELS))
    for technology in Technology:
        for frequency in NrFrequency:
            names = (technology.name, frequency.name)
            receive[technology, frequency] = _current(keys, names, "receive", flat_rx[:1], is_nested)
            for level in range(TX_LEVELS):
                flat = flat_tx[min(level, len(flat_tx) - 1) :][:1]
                transmit[technology, frequency, level] = _current(keys, names, f"transmit.{level}", flat, is_nested)
    return receive, transmit


def _current(keys: ProfileKeys, names: tuple[str, str], what: str, flat: Sequence[float], is_nested: bool) -> float:
    default = active_key("DEFAULT", "DEFAULT", what)
    for key in (active_key(*names, what), active_key(names[0], "DEFAULT", what), default):
        if keys.has(key):
            return keys.value(key)
    return flat[0] if flat else keys.value(default, optional=not is_nested)

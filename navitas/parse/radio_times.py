"""What the controller of a radio reports of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class RadioTimes:
    """How long a radio received, sent, and was awake without doing either during a run.

    Source: the controller's activity in batterystats (AOSP: WifiActivityEnergyInfo, ModemActivityInfo).
    """

    radio: Literal["wifi", "modem"]
    received_ns: int
    sent_ns: int
    idle_ns: int

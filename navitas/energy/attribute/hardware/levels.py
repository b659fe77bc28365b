"""What components other than the CPU share: their levels of evidence, and the rails that measure all of their energy."""

from __future__ import annotations

import re
from functools import cache

from navitas.energy.attribute.component import EvidenceLevel, RailUse
from navitas.energy.attribute.scaling import RAILS

# Source: Perfetto's trace processor, MapToFriendlyPowerRailName (android_probes_module.cc), and the consumers of Android's power
# statistics on Pixel phones (android.hardware.power.stats-service.pixel). Names differ between models in prefixes and suffixes:
# VSYS_PWR_DISPLAY and PPVAR_VSYS_PWR_DISP, S2S_VDD_G3D and S2S_VDD_GPU. So patterns compare one word of a name.
# That the flashlight is on the camera's rail is assumed.
_WORDS = {
    "screen": r"DISP(LAY)?(_INNER|_OUTER)?",
    "wifi": r"WLAN(_BT)?|WIFI(_BT)?",
    "bluetooth": r"WLAN_BT|WIFI_BT|BT|BLUETOOTH",
    "modem": r"MODEM|RFFE|MMWAVE",
    "gnss": r"GNSS(_CORE)?|GPS",
    "camera": r"CAM(ERA)?",
    "flashlight": r"FLASH(LIGHT)?|TORCH|CAM(ERA)?",
    "audio": r"AUDIO|SPEAKER|SPKR",
    "video": r"VIDEO|MFC",
    "sensors": r"SENSORS?",
    "storage": r"UFS|EMMC|STORAGE",
    "gpu": r"G3D|GPU",
}
_PATTERNS = {name: re.compile(rf"(?:^|_)(?:{words})(?:$|_)", re.IGNORECASE) for name, words in _WORDS.items()}


@cache
def total_of(component: str, rail: str) -> RailUse | None:
    """`RailUse.TOTAL` if the rail measures all energy of the component."""
    pattern = _PATTERNS.get(component)
    return RailUse.TOTAL if pattern is not None and pattern.search(rail) else None


LEVELS = (
    EvidenceLevel(RAILS, "its power rails; the model splits what they measured"),
    EvidenceLevel("hooks", "hooks of the calls that used it"),
    EvidenceLevel("counters", "counters of its traffic, shared among the calls that were open"),
    EvidenceLevel("states", "the time that it spent in each state"),
    EvidenceLevel("profile", "the power profile alone, with a constant state"),
)


class HardwareComponent:
    """A component other than the CPU. Its rails have all of its energy."""

    __slots__ = ()
    name: str
    levels = LEVELS

    def rail_use(self, rail: str) -> RailUse | None:
        return total_of(self.name, rail)

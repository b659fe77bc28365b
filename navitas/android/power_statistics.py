"""Text of `dumpsys` of Android's power statistics: energy meters (rails) and energy consumers, since the boot of the phone.

Source: PowerStats::dump of Pixel's service (hardware/google/pixel, powerstats). It prints energies as float32, so steps grow with
the total: 1 mJ after 10 kJ, 60 mJ after 1 MJ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SERVICE = "android.hardware.power.stats.IPowerStats/default"
SERIES = f"/dumpsys/{SERVICE}"
"""The name of its readings in a recording's `shell.txt`."""
_MOST = 256
_MOST_BY_UID = 10_000
_J_PER_MWS = 1e-3
_ENERGY = r"(\d{1,15}(?:\.\d{1,3})?) mWs\b"
_BEGIN = re.compile(r"^=+ PowerStats HAL 2\.0 (energy (?:consumers|meter)) =+\s*$")
_END = re.compile(r"^=+ End of PowerStats HAL")
_METER = re.compile(rf"^\s*(?:\[([^\]\n]{{1,64}})\](?::\S{{0,64}})?|(\S{{1,64}}))\s+{_ENERGY}")
_CONSUMER = re.compile(rf"^(\S[^:=\n]{{0,63}}?)\s*[:=]\s*{_ENERGY}")
_BY_UID = re.compile(rf"^\s+(-?\d{{1,10}}) - \s*{_ENERGY}")


@dataclass(frozen=True, slots=True)
class PowerStatistics:
    """Joules of each rail (`meters`) and consumer by name, and of each uid by consumer.

    `skipped` counts the lines in these sections that are no figures.
    """

    meters: dict[str, float] = field(default_factory=dict)
    consumers: dict[str, float] = field(default_factory=dict)
    by_uid: dict[str, dict[int, float]] = field(default_factory=dict)
    skipped: int = 0


def parse_power_statistics(text: str) -> PowerStatistics:
    """Read the sections of meters and consumers. Other sections and unknown lines are ignored."""
    meters: dict[str, float] = {}
    consumers: dict[str, float] = {}
    by_uid: dict[str, dict[int, float]] = {}
    section, consumer, skipped, users = "", "", 0, 0
    for line in text.splitlines():
        if begin := _BEGIN.match(line):
            section, consumer = begin[1], ""
        elif _END.match(line):
            section = ""
        elif not section or not line.strip() or line.split()[0] in ("Channel", "Elapsed"):
            continue
        elif section == "energy meter" and len(meters) < _MOST and (found := _METER.match(line)):
            meters[found[1] or found[2]] = float(found[3]) * _J_PER_MWS
        elif section == "energy consumers" and consumer and users < _MOST_BY_UID and (found := _BY_UID.match(line)):
            by_uid.setdefault(consumer, {})[int(found[1])] = float(found[2]) * _J_PER_MWS
            users += 1
        elif section == "energy consumers" and len(consumers) < _MOST and (found := _CONSUMER.match(line)):
            consumer = found[1]
            consumers[consumer] = float(found[2]) * _J_PER_MWS
        else:
            skipped += 1
    return PowerStatistics(meters, consumers, by_uid, skipped)

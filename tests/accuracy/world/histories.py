"""A phone's history of batterystats, as `dumpsys batterystats --checkin` prints it since a reset at the start of the world.

Form: AOSP's BatteryStats.HistoryPrinter. A line has the milliseconds since the line before; at a start of the phone, time goes
on as if it had been off for half a second, and a TIME line has the true time. All states are printed again then.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from world.battery import CHARGING, DISCHARGING
from world.networks import MOBILE, WIFI
from world.phone import Phone
from world.rows import START_S
from world.spans import Floats, Spans, difference, intersection

_RESTART_MS = 500
_BRIGHTNESS = ("dark", "dim", "medium", "light", "bright")
_NETWORKS = ((WIFI, 1, 0), (MOBILE, 0, 2))
"""Each network with Android's number of it, and the text of its connection. That of its end follows."""
_FIRST_APP = 4
_FIRST_UID = 10_000

Item = tuple[float, str]


def history_text(phone: Phone, times_s: Floats, level: Floats) -> str:
    """Return the history with these changes of the level."""
    lines = ["9,0,i,vers,36,214,AP1A.240305.019.A1,AP1A.240305.019.A1"]
    for _, number, text in _NETWORKS:
        lines += [f'9,hsp,{text},{number},"CONNECTED"', f'9,hsp,{text + 1},{number},"DISCONNECTED"']
    lines += [f'9,hsp,{_FIRST_APP + index},{_FIRST_UID + index},"{app.package}"' for index, app in enumerate(phone.apps.values())]
    on = difference(np.array([[0.0, phone.end_s]]), phone.off)
    for start_s, end_s in on.tolist():
        if start_s == on[0, 0]:
            lines.append(f"9,h,0:RESET:TIME:{_ms(START_S + start_s)}")
        else:
            lines += [f"9,h,{_RESTART_MS}:START", f"9,h,0:TIME:{_ms(START_S + start_s)}"]
        last_ms = _ms(start_s)
        for time_s, item in _items(phone, times_s, level, start_s, end_s):
            lines.append(f"9,h,{_ms(time_s) - last_ms},{item}")
            last_ms = _ms(time_s)
        if end_s < phone.end_s:
            lines.append(f"9,h,{_ms(end_s) - last_ms}:SHUTDOWN")
    return "\n".join([*lines, ""])


def _items(phone: Phone, times_s: Floats, level: Floats, start_s: float, end_s: float) -> list[Item]:
    """All items between a start of the phone and its end, in order: the battery first, and ends before begins."""
    within = np.array([[start_s, end_s]])
    inside = (times_s > start_s) & (times_s < end_s)
    first = int(np.floor(phone.phases.levels(np.array([start_s]), phone.rates)[0] + 1e-9))
    items = [(start_s, f"Bl={first},+r"), *zip(times_s[inside].tolist(), (f"Bl={one:.0f}" for one in level[inside]), strict=True)]
    charging = intersection(phone.phases.spans(CHARGING), within)
    discharging = intersection(phone.phases.spans(DISCHARGING), within)
    items += [(begin_s, "Bs=c,Bp=a,+BP") for begin_s in charging[:, 0].tolist()]
    items += [(begin_s, "Bs=d,Bp=n,-BP") for begin_s in discharging[:, 0].tolist()]
    items += _switched("S", phone.person.lit, within)
    items += _switched("ps", phone.phases.spans(DISCHARGING, saver=True), within)
    for lit, brightness in zip(phone.person.lit, phone.person.brightness, strict=True):
        at_s = max(float(lit[0]), start_s)
        if at_s < min(float(lit[1]), end_s):
            items.append((at_s, f"Sb={_BRIGHTNESS[min(int(brightness * len(_BRIGHTNESS)), len(_BRIGHTNESS) - 1)]}"))
    for network, _, text in _NETWORKS:
        spans = intersection(phone.connections.spans(network), within)
        items += [(time_s, f"Ecn={text + end}") for end in (0, 1) for time_s in spans[:, end].tolist() if time_s < end_s]
    for number, index in enumerate(phone.apps, _FIRST_APP):
        items += _switched(f"Epr={number}", phone.runs[index], within)
        items += _switched(f"Etp={number}", phone.foreground.spans(index), within)
    return sorted(items, key=lambda item: (_ms(item[0]), not item[1].startswith("B"), not _is_end(item[1])))


def _switched(item: str, spans: Spans, within: Spans) -> Iterator[Item]:
    """The begins of a state, and those of its ends at which the phone stays on."""
    for begin_s, end_s in intersection(spans, within).tolist():
        yield begin_s, f"+{item}"
        if end_s < within[0, 1]:
            yield end_s, f"-{item}"


def _is_end(item: str) -> bool:
    return item.startswith("-") or item in {f"Ecn={text + 1}" for _, _, text in _NETWORKS}


def _ms(time_s: float) -> int:
    return round(time_s * 1000)

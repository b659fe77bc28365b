"""The section `Estimated power use (mAh)` of a text dump, in all its forms.

| Android | rows |
|---|---|
| 4.4 – 11 | `Uid u0a192: 53.8 ( cpu=53.7 wifi=0.0960 )`, `Screen: 241` |
| 12 – 14 | `Global` with `screen: 12.3 apps: 4.5 duration: 1m`, `UID u0a1: 1.2 fg: 0.5 (5m 22s) ( cpu=1 )` |
| 15, 16 | the same, with the components of a user on the next line and blocks such as `(on battery, screen on)` |
"""

from __future__ import annotations

import re

from navitas.batterystats.line_counts import LineCounts
from navitas.batterystats.numbers import NUMBER, parse_number, parse_uid
from navitas.batterystats.statistics import Statistics, component_name

_BEGIN = re.compile(r"\s*Estimated (?:power|battery) use\s*\(mAh\).*")
_CAPACITY = re.compile(r"(?i)(capacity|rated|typical|computed drain|actual drain): (\d[\d.,]*)(?:-(\d[\d.,]*))?")
_USER = re.compile(rf"\s*(?:UID|Uid) ([^\s:]+): ({NUMBER})(.*)")
_DEVICE = re.compile(rf"\s+([A-Za-z][\w \-/?]{{0,40}}): ({NUMBER})(.*)")
_APPS = re.compile(rf"\bapps: ({NUMBER})")
_COMPONENT = re.compile(rf"([A-Za-z_][\w\-]{{0,40}})(?::([\w\-]{{1,40}}))?=({NUMBER})", re.ASCII)
_STATE = re.compile(rf"(?<=\s)([a-z_]{{1,20}}): ({NUMBER})")
_BLOCK = re.compile(r"\s+\((.{1,200})\)\s*")
_PARENTHESES = re.compile(r"\([^()]*\)")


class TextPower:
    """Reads the lines of the section one by one."""

    def __init__(self, found: Statistics, counts: LineCounts) -> None:
        self._found = found
        self._counts = counts
        self._is_inside = False
        self._uid: int | None = None
        self._block = ""

    def read(self, line: str) -> bool:
        """Read a line. Return False if it does not belong to the section, which ends there."""
        if _BEGIN.fullmatch(line):
            self._is_inside, self._uid, self._block = True, None, ""
            self._counts.accept()
            return True
        if self._is_inside and line[:1].isspace():
            is_known = self._row(line)
            if is_known:
                return True
        self._is_inside = False
        return False

    def _row(self, line: str) -> bool:
        user = _USER.fullmatch(line)
        if user is not None:
            self._user(user, line)
        elif (block := _BLOCK.fullmatch(line)) is not None and not _COMPONENT.search(line):
            self._block = block[1]
            self._counts.accept()
        elif line.strip() == "Global":
            self._uid, self._block = None, ""
            self._counts.accept()
        elif _CAPACITY.search(line):
            self._totals(line)
        elif (device := _DEVICE.fullmatch(line)) is not None:
            self._device(device, line)
        elif _COMPONENT.match(line.strip()):
            self._components(line, line)
        else:
            return False
        return True

    def _user(self, found: re.Match[str], line: str) -> None:
        self._uid, self._block = parse_uid(found[1]), ""
        charge = parse_number(found[2])
        if self._uid is None or charge is None:
            self._counts.refuse("estimated power use: unreadable user", line.encode())
            return
        self._found.add_power("uid", self._uid, "app", "", charge)
        rest = found[3].partition("Including smearing")[0]
        for state, text in _STATE.findall(_PARENTHESES.sub("", rest)):
            if (part := parse_number(text)) is not None:
                self._found.add_power("uid", self._uid, "app", state, part)
        if "=" in rest:
            self._components(rest, line)
        else:
            self._counts.accept()

    def _components(self, text: str, line: str) -> None:
        if self._uid is None:
            self._counts.refuse("estimated power use: components of no user", line.encode())
            return
        bad = False
        for name, state, number in _COMPONENT.findall(text):
            charge = parse_number(number)
            if charge is None:
                bad = True
            else:
                self._found.add_power("uid", self._uid, component_name(name), self._state(state), charge)
        if bad:
            self._counts.refuse("estimated power use: unreadable number", line.encode())
        else:
            self._counts.accept()

    def _state(self, state: str) -> str:
        return ", ".join(part for part in (self._block, state) if part)

    def _device(self, found: re.Match[str], line: str) -> None:
        charge, apps = parse_number(found[2]), _APPS.search(found[3])
        if charge is None:
            self._counts.refuse("estimated power use: unreadable number", line.encode())
            return
        name = component_name(found[1])
        self._found.add_power("device", -1, name, self._block, charge)
        if apps is not None and (share := parse_number(apps[1])) is not None:
            self._found.add_power("apps", -1, name, self._block, share)
        self._counts.accept()

    def _totals(self, line: str) -> None:
        for name, least, most in _CAPACITY.findall(line):
            key = name.lower().replace(" ", "_")
            if (number := parse_number(least)) is not None:
                self._found.add_counter(-1, f"{key}_mah" if key != "actual_drain" else "actual_drain_least_mah", "", number)
            if key == "actual_drain" and (number := parse_number(most or least)) is not None:
                self._found.add_counter(-1, "actual_drain_most_mah", "", number)
        self._counts.accept()

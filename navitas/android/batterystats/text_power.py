"""The section `Estimated power use (mAh)` of a text dump, in all its forms.

| Android | rows |
|---|---|
| 4.4 – 11 | `Uid u0a192: 53.8 ( cpu=53.7 wifi=0.0960 )`, `Screen: 241` |
| 12 – 14 | `Global` with `screen: 12.3 apps: 4.5 duration: 1m`, `UID u0a1: 1.2 fg: 0.5 (5m 22s) ( cpu=1 )` |
| 15, 16 | the same, with the components of a user on the next line and blocks such as `(on battery, screen on)` |
"""

from __future__ import annotations

import re

from navitas.android.batterystats.line_counts import LineCounts
from navitas.android.batterystats.numbers import NUMBER, parse_number, parse_uid
from navitas.android.batterystats.statistics import Statistics, component_name

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
        refusal = ""
        if user := _USER.fullmatch(line):
            refusal = self._user(user)
        elif (block := _BLOCK.fullmatch(line)) is not None and not _COMPONENT.search(line):
            self._block = block[1]
        elif line.strip() == "Global":
            self._uid, self._block = None, ""
        elif _CAPACITY.search(line):
            self._totals(line)
        elif device := _DEVICE.fullmatch(line):
            refusal = self._device(device)
        elif _COMPONENT.match(line.strip()):
            refusal = self._components(line)
        else:
            return False
        if refusal:
            self._counts.refuse(f"estimated power use: {refusal}", line.encode())
        else:
            self._counts.accept()
        return True

    def _user(self, found: re.Match[str]) -> str:
        """Read the estimates of a user. Returns what cannot be read, as do the readers of other rows."""
        self._uid, self._block = parse_uid(found[1]), ""
        charge = parse_number(found[2])
        if self._uid is None or charge is None:
            return "unreadable user"
        self._found.add_power("uid", self._uid, "app", "", charge)
        rest = found[3].partition("Including smearing")[0]
        for state, text in _STATE.findall(_PARENTHESES.sub("", rest)):
            if (part := parse_number(text)) is not None:
                self._found.add_power("uid", self._uid, "app", state, part)
        return self._components(rest) if "=" in rest else ""

    def _components(self, text: str) -> str:
        if self._uid is None:
            return "components of no user"
        charges = [(name, state, parse_number(number)) for name, state, number in _COMPONENT.findall(text)]
        for name, state, charge in charges:
            if charge is not None:
                part = ", ".join(filter(None, (self._block, state)))
                self._found.add_power("uid", self._uid, component_name(name), part, charge)
        return "unreadable number" if any(charge is None for *_, charge in charges) else ""

    def _device(self, found: re.Match[str]) -> str:
        charge, apps = parse_number(found[2]), _APPS.search(found[3])
        if charge is None:
            return "unreadable number"
        name = component_name(found[1])
        self._found.add_power("device", -1, name, self._block, charge)
        if apps is not None and (share := parse_number(apps[1])) is not None:
            self._found.add_power("apps", -1, name, self._block, share)
        return ""

    def _totals(self, line: str) -> None:
        for name, least, most in _CAPACITY.findall(line):
            key = name.lower().replace(" ", "_")
            if (number := parse_number(least)) is not None:
                self._found.add_counter(-1, f"{key}_mah" if key != "actual_drain" else "actual_drain_least_mah", "", number)
            if key == "actual_drain" and (number := parse_number(most or least)) is not None:
                self._found.add_counter(-1, "actual_drain_most_mah", "", number)

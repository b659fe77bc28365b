"""The items of history lines as numbered changes. The same items are read once, because histories repeat themselves."""

from __future__ import annotations

import re
from array import array

import numpy as np

from navitas.batterystats.history_line import PoolName, split_item
from navitas.batterystats.keys import CODES, KEYS, OFF, STATE_NAMES, STATE_NUMBERS, WIFI_RADIO_SINCE, Kind
from navitas.batterystats.line_counts import LineCounts
from navitas.batterystats.names import MOST_NAMES, Names
from navitas.batterystats.numbers import parse_integer, parse_number
from navitas.batterystats.tables import Integers
from navitas.batterystats.uids import parse_uid

NOTE = len(STATE_NAMES)
"""Number of a pseudo-state: the value is a reason in `Changes.reasons`."""
CLEAR = NOTE + 1
"""Number of a pseudo-state: all states end."""
NAME_BITS = 32
CLEARED = b":,"
"""Prefix of the items of a line that clears all states; `:` + items without it."""
_MOST_TEXTS = 1 << 17
_TEXT_ITEM = re.compile(r'([+-]?)([A-Za-z]\w*)(?:=([^\s"]*"[^"]*"|\S*))?(?=\s|$)|(\S+)', re.ASCII)
_TEXT_NAME = re.compile(r'([^:"]*):"(.*)"')
_RAW_STATES = re.compile(r"[0-9a-f]{6,16}")
_MILLI = frozenset(STATE_NUMBERS[name] for name in ("charge", "modemRailChargemAh", "wifiRailChargemAh"))
_LEVEL, _IDLE = STATE_NUMBERS["level"], STATE_NUMBERS["device_idle"]
_UNREADABLE = "an item that cannot be read"


class Changes(dict[bytes, int]):
    """Numbers texts of items. `rows` expands these numbers to columns of changes.

    A change is a series (state << 32 | name) and a value. Texts begin with `,` (checkin), a level of three digits (text),
    or `:` (a line with words such as RESET).
    """

    def __init__(self, names: Names, counts: LineCounts) -> None:
        super().__init__()
        self._names = names
        self._counts = counts
        self._pool: dict[bytes, int] = {}
        self._missing: set[bytes] = set()
        self._text = b""
        self.version = 0
        self.reasons: list[str] = []
        self._reason_numbers: dict[str, int] = {}
        self._first, self._size, self._series, self._value = array("q"), array("q"), array("q"), array("q")

    def define(self, one: PoolName) -> None:
        """Give a pool number its name. Texts that were read with another name are forgotten."""
        tag = one.name.decode("utf-8", "replace").replace('\\"', '"').replace("\\\\", "\\")
        uid = parse_uid(one.uid.decode())
        number = self._names.number(-1 if uid is None else uid, tag)
        known = self._pool.get(one.number)
        if known == number:
            return
        if known is not None or one.number in self._missing:
            self.clear()
            self._missing.clear()
        if known is not None or len(self._pool) < MOST_NAMES:
            self._pool[one.number] = number

    def set_version(self, version: int) -> None:
        """Set the checkin version, which decides the meaning of `Wr`."""
        if (version < WIFI_RADIO_SINCE) != (self.version < WIFI_RADIO_SINCE):
            self.clear()
        self.version = version

    def forget(self) -> None:
        """Free memory if there are too many different texts. Numbers that were returned before become invalid."""
        if len(self._first) > _MOST_TEXTS or len(self._series) > 4 * _MOST_TEXTS:
            self.clear()
            self._missing.clear()
            for column in (self._first, self._size, self._series, self._value):
                del column[:]

    def rows(self, numbers: Integers) -> tuple[Integers, Integers, Integers]:
        """Return (position in `numbers`, series, value) of each change."""
        first, size = np.array(self._first, np.int64)[numbers], np.array(self._size, np.int64)[numbers]
        position = np.repeat(np.arange(len(numbers)), size)
        ends = np.cumsum(size)
        row = np.repeat(first - ends + size, size) + np.arange(len(position))
        return position, np.array(self._series, np.int64)[row], np.array(self._value, np.int64)[row]

    def __missing__(self, text: bytes) -> int:
        number = len(self._first)
        begin = len(self._series)
        self._text = text
        decoded = text.decode("utf-8", "replace")
        if text[:1] in (b":", b","):
            if text.startswith(CLEARED):
                self._add(CLEAR, 0, OFF)
            self._checkin(decoded.lstrip(":,"))
        elif text:
            self._add(_LEVEL, 0, int(text[:3]))
            self._readable(decoded[3:])
        self._first.append(begin)
        self._size.append(len(self._series) - begin)
        self[text] = number
        return number

    def _checkin(self, items: str) -> None:
        for item in items.split(",") if items else ():
            found = split_item(item)
            if found is None:
                self._note(_UNREADABLE)
            elif not self._item(*found):
                return

    def _readable(self, items: str) -> None:
        for sign, key, value, rest in _TEXT_ITEM.findall(items):
            if rest or not key:
                if not _RAW_STATES.fullmatch(rest):
                    self._note(_UNREADABLE)
            elif sign or value or not _RAW_STATES.fullmatch(key):
                self._item(sign, key, value or None)

    def _item(self, sign: str, key: str, value: str | None) -> bool:
        """Add one change. Return False if the rest of the line belongs to it."""
        kind, state = KEYS.get(key, (None, 0))
        if kind is None:
            self._note(f"unknown key {key[:40]}")
        elif kind is Kind.DETAIL:
            return False
        elif kind is Kind.BATTERY:
            self._battery(state, key, value)
        elif kind is Kind.VALUE:
            self._word(state, sign, key, value)
        elif kind is not Kind.FLAG and value is None:
            self._note(f"{key}: no name")
        else:
            if key == "Wr" and 0 < self.version < WIFI_RADIO_SINCE:
                state = STATE_NUMBERS["wifi_running"]
            self._add(state, 0 if value is None else self._name(value), OFF if sign == "-" else 1)
        return True

    def _battery(self, state: int, key: str, value: str | None) -> None:
        codes = CODES.get(state)
        if codes is not None:
            number = codes.get(value or "")
        elif state in _MILLI:
            charge = parse_number(value or "")
            number = round(charge * 1000) if charge is not None and abs(charge) < 1e9 else None
        else:
            number = parse_integer(value or "")
        if number is None:
            self._note(f"{key}: unknown value")
        else:
            self._add(state, 0, number)

    def _word(self, state: int, sign: str, key: str, value: str | None) -> None:
        code = CODES[state].get(value or "")
        if value is None and sign and state == _IDLE:
            code = 2 if sign == "+" else 0  # Android 6 has one idle mode, the full one
        if code is None:
            self._note(f"{key}: unknown value")
        else:
            self._add(state, 0, code)

    def _name(self, value: str) -> int:
        found = _TEXT_NAME.fullmatch(value)
        if found is not None:
            uid = parse_uid(found[1])
            if uid is None:
                self._note("unknown form of a user ID")
            return self._names.number(-1 if uid is None else uid, found[2])
        number = self._pool.get(value.encode())
        if number is None:
            if len(self._missing) < MOST_NAMES:
                self._missing.add(value.encode())
            self._note("a number without a name")
            return self._names.number(-1, f"#{value[:40]}")
        return number

    def _note(self, reason: str) -> None:
        reason = self._counts.known(reason, self._text)
        if reason not in self._reason_numbers:
            self._reason_numbers[reason] = len(self.reasons)
            self.reasons.append(reason)
        self._add(NOTE, 0, self._reason_numbers[reason])

    def _add(self, state: int, name: int, value: int) -> None:
        self._series.append(state << NAME_BITS | name)
        self._value.append(value)

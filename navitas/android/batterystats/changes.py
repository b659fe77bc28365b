"""The items of history lines as numbered changes. The same items are read once, because histories repeat themselves."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable

import numpy as np

from navitas.android.batterystats.history_line import ITEM
from navitas.android.batterystats.keys import CODES, KEYS, OFF, STATE_NAMES, WIFI_RADIO_SINCE, KeyKind
from navitas.android.batterystats.line_counts import LineCounts
from navitas.android.batterystats.numbers import parse_uid
from navitas.android.batterystats.tables import Integers

NOTE = len(STATE_NAMES)
"""Number of a pseudo-state: the value is a reason in `Changes.reasons`."""
CLEAR = NOTE + 1
"""Number of a pseudo-state: all states end."""
NOTHING = NOTE + 2
"""Number of a pseudo-state: no change."""
NAME_BITS = 32
CLEARED = b":,"
"""Prefix of the items of a line that clears all states; `:` + items without it."""
_MOST_TEXTS = 1 << 17
_TEXT_ITEM = re.compile(rb'[^\s"]*"[^"]*"\S*|\S+')
_TEXT_NAME = re.compile(r'([^:"]*):"(.*)"')
_DETAILS = re.compile(rb",D(?:cpu|pst)=")
"""Times of CPUs, which are no states."""
_RAW_STATES = re.compile(rb"[0-9a-f]{6,16}")
_UNREADABLE = "an item that cannot be read"
MOST_NAMES = 200_000
MORE = "(more names)"


class Names:
    """Numbers pairs of uid and tag. Number 0 is (−1, ""), that is, no name. Later names of too many share one number."""

    def __init__(self) -> None:
        self.uids = [-1, -1]
        self.tags = ["", MORE]
        self._numbers: dict[tuple[int, str], int] = {(-1, ""): 0}

    def number(self, uid: int, tag: str) -> int:
        """Return the number of a pair."""
        found = self._numbers.get((uid, tag))
        if found is not None:
            return found
        if len(self.uids) >= MOST_NAMES:
            return 1
        self._numbers[uid, tag] = len(self.uids)
        self.uids.append(uid)
        self.tags.append(tag)
        return len(self.uids) - 1


class Changes(dict[bytes, int]):
    """Numbers texts of items. `rows` expands these numbers to columns of changes.

    A change is a series (state << 32 | name) and a value. Texts begin with `,` (checkin), a space (text) or
    `:` (a line with words such as RESET).
    """

    def __init__(self, names: Names, counts: LineCounts) -> None:
        super().__init__()
        self._names = names
        self._counts = counts
        self._pool: dict[bytes, int] = {}
        self._missing: set[bytes] = set()
        self._text = b""
        self._notes: list[int] = []
        self._items = _Items(self._read, self._notes)
        self.version = 0
        self.reasons: list[str] = []
        self._reason_numbers: dict[str, int] = {}
        self._first, self._rows, self._series, self._value = array("q"), array("q"), array("q"), array("q")

    def define(self, number: bytes, uid: bytes, name: bytes) -> None:
        """Give a pool number its name. Texts that were read with another name are forgotten."""
        tag = name.decode("utf-8", "replace").replace('\\"', '"').replace("\\\\", "\\")
        user = parse_uid(uid.decode())
        numbered = self._names.number(-1 if user is None else user, tag)
        known = self._pool.get(number)
        if known == numbered:
            return
        if known is not None or number in self._missing:
            self.clear()
            self._missing.clear()
        if known is not None or len(self._pool) < MOST_NAMES:
            self._pool[number] = numbered

    def set_version(self, version: int) -> None:
        """Set the checkin version, which decides the meaning of `Wr`."""
        if (version < WIFI_RADIO_SINCE) != (self.version < WIFI_RADIO_SINCE):
            self.clear()
        self.version = version

    def forget(self) -> None:
        """Free memory if there are too many different texts. Numbers that were returned before become invalid."""
        if len(self._first) > _MOST_TEXTS or len(self._rows) > 4 * _MOST_TEXTS or len(self._series) > _MOST_TEXTS:
            self.clear()
            self._missing.clear()
            for column in (self._first, self._rows, self._series, self._value):
                del column[:]

    def rows(self, numbers: Integers) -> tuple[Integers, Integers, Integers]:
        """Return (position in `numbers`, series, value) of each change."""
        first = np.array(self._first, np.int64)
        size = np.diff(first, append=len(self._rows))[numbers]
        position = np.repeat(np.arange(len(numbers)), size)
        begin = np.repeat(first[numbers] - np.cumsum(size) + size, size) + np.arange(len(position))
        row = np.array(self._rows, np.int64)[begin]
        return position, np.array(self._series, np.int64)[row], np.array(self._value, np.int64)[row]

    def __missing__(self, text: bytes) -> int:
        number = len(self._first)
        self._text = text
        self._first.append(len(self._rows))
        if text[:1] == b" ":
            items = _TEXT_ITEM.findall(text) if b'"' in text else text.split()
        elif _DETAILS.match(text):
            items = []
        else:
            if text.startswith(CLEARED):
                self._rows.append(self._add(CLEAR, 0, OFF))
            items = text.lstrip(b":,").split(b",") if len(text) > 2 else []
        self._rows.extend(map(self._items.__getitem__, items))
        if self._notes:
            self._rows.extend(self._notes)
            self._notes.clear()
        self[text] = number
        return number

    def clear(self) -> None:
        """Forget all texts. Numbers that were returned before stay valid."""
        super().clear()
        self._items.clear()

    def _read(self, item: bytes) -> int:
        """Return the row of an item that is read for the first time."""
        found = ITEM.fullmatch(item.decode("utf-8", "replace"))
        if _RAW_STATES.fullmatch(item) and (found is None or found[2] not in KEYS):
            return self._add(NOTHING, 0, OFF)
        return self._note(_UNREADABLE) if found is None else self._item(*found.groups())

    def _item(self, sign: str, key: str, value: str | None) -> int:
        kind, state = KEYS.get(key, (None, 0))
        if kind is None:
            return self._note(f"unknown key {key[:40]}")
        if kind is KeyKind.NOT_USED or (key == "Wr" and 0 < self.version < WIFI_RADIO_SINCE):
            return self._add(NOTHING, 0, OFF)
        if kind in (KeyKind.BATTERY, KeyKind.VALUE):
            return self._word(state, key, value)
        if kind is not KeyKind.FLAG and value is None:
            return self._note(f"{key}: no name")
        return self._add(state, 0 if value is None else self._name(value), OFF if sign == "-" else 1)

    def _word(self, state: int, key: str, value: str | None) -> int:
        code = CODES[state].get(value or "")
        return self._note(f"{key}: unknown value") if code is None else self._add(state, 0, code)

    def _name(self, value: str) -> int:
        """Return the number of the name. What is wrong with it becomes a note in addition to the change."""
        found = _TEXT_NAME.fullmatch(value)
        if found is not None:
            uid = parse_uid(found[1])
            if uid is None:
                self._notes.append(self._note("unknown form of a user ID"))
            return self._names.number(-1 if uid is None else uid, found[2])
        number = self._pool.get(value.encode())
        if number is None:
            if len(self._missing) < MOST_NAMES:
                self._missing.add(value.encode())
            self._notes.append(self._note("a number without a name"))
            return self._names.number(-1, f"#{value[:40]}")
        return number

    def _note(self, reason: str) -> int:
        reason = self._counts.known(reason, self._text)
        if reason not in self._reason_numbers:
            self._reason_numbers[reason] = len(self.reasons)
            self.reasons.append(reason)
        return self._add(NOTE, 0, self._reason_numbers[reason])

    def _add(self, state: int, name: int, value: int) -> int:
        self._series.append(state << NAME_BITS | name)
        self._value.append(value)
        return len(self._series) - 1


class _Items(dict[bytes, int]):
    """Rows of items. An item with a note in addition to its change is read each time."""

    def __init__(self, read: Callable[[bytes], int], notes: list[int]) -> None:
        super().__init__()
        self._read = read
        self._notes = notes

    def __missing__(self, item: bytes) -> int:
        before = len(self._notes)
        row = self._read(item)
        if len(self._notes) == before:
            self[item] = row
        return row

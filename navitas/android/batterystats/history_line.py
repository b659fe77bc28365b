"""The grammar of a history line of `dumpsys batterystats --checkin`, for all its readers.

Grammar: AOSP's BatteryStats.HistoryPrinter. A line has milliseconds since the last one and changes; names are pool numbers.
"""

from __future__ import annotations

import re

HISTORY_LINE = re.compile(rb"\d{1,2},h,(\d{1,15})((?::[A-Z*]+)*)(?::(\d{1,15}))?(?:,(.*))?")
"""A whole line. Groups: milliseconds, words with colons (such as `:RESET:TIME`), wall clock in ms, items with commas."""
HISTORY_BEGIN = re.compile(rb"\d{1,2},h,")
"""The begin of any line that claims to be of a history."""
POOL_NAME = re.compile(rb'\d{1,2},hsp,(\d{1,9}),(-?\d{1,10}),"(.{0,1000})"')
"""The definition of a pool number. Groups: number, uid, name."""
ITEM = re.compile(r"([+-]?)([A-Za-z]\w*)(?:=(.*))?", re.ASCII)
"""One change, such as `+w=5`. Groups: sign, key, value."""
CLEARED = ("RESET", "START", "SHUTDOWN", "*OVERFLOW*")
"""Words of a line after which no earlier state is known."""

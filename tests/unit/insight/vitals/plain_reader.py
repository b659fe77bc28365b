"""An independent reader: sums of wake locks and alarms in a dump, by uid and tag, with plain regexes and no code of Navitas."""

from __future__ import annotations

import re
from collections import Counter

UNIT = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
ITEM = re.compile(r'(?<![^ ,])([+-]?)(wake_lock_in|wake_lock|alarm|Ewl|Eal|w)(?:=(\d+(?![^ ,])|[^ "]*:"[^"]*"))?(?![^ ,])')
NAMES = {"Ewl": "wake_lock_in", "Eal": "alarm", "w": "wake_lock"}


def duration_ms(text: str) -> int:
    return sum(int(number) * UNIT[unit] for number, unit in re.findall(r"(\d+)(ms|[dhms])", text))


def number_of(uid: str) -> int:
    found = re.fullmatch(r"u(\d+)a(\d+)", uid)
    return int(found[1]) * 100_000 + 10_000 + int(found[2]) if found else int(uid)


def history_sums(text: str) -> tuple[Counter[tuple[str, int, str]], Counter[tuple[str, int, str]]]:
    """Milliseconds and counts of each (state, uid, tag) in histories, in text form or checkin form."""
    ms: Counter[tuple[str, int, str]] = Counter()
    counts: Counter[tuple[str, int, str]] = Counter()
    begun: dict[tuple[str, int, str], int] = {}
    pool: dict[str, tuple[int, str]] = {}
    now = base = 0

    def end(state: str, name: tuple[int, str] | None) -> None:
        for key in [key for key in begun if state in ("", key[0]) and name in (None, key[1:])]:
            ms[key] += now - begun.pop(key)

    for line in text.splitlines():
        if defined := re.match(r'\d+,hsp,(\d+),(-?\d+),"(.*)"$', line):
            pool[defined[1]] = int(defined[2]), defined[3]
        elif line.startswith("Battery History") or re.match(r"\d+,0,i,vers,", line):
            end("", None)
            base = now
        elif found := re.match(r"(?:\d+,h,(\d+)| *(\+?[\ddhms]+) \(\d+\) )(.*)", line):
            now = now + int(found[1]) if found[1] else base + duration_ms(found[2])
            if re.search(r"RESET|START|SHUTDOWN|OVERFLOW", found[3][:20]):
                end("", None)
            for sign, key, name in ITEM.findall(found[3]):
                uid, _, tag = name.partition(":")
                who = (number_of(uid), tag[1:-1]) if tag else pool[name] if name else None
                state = NAMES.get(key, key)
                if sign == "-":
                    end(state, who)
                elif who and (state, *who) not in begun:
                    begun[(state, *who)] = now
                    counts[(state, *who)] += 1
    end("", None)
    return ms, counts


def statistics_sums(text: str) -> tuple[Counter[tuple[int, str]], Counter[tuple[int, str]]]:
    """Milliseconds of partial wake locks, as apps' shares, and counts of wake-up alarms, since the last charge."""
    locks: Counter[tuple[int, str]] = Counter()
    alarms: Counter[tuple[int, str]] = Counter()
    uid = -1
    for line in text.partition("Statistics since last unplugged")[0].splitlines():
        if lock := re.match(r"\d+,(\d+),l,wl,([^,]*),.*?,(\d+),p,", line):
            locks[int(lock[1]), lock[2]] += int(lock[3])
        elif alarm := re.match(r"\d+,(\d+),l,wua,([^,]*),(\d+)", line):
            alarms[int(alarm[1]), alarm[2]] += int(alarm[3])
        elif user := re.match(r"  (u\d+a\d+|\d+):$", line):
            uid = number_of(user[1])
        elif lock := re.match(r"    Wake lock (.*?): (?:.* full .*, )?((?:\d+[dhms]+ )+)partial ", line):
            locks[uid, lock[1]] += duration_ms(lock[2])
        elif alarm := re.match(r"      Wakeup alarm (.*): (\d+) times$", line):
            alarms[uid, alarm[1]] += int(alarm[2])
    return locks, alarms

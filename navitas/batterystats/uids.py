"""User IDs as Android prints them."""

from __future__ import annotations

import re

from navitas.android_ids import UIDS_PER_USER

_UID = re.compile(r"u(\d{1,4})(ai|a|i|s)(\d{1,5})|(-?\d{1,10})", re.ASCII)
FIRST_APP_UID = 10_000
"""Lower uids, of any user, are those of the system (AOSP: Process.FIRST_APPLICATION_UID)."""
# UserHandle.formatUid: apps, isolated processes, isolated processes of an app zygote, shared and system users.
_FIRST = {"a": FIRST_APP_UID, "i": 99_000, "ai": 90_000, "s": 0}


def parse_uid(text: str) -> int | None:
    """Return the number of a uid such as `u0a123` (10123), `u10s1000`, or `1000`; None for anything else."""
    found = _UID.fullmatch(text)
    if found is None:
        return None
    if found[4] is not None:
        uid = int(found[4])
        return uid if -1 <= uid < 1 << 31 else None
    uid = int(found[1]) * UIDS_PER_USER + _FIRST[found[2]] + int(found[3])
    return uid if uid < 1 << 31 else None


def is_app(uid: int) -> bool:
    """Whether a uid is that of an app (AOSP: UserHandle.isApp)."""
    return uid % UIDS_PER_USER >= FIRST_APP_UID if uid >= 0 else False

"""Names of the packages of uids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from navitas.android_ids import UIDS_PER_USER


def packages_by_uid(named: Iterable[tuple[int, str]], uids: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
    """Return the packages of each uid, sorted. A dump names those of app ids: they hold for every user of the phone."""
    found: defaultdict[int, set[str]] = defaultdict(set)
    for uid, package in named:
        found[uid].add(package)
    return {uid: tuple(sorted(names)) for uid in uids if (names := found.get(uid) or found.get(uid % UIDS_PER_USER))}


def idle_packages(named: Iterable[tuple[int, str]], uids: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
    """Return the packages of the app ids that none of `uids` has."""
    used = {uid % UIDS_PER_USER for uid in uids}
    named = [one for one in named if one[0] % UIDS_PER_USER not in used]
    return packages_by_uid(named, {uid for uid, _ in named})


def uid_text(uid: int) -> str:
    """Return a uid as Android prints it: `u0a123`, or `1000`."""
    user, app = divmod(uid, UIDS_PER_USER)
    return f"u{user}a{app - 10_000}" if uid >= 0 and 10_000 <= app < 90_000 else str(uid)


def app_name(uid: int, packages: Mapping[int, Sequence[str]]) -> str:
    """Return the packages of a uid as one name, or its uid if the dump names none."""
    names = packages.get(uid, ())
    more = f" +{len(names) - 1}" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else uid_text(uid)

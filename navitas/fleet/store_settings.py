"""The settings of a fleet's folder: format, buckets, and the salt of the clients' pseudonyms, or a check of it."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from navitas.fleet.files import FleetError, read_small, write_whole

FORMAT = 1
SALT_VARIABLE = "NAVITAS_FLEET_SALT"
"""An environment variable with the salt, for fleets that do not keep it."""
_SHORTEST_SALT, _LONGEST_SALT = 16, 64
"""In characters, and in bytes."""
_NEW_SALT = "Make one that cannot be guessed: openssl rand -hex 16"
_LARGEST = 1 << 16
MOST_BUCKETS = 4096
_CHECKED = b"navitas fleet"


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Number of buckets of clients, and the salt; None if it is not known. `keeps_salt`: the folder has it."""

    buckets: int
    salt: str | None
    keeps_salt: bool


def write_settings(file: Path, buckets: int, salt: str | None) -> None:
    """Write the settings of a new fleet, for its owner alone. A salt from the environment is not written, only a check of it.

    Raises `FleetError` if that salt is too long, or so short that pseudonyms can be traced to names by trying salts.
    """
    outside = _outside() if salt is None else None
    if outside is not None and len(outside) < _SHORTEST_SALT:
        raise FleetError(f"{SALT_VARIABLE} has less than {_SHORTEST_SALT} characters", _NEW_SALT)
    kept = {"salt": secrets.token_hex(16) if salt is None else salt}
    settings = {"format": FORMAT, "buckets": buckets, **(kept if outside is None else {"salt_check": _check(outside)})}
    write_whole(file, json.dumps(settings, indent=2).encode() + b"\n", private=True)


def read_settings(file: Path) -> StoreSettings:
    """Read a fleet's settings. Raises `FleetError` if they are damaged or of a newer format, or if the given salt is wrong."""
    try:
        settings = json.loads(read_small(file, _LARGEST))
        number, buckets = int(settings["format"]), int(settings["buckets"])
        kept, check = settings.get("salt"), settings.get("salt_check")
        if kept is None and check is None:
            raise KeyError("salt")
    except PermissionError as error:
        raise FleetError(
            f"{file}: cannot be read: {error.strerror}",
            "Ask its owner for access. The file has the key of the clients' pseudonyms.",
        ) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FleetError(
            f"{file.parent}: not a fleet: it has no {file.name}", "Create one with `navitas fleet ingest`."
        ) from error
    except (OSError, ValueError, OverflowError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FleetError(f"{file}: cannot be read: {error}", "Restore the file.") from error
    if number > FORMAT:
        raise FleetError(f"{file}: format {number} is newer than {FORMAT}, which this version reads", "Update navitas.")
    if number < 1:
        raise FleetError(f"{file}: format {number} is none that navitas writes", "Restore the file.")
    if not 1 <= buckets <= MOST_BUCKETS:
        raise FleetError(f"{file}: {buckets} buckets are not between 1 and {MOST_BUCKETS}", "Restore the file.")
    if kept is not None:
        _check_length(str(kept), f"{file}: the salt", "Restore the file.")
        return StoreSettings(buckets, str(kept), True)
    outside = _outside()
    if outside is not None and _check(outside) != check:
        raise FleetError(f"{file.parent}: {SALT_VARIABLE} is not the salt of this fleet", "Set the salt of its first ingest.")
    return StoreSettings(buckets, outside, False)


def ignores_variable(file: Path) -> bool:
    """Whether the environment has a salt that this fleet does not use, because it keeps its own. Raises `FleetError`."""
    return bool(os.environ.get(SALT_VARIABLE)) and file.exists() and read_settings(file).keeps_salt


def _outside() -> str | None:
    """The salt of the environment, if there is one."""
    salt = os.environ.get(SALT_VARIABLE)
    if not salt:
        return None
    try:
        salt.encode()
    except UnicodeEncodeError:
        raise FleetError(f"{SALT_VARIABLE} is not UTF-8", _NEW_SALT) from None  # The error has the salt.
    _check_length(salt, SALT_VARIABLE, "Set a shorter one.")
    return salt


def _check_length(salt: str, name: str, remedy: str) -> None:
    if len(salt.encode("utf-8", "replace")) > _LONGEST_SALT:
        raise FleetError(f"{name} is longer than {_LONGEST_SALT} bytes", remedy)


def _check(salt: str) -> str:
    """A value that shows whether a salt is the right one, and not which one it is."""
    return hashlib.blake2b(_CHECKED, digest_size=16, key=salt.encode("utf-8", "replace")).hexdigest()

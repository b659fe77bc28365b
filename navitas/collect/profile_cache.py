"""Cache power profiles of phones by build fingerprint: they change only with the phone's software."""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from navitas.new_files import remove_abandoned, write_new
from navitas.power.power_profile import MAX_BYTES
from navitas.regular_files import read_regular
from navitas.user_folders import cache_folder, make_folder


@dataclass(frozen=True, slots=True)
class Found:
    """A phone's power profile (XML, text or compiled) and where it comes from."""

    xml: bytes
    source: str


def cached(fingerprint: str) -> Found | None:
    """Return the cached profile of a build; None if there is none, or if it is damaged."""
    xml_path, about_path = _paths(fingerprint)
    try:
        about = json.loads(read_regular(about_path, MAX_BYTES))
        xml = read_regular(xml_path, MAX_BYTES)
        whole = about["fingerprint"] == fingerprint and about["sha256"] == hashlib.sha256(xml).hexdigest()
        return Found(xml, str(about["source"])) if whole else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def keep(fingerprint: str, found: Found) -> None:
    """Cache a build's profile; do nothing if the cache is not writable."""
    if not fingerprint:
        return
    xml_path, about_path = _paths(fingerprint)
    about = {"fingerprint": fingerprint, "source": found.source, "sha256": hashlib.sha256(found.xml).hexdigest()}
    with contextlib.suppress(OSError):
        make_folder(xml_path.parent)
        remove_abandoned(xml_path.parent)
        for path, data in ((xml_path, found.xml), (about_path, json.dumps(about, indent=1).encode())):
            write_new(path, data)


def _paths(fingerprint: str) -> tuple[Path, Path]:
    stem = cache_folder() / "power" / hashlib.sha256(fingerprint.encode("utf-8", "replace")).hexdigest()[:16]
    return stem.with_suffix(".xml"), stem.with_suffix(".json")

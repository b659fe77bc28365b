"""Parse one reading of the kernel's and the platform's traffic counters: names with four values, as in `IoCounters`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from navitas.recording.parse.io_counters import Medium

Row = tuple[int, int, int, int]
"""Received bytes, received packets, sent bytes, sent packets; of storage: bytes read, reads, bytes written, writes."""

_SECTOR_BYTES = 512
_LONGEST = 500
_IDLE = 512
"""Lines that are remembered: most devices are idle, so their lines are those of the reading before."""
_MOST = 1 << 52
"""A higher count is damage: 4.5 PB. Sectors of such counts fit 64 bits as bytes."""
_NUMBER = r"(\d{1,16})"
_INTERFACE = re.compile(rf" *([^\s:/]{{1,15}}): *{_NUMBER} +{_NUMBER}(?: +\d+){{6}} +{_NUMBER} +{_NUMBER}(?: +\d+)*\s*")
_DISK = re.compile(rf" *\d{{1,4}} +\d{{1,8}} (\S{{1,32}}) {_NUMBER} \d+ {_NUMBER} \d+ {_NUMBER} \d+ {_NUMBER}(?: \d+)*\s*")
_TRAFFIC = re.compile(rf"{_NUMBER} {_NUMBER} {_NUMBER} {_NUMBER}\s*")
_IO = re.compile(r"^(read_bytes|write_bytes|runtime_write_bytes): (\d{1,16})$", re.MULTILINE)

_WIFI = re.compile(r"(?:wlan|swlan|wifi|p2p|ap)[-\w]*\d")
_MOBILE = re.compile(r"(?:r_)?rmnet\w*\d|ccmni\d+|pdp(?:_ip)?\d+|seth_\w+\d|sipa_\w+\d|wwan\d+|cc[23]mni\d+")
_WIRED = re.compile(r"(?:eth|en|usb)\w*\d")
# Their bytes cross another interface, too, or none: loopback, tunnels, translated IPv4 (464XLAT), bridges, shapers.
_VIRTUAL = re.compile(
    r"lo|(?:v4-|dummy|ifb|tun|tap|ppp|ipsec|sit|gre|gretap|erspan|ip6?_vti|ip6?tnl|ip6gre|tunl|br|bond|veth|docker|bt-pan|rndis|ncm|can)"
    r"[-\w.]*"
)
# Qualcomm: the bytes of rmnet_data* cross rmnet_ipa* or rmnet_mhi*, too.
_CARRIER = re.compile(r"(?:r_)?rmnet_(?:ipa|mhi|usb|smux)\w*")
_CARRIED = re.compile(r"(?:r_)?rmnet_data\d+")
_DISK_NAME = re.compile(r"sd[a-z]{1,2}|mmcblk\d+|nvme\d+n\d+|vd[a-z]|hd[a-z]")
# Parts of disks, and devices whose bytes cross another disk, too, or none.
_DISK_PART = re.compile(
    r"(?:sd[a-z]{1,2}|vd[a-z]|hd[a-z])\d+|(?:mmcblk\d+|nvme\d+n\d+)(?:p\d+|boot\d+|rpmb|gp\d+)"
    r"|(?:loop|ram|zram|dm-|md|sr|nbd|fd)\d+"
)


def net_dev(text: str) -> dict[str, Row] | None:
    """Return the counters of each interface in `/proc/net/dev` (net/core/net-procfs.c); None if the reading is torn."""
    _, _, rows = text.partition("|bytes")
    _, newline, body = rows.partition("\n")
    if not newline or not text.endswith("\n"):
        return None
    found: dict[str, Row] = {}
    for line in body.splitlines():
        one = _interface(line) if len(line) <= _LONGEST else None
        if one is None:
            return None
        found[one[0]] = one[1]
    return _checked(found)


@lru_cache(_IDLE)
def _interface(line: str) -> tuple[str, Row] | None:
    match = _INTERFACE.fullmatch(line)
    if match is None:
        return None
    name, received, received_packets, sent, sent_packets = match.groups()
    return name, (int(received), int(received_packets), int(sent), int(sent_packets))


def diskstats(text: str) -> dict[str, Row] | None:
    """Return the counters of each device in `/proc/diskstats` (Documentation/admin-guide/iostats.rst); None if it is torn."""
    found: dict[str, Row] = {}
    for line in text.splitlines():
        one = _disk(line) if len(line) <= _LONGEST else None
        if one is None:
            return None
        found[one[0]] = one[1]
    return _checked(found) if text.endswith("\n") and found else None


@lru_cache(_IDLE)
def _disk(line: str) -> tuple[str, Row] | None:
    match = _DISK.fullmatch(line)
    if match is None:
        return None
    reads, read, writes, written = (int(number) for number in match.groups()[1:])
    return match[1], (read * _SECTOR_BYTES, reads, written * _SECTOR_BYTES, writes)


def process_io(text: str) -> Row | None:
    """Return what a process made storage devices read and write (`/proc/PID/io`); None if the reading is torn.

    The bytes that the runtime wrote for the recording itself do not count.
    """
    fields = {name: int(value) for name, value in _IO.findall(text)} if text.endswith("\n") else {}
    if not {"read_bytes", "write_bytes"} <= set(fields) or max(fields.values()) > _MOST:
        return None
    return fields["read_bytes"], 0, max(fields["write_bytes"] - fields.get("runtime_write_bytes", 0), 0), 0


def uid_traffic(text: str) -> Row | None:
    """Return the runtime's reading of a uid's traffic; None if it is torn."""
    match = _TRAFFIC.fullmatch(text) if text.endswith("\n") else None
    numbers = [int(number) for number in match.groups()] if match else [_MOST + 1]
    return (numbers[0], numbers[1], numbers[2], numbers[3]) if max(numbers) <= _MOST else None


Use = Medium | Literal["left out", "unknown"]
"""What an interface or a disk counts for. `left out`: its bytes are counted elsewhere, or cross no device."""


def interface_uses(names: set[str]) -> dict[str, Use]:
    """Return what each interface of a device counts for.

    Wired interfaces are no radio. They count, as an unknown medium, only if the device has no radio.
    """
    has_radio = any(_WIFI.fullmatch(name) or _MOBILE.fullmatch(name) for name in names)
    has_carried = any(_CARRIED.fullmatch(name) for name in names)

    def use(name: str) -> Use:
        if _VIRTUAL.fullmatch(name) or (has_carried and _CARRIER.fullmatch(name)) or (has_radio and _WIRED.fullmatch(name)):
            return "left out"
        if _WIFI.fullmatch(name):
            return "wifi"
        return "mobile" if _MOBILE.fullmatch(name) else "network" if _WIRED.fullmatch(name) else "unknown"

    return {name: use(name) for name in names}


def disk_use(name: str) -> Use:
    """Return what a device of `/proc/diskstats` counts for: whole disks only."""
    return "storage" if _DISK_NAME.fullmatch(name) else "left out" if _DISK_PART.fullmatch(name) else "unknown"


def _checked(found: dict[str, Row]) -> dict[str, Row] | None:
    return None if any(max(row) > _MOST * _SECTOR_BYTES for row in found.values()) else found

"""Readings of traffic counters, as text and as tables: of the app by its runtime, of the device by its shell."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np

from navitas.recording.manifest import Manifest, Source
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.counters import Readings
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.io_counters import IoCounters, Medium

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
    return _rows(body, _interface) if newline and text.endswith("\n") else None


@lru_cache(_IDLE)
def _interface(line: str) -> tuple[str, Row] | None:
    match = _INTERFACE.fullmatch(line)
    if match is None:
        return None
    name, received, received_packets, sent, sent_packets = match.groups()
    return name, (int(received), int(received_packets), int(sent), int(sent_packets))


def diskstats(text: str) -> dict[str, Row] | None:
    """Return the counters of each device in `/proc/diskstats` (Documentation/admin-guide/iostats.rst); None if it is torn."""
    return _rows(text, _disk) if text.endswith("\n") else None


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


def _rows(text: str, parse: Callable[[str], tuple[str, Row] | None]) -> dict[str, Row] | None:
    """Return the row of each line; None if a line is torn, or a count is damaged."""
    found: dict[str, Row] = {}
    for line in text.splitlines():
        parsed = parse(line) if len(line) <= _LONGEST else None
        if parsed is None or max(parsed[1]) > _MOST * _SECTOR_BYTES:
            return None
        found[parsed[0]] = parsed[1]
    return found


NET_DEV, DISKSTATS = "/proc/net/dev", "/proc/diskstats"
_MOST_ROWS = 1 << 24
_MOST_DEVICES = 1024
"""Phones have up to some hundred interfaces and disks, most of them virtual."""
_UNREAD = "the app could not read {path}: {what} is unknown"
_MISSING = {
    "process_io": ("the app's own storage traffic", "Profile a debuggable build: only those may read it."),
    "uid_traffic": ("the app's own network traffic", "The device's traffic counts as the app's: stop other apps."),
}


def app_counters(manifest: Manifest, processes: Sequence[dict[int, Readings]], findings: Findings) -> tuple[IoCounters, ...]:
    """Return what the runtime counted in the run's processes. Counters of single processes are added up."""
    has_readings = any(processes)
    found = []
    for source in manifest.sources:
        read = [one[source.id] for one in processes if source.id in one]
        if source.kind == "net_dev":
            found += [one for reading in read[:1] for one in device_counters(NET_DEV, reading.t_ns, _texts(reading), findings)]
            continue
        if source.kind not in _MISSING:
            continue
        if not read and has_readings:
            what, remedy = _MISSING[source.kind]
            findings.warn("io_counters", _UNREAD.replace("{path}", source.path).replace("{what}", what), remedy)
        if source.kind == "process_io":
            # The runtime's own bytes are read at another moment.
            parts = [_rising(one) for reading in read for one in _single(source, "storage", reading, process_io, findings)]
            found += [_sum(parts)] if parts else []
        elif read:
            parts = [one for reading in read for one in _single(source, "network", reading, uid_traffic, findings)]
            found += [_together(parts)] if parts else []
    return tuple(found)


def with_device_counters(by_app: tuple[IoCounters, ...], by_shell: tuple[IoCounters, ...]) -> tuple[IoCounters, ...]:
    """Return both, without the device's counters that the shell has read, too: it reads from before the run to after it."""
    read = {one.medium == "storage" for one in by_shell}
    return (*(one for one in by_app if one.scope == "app" or (one.medium == "storage") not in read), *by_shell)


def device_counters(path: str, t_ns: Sequence[int], texts: Sequence[str], findings: Findings) -> tuple[IoCounters, ...]:
    """Return the counters of each radio interface or disk of the device, from the readings of a file.

    An interface that appears, also again, has counted from 0 since the last reading without it. Names of unknown kinds are
    reported if their counters grow.
    """
    parse = net_dev if path == NET_DEV else diskstats
    t_of: dict[str, array[int]] = {}
    rows_of: dict[str, array[int]] = {}  # four numbers a row
    last_of: dict[str, int] = {}
    torn, left_out, beyond, place, before, room = 0, 0, 0, -1, 0, _MOST_ROWS
    for t, text in zip(t_ns, texts, strict=True):
        reading = parse(text)
        if reading is None:
            torn += 1
            continue
        room -= len(reading)
        if room < 0:
            left_out += 1
            continue
        place += 1
        for name, row in reading.items():
            if name not in t_of and len(t_of) >= _MOST_DEVICES:
                beyond += 1
                continue
            times, rows = t_of.setdefault(name, array("q")), rows_of.setdefault(name, array("q"))
            if place and last_of.get(name, -1) != place - 1:
                times.append(before)
                rows.extend((0, 0, 0, 0))
            times.append(t)
            rows.extend(row)
            last_of[name] = place
        before = t
    findings.add_torn("io_counter_readings", torn, path)
    message = f"{path}: the last {{count}} readings are too many, and were left out"
    findings.add_loss("io_counter_readings", left_out, message, "Profile fewer tests.")
    message = f"{path}: {{count}} readings of more than {_MOST_DEVICES:,} devices were left out"
    findings.add_loss("io_counter_readings", beyond, message, "Their traffic is missing.")
    uses = interface_uses(set(t_of)) if path == NET_DEV else {name: disk_use(name) for name in t_of}
    found = []
    unknown: Counter[str] = Counter()
    for name, rows in rows_of.items():
        use = uses[name]
        if use == "unknown":
            unknown[name] += int(rows[-4:] != rows[:4])
            if unknown[name] and path == NET_DEV:
                found.append(_counters(f"{path} {name}", "device", "unknown", t_of[name], rows))
        elif use != "left out":
            found.append(_counters(f"{path} {name}", "device", use, t_of[name], rows))
    message = f"{path}: the traffic of {{count}} devices is left out, since their kind is unknown ({{names}})"
    findings.add_losses_by_name("unknown_devices", {n: 1 for n, grew in unknown.items() if grew}, message, "Report their names.")
    return tuple(found)


def _single(
    source: Source, medium: Medium, reading: Readings, parse: Callable[[str], Row | None], findings: Findings
) -> list[IoCounters]:
    rows = [(t, parse(text)) for t, text in zip(reading.t_ns, _texts(reading), strict=True)]
    good = [(t, row) for t, row in rows if row is not None]
    findings.add_torn("io_counter_readings", len(rows) - len(good), source.path)
    return [_counters(source.path, "app", medium, [t for t, _ in good], [row for _, row in good])] if good else []


def _counters(name: str, scope: str, medium: Medium, t_ns: Sequence[int], rows: Sequence[Row] | Sequence[int]) -> IoCounters:
    times = np.maximum.accumulate(np.array(t_ns, np.int64))
    return IoCounters(name, "app" if scope == "app" else "device", medium, times, np.array(rows, np.int64).reshape(-1, 4))


def _rising(counters: IoCounters) -> IoCounters:
    """Return counters that never go back, though readings of several moments make them seem to."""
    return replace(counters, value=np.maximum.accumulate(counters.value, axis=0))


def _together(parts: Sequence[IoCounters]) -> IoCounters:
    """Return the one counter of a uid that several processes read.

    A reading may be older than its time, so it seems to go back after one of another process. It does only if a process sees it.
    """
    t_ns = np.concatenate([part.t_ns for part in parts])
    order = np.argsort(t_ns, kind="stable")
    joined = replace(parts[0], t_ns=t_ns[order], value=np.concatenate([part.value for part in parts])[order])
    went_back = any((np.diff(part.value, axis=0) < 0).any() for part in parts)
    return joined if went_back else _rising(joined)


def _sum(parts: Sequence[IoCounters]) -> IoCounters:
    """Return the sum of counters of several processes. Each is constant before its first reading and after its last."""
    if len(parts) == 1:
        return parts[0]
    t_ns: I64 = np.unique(np.concatenate([part.t_ns for part in parts]))

    def at(part: IoCounters, column: int) -> I64:
        value = part.value[:, column] - part.value[0, column]
        summed: I64 = np.rint(np.interp(t_ns - t_ns[0], part.t_ns - t_ns[0], value)).astype(np.int64)
        return summed

    value = np.stack([np.sum([at(part, column) for part in parts], axis=0) for column in range(4)], axis=1)
    return IoCounters(parts[0].name, parts[0].scope, parts[0].medium, t_ns, value)


def _texts(reading: Readings) -> list[str]:
    return [text.decode("utf-8", "replace") for text in reading.texts]

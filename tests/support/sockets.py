"""Listening sockets of a command's processes, from the kernel's lists, and another user's attempts to use them."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from support.command_line import MARK
from support.stranger import as_stranger

_INODE = re.compile(r"socket:\[(\d+)\]")
_LISTEN, _UNCONNECTED = "0A", "07"
_ACCEPTS = 0x10000


@dataclass(frozen=True, slots=True)
class Listening:
    """`kind` is tcp, udp or unix. An address is a port, or the name of a Unix socket (`@…`: an abstract one)."""

    kind: str
    address: str
    command: str


def family_of(mark: str) -> dict[int, str]:
    """Return the command lines of the processes with a command's mark, and of all their descendants."""
    lines, parents, marked = {}, {}, set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            pid = int(process.name)
            parents[pid] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            lines[pid] = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            if f"{MARK}={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                marked.add(pid)

    def belongs(pid: int) -> bool:
        return pid in marked or (parents.get(pid, 0) > 1 and belongs(parents[pid]))

    return {pid: line for pid, line in lines.items() if belongs(pid)}


def listening(processes: dict[int, str]) -> set[Listening]:
    """Return all sockets on which these processes wait for connections or datagrams."""
    owners: dict[str, str] = {}
    for pid, line in processes.items():
        with suppress(OSError):
            for handle in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    if found := _INODE.fullmatch(str(handle.readlink())):
                        owners[found[1]] = line
    found_sockets = set()
    for kind, state in (("tcp", _LISTEN), ("udp", _UNCONNECTED)):
        for version in ("", "6"):
            for row in _rows(f"/proc/net/{kind}{version}"):
                if row[3] == state and row[9] in owners:
                    port = int(row[1].rpartition(":")[2], 16)
                    found_sockets.add(Listening(kind, str(port), owners[row[9]]))
    for row in _rows("/proc/net/unix"):
        if int(row[3], 16) & _ACCEPTS and row[6] in owners:
            found_sockets.add(Listening("unix", row[7] if len(row) > 7 else "", owners[row[6]]))
    return found_sockets


def _rows(table: str) -> list[list[str]]:
    try:
        return [line.split() for line in Path(table).read_text().splitlines()[1:]]
    except FileNotFoundError:  # no IPv6
        return []


TRIES = r"""
import json, socket, struct, sys

def packet(command, arg0, arg1, data):
    word = int.from_bytes(command, "little")
    return struct.pack("<6I", word, arg0, arg1, len(data), sum(data), word ^ 0xFFFFFFFF) + data

CNXN = packet(b"CNXN", 0x01000001, 1 << 20, b"host::features=shell_v2,cmd\0")
OPEN = packet(b"OPEN", 1, 0, b"shell:echo pwned > /data/local/tmp/pwned\0")
WORDS = [
    CNXN,
    CNXN + OPEN,
    b"000chost:version",
    b"000ehost:devices-l",
    b"0012host:transport-any",
    b"JDWP-Handshake",
    b"c\nj\njava.lang.System\ne\n",
    b"GET / HTTP/1.0\r\n\r\n",
]
FORGED = struct.pack("<BIIqB", 6, 1, 1, 10**18, 0) + b"stranger\0pwned"

def places(kind, address):
    if kind == "unix":
        yield socket.AF_UNIX, ("\0" + address[1:] if address.startswith("@") else address)
    else:
        yield socket.AF_INET, ("127.0.0.1", int(address))
        yield socket.AF_INET6, ("::1", int(address))

def ask(family, place, words):
    with socket.socket(family) as s:
        s.settimeout(1.0)
        s.connect(place)
        s.sendall(words)
        return s.recv(4096)

def leave(family, place, words):
    with socket.socket(family) as s:
        s.settimeout(1.0)
        s.connect(place)
        s.sendall(words)

answers = []
for kind, address in json.loads(sys.argv[1]):
    for family, place in places(kind, address):
        try:
            if kind == "udp":
                with socket.socket(family, socket.SOCK_DGRAM) as s:
                    for head in (b"", bytes(16)):
                        s.sendto(head + FORGED, place)
                continue
            leave(family, place, CNXN + OPEN)
        except OSError:
            continue
        for words in WORDS:
            try:
                answer = ask(family, place, words)
            except OSError:
                continue
            if answer:
                answers.append([kind, address, words[:20].hex(), answer[:80].decode("latin-1")])
print(json.dumps(answers))
"""


def answers_to_stranger(sockets: set[Listening]) -> list[list[str]]:
    """Return the answers to another user of this machine, in the protocols of adb, phones, debuggers and py4j."""
    done = as_stranger(TRIES, json.dumps([[one.kind, one.address] for one in sockets]))
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    return found


def described(sockets: set[Listening]) -> str:
    """Format sockets for messages of failed tests."""
    return "\n".join(str(asdict(one)) for one in sorted(sockets, key=str))

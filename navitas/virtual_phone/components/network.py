"""The app's real TCP traffic as the phone's interfaces count it: wlan0, rmnet0, lo.

The counters are the host kernel's (`tcp_info`). A socket belongs to the process that holds its inode. UDP is not counted.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from navitas.virtual_phone.components.sock_diag import LISTEN, Endpoint, SockDiag, TcpSocket

# Ethernet 14, IPv4 20, TCP with timestamps 32.
HEADER_BYTES = 66
# An MTU of 1,500 bytes without the headers of IP and TCP. The host's loopback has larger packets.
SEGMENT_BYTES = 1448
# RFC 1122: at least every second segment is acknowledged.
_SEGMENTS_PER_ACK = 2
INTERFACES = ("lo", "wlan0", "rmnet0")
LOOPBACK, WIFI, MOBILE = INTERFACES
_SOCKET_LINK = "socket:["
_HERE = b""
_MOST_ENDED = 10_000
SERVER = "server"
"""An app's report that it uses the server at a port of this computer."""


@dataclass(frozen=True, slots=True)
class AirTraffic:
    """Bytes (with headers) and packets in both directions."""

    rx_bytes: int = 0
    rx_packets: int = 0
    tx_bytes: int = 0
    tx_packets: int = 0

    def __add__(self, other: AirTraffic) -> AirTraffic:
        return AirTraffic(*map(operator.add, astuple(self), astuple(other)))

    def __sub__(self, other: AirTraffic) -> AirTraffic:
        return AirTraffic(*map(operator.sub, astuple(self), astuple(other)))

    def __bool__(self) -> bool:
        return bool(self.rx_packets or self.tx_packets)


def on_the_air(tcp: TcpSocket) -> AirTraffic:
    """Return what a socket's traffic would be with packets of 1,500 bytes. It never decreases as the socket's counters grow."""
    tx_data = max(tcp.sent_data_segments, -(-tcp.sent_bytes // SEGMENT_BYTES))
    rx_data = max(tcp.received_data_segments, -(-tcp.received_bytes // SEGMENT_BYTES))
    tx_packets = tx_data + max(tcp.sent_segments - tcp.sent_data_segments, rx_data // _SEGMENTS_PER_ACK)
    rx_packets = rx_data + max(tcp.received_segments - tcp.received_data_segments, tx_data // _SEGMENTS_PER_ACK)
    return AirTraffic(
        tcp.received_bytes + HEADER_BYTES * rx_packets, rx_packets, tcp.sent_bytes + HEADER_BYTES * tx_packets, tx_packets
    )


@dataclass(slots=True)
class _Known:
    """A socket of an app: its process, whether its other end is also an app's, and the traffic counted so far."""

    pid: int
    is_inner: bool
    counted: AirTraffic


@dataclass(frozen=True, slots=True)
class _Ended:
    """A connection that ended before its process was known, and what was known then: the route, and the running processes."""

    tcp: TcpSocket
    route: str | None
    pids: frozenset[int]


class NetworkCounters:
    """Counters of interfaces and uids. Each call of `poll` adds what the sockets transferred since the last one."""

    def __init__(self, sockets: SockDiag, uid_of: Callable[[int], int], proc: Path = Path("/proc")) -> None:
        self._sockets = sockets
        self._uid_of = uid_of
        self._proc = proc
        self._known: dict[int, _Known] = {}
        self._foreign: set[int] = set()
        self._doubtful: set[int] = set()
        self._servers: dict[Endpoint, int] = {}
        self._reported: deque[tuple[int, int]] = deque()
        self._ended: deque[_Ended] = deque(maxlen=_MOST_ENDED)
        self._listeners: set[Endpoint] = set()
        self._ends: set[tuple[Endpoint, Endpoint]] = set()
        self._listed: tuple[bytes, frozenset[int]] | None = None
        self.interfaces: dict[str, AirTraffic] = dict.fromkeys(INTERFACES, AirTraffic())
        self.by_uid: dict[tuple[int, str], AirTraffic] = {}
        """AirTraffic by uid and interface. Android counts the loopback interface for uids, too."""
        self.payload_by_pid: dict[int, tuple[int, int]] = {}
        """Received and sent payload of each process, as its read and write calls count it."""
        self._payloads: dict[int, tuple[int, int]] = {}
        self.unseen = 0
        """Connections of any program of the host that ended between two polls while an app ran, so their owner is unknown."""
        self.unrouted = AirTraffic()
        """AirTraffic while Wi-Fi and mobile data are off, which the phone cannot prevent."""

    def close(self) -> None:
        """Stop counting. Counters stay readable."""
        self._sockets.close()

    def uses_port(self, pid: int, port: int) -> None:
        """Take a process's report that it uses the server at a port of this computer; the next poll counts by it. Thread-safe."""
        self._reported.append((pid, port))

    def poll(self, pids: Iterable[int], route: str | None) -> AirTraffic:
        """Count the traffic since the last poll; `route` is the present interface to other hosts.

        Returns the traffic of that interface in this interval. Raises `OSError` if the kernel refuses.
        """
        before = self.interfaces.get(route or "", AirTraffic())
        running = frozenset(pids)
        while self._reported:
            pid, port = self._reported.popleft()
            self._uses(pid, (_HERE, port))
        closed, listed = self._sockets.closed(), (self._sockets.number(), running)
        open_now = None if not closed and listed[0] and listed == self._listed else self._count_open(running, route)
        for tcp in closed:
            self._last(_Ended(tcp, route, running))
        if open_now is not None:
            present = {tcp.cookie for tcp in open_now}
            self._foreign &= present
            self._doubtful &= present
            self._listed = listed if self._are_all_foreign(open_now) else None
        return self.interfaces.get(route or "", AirTraffic()) - before

    def _count_open(self, running: frozenset[int], route: str | None) -> list[TcpSocket]:
        """List and count the open sockets. The kernel takes a millisecond to list them."""
        open_now = self._sockets.open()
        self._learn(open_now, running)
        for tcp in open_now:
            if tcp.cookie in self._known and tcp.state != LISTEN:
                self._count(tcp, route)
        return open_now

    def _are_all_foreign(self, open_now: Iterable[TcpSocket]) -> bool:
        """Whether no app has any of these connections: none waits to be accepted, and each has been looked at twice."""
        return all(tcp.cookie in self._foreign or (tcp.cookie in self._known and tcp.state == LISTEN) for tcp in open_now)

    def _learn(self, sockets: list[TcpSocket], pids: Iterable[int]) -> None:
        """Find the processes of new sockets."""
        new = [tcp for tcp in sockets if tcp.inode and tcp.cookie not in self._known and tcp.cookie not in self._foreign]
        if not new:
            return
        owners = self._owners(pids)
        mine = [tcp for tcp in new if tcp.inode in owners]
        # The app may have closed a socket since it was listed. Those of other programs stay without an owner.
        without_owner = {tcp.cookie for tcp in new if tcp.inode not in owners}
        self._foreign |= without_owner & self._doubtful
        self._doubtful |= without_owner
        self._listeners |= {tcp.local for tcp in mine if tcp.state == LISTEN}
        self._ends |= {(tcp.local, tcp.remote) for tcp in mine}
        ports = {port for _, port in self._listeners}
        for tcp in mine:
            # An app's server may listen on all addresses, so compare ports for connections within the host.
            to_app = tcp.remote[1] in ports and _is_loopback(tcp.remote)
            is_inner = to_app or (tcp.remote, tcp.local) in self._ends
            self._known[tcp.cookie] = _Known(owners[tcp.inode], is_inner, AirTraffic())
            if tcp.state != LISTEN and tcp.local[1] not in ports and not is_inner:
                self._uses(owners[tcp.inode], _server(tcp))

    def _uses(self, pid: int, server: Endpoint) -> None:
        """Count connections to a server that ended before a process was known to use it."""
        if self._servers.get(server) == pid:
            return
        self._servers[server] = pid
        found = [one for one in self._ended if _server(one.tcp) == server and pid in one.pids]
        for one in found:
            self._ended.remove(one)
            self._last(one)
        self.unseen -= len(found)

    def _owners(self, pids: Iterable[int]) -> Mapping[int, int]:
        """Return the process of each socket's inode."""
        found: dict[int, int] = {}
        for pid in pids:
            try:
                links = [entry.readlink() for entry in (self._proc / str(pid) / "fd").iterdir()]
            except OSError:  # the process ended, or closed a file meanwhile
                links = _links_one_by_one(self._proc / str(pid) / "fd")
            for link in map(str, links):
                if link.startswith(_SOCKET_LINK):
                    found[int(link[len(_SOCKET_LINK) : -1])] = pid
        return found

    def _count(self, tcp: TcpSocket, route: str | None) -> None:
        known = self._known[tcp.cookie]
        before = self._payloads.get(tcp.cookie, (0, 0))
        # A closed socket may have a byte less. What a reset leaves unsent was written nevertheless.
        received = max(tcp.received_bytes, before[0])
        written = max(tcp.sent_bytes - tcp.resent_bytes + tcp.unsent_bytes, before[1])
        self._payloads[tcp.cookie] = (received, written)
        total = self.payload_by_pid.get(known.pid, (0, 0))
        self.payload_by_pid[known.pid] = (total[0] + received - before[0], total[1] + written - before[1])
        now = on_the_air(replace(tcp, received_bytes=received))
        gain, known.counted = now - known.counted, now
        if not gain:
            return
        interface = LOOPBACK if known.is_inner else route
        if interface is None:
            self.unrouted += gain
            return
        self.interfaces[interface] += gain
        key = (self._uid_of(known.pid), interface)
        self.by_uid[key] = self.by_uid.get(key, AirTraffic()) + gain

    def _last(self, ended: _Ended) -> None:
        """Count a closed socket for the last time."""
        tcp = ended.tcp
        if tcp.cookie not in self._known:
            if tcp.cookie in self._foreign or not on_the_air(tcp):
                return
            pid = self._servers.get(_server(tcp))
            if pid is None:
                if ended.pids:
                    self._ended.append(ended)
                    self.unseen += 1
                return
            # A short connection to a server that an app uses: programs of the host rarely use the same one.
            self._known[tcp.cookie] = _Known(pid, False, AirTraffic())
        self._count(tcp, ended.route)
        del self._known[tcp.cookie]
        self._payloads.pop(tcp.cookie, None)
        self._ends.discard((tcp.local, tcp.remote))
        if not tcp.remote[1]:
            self._listeners.discard(tcp.local)


def net_dev(interfaces: Mapping[str, AirTraffic]) -> str:
    """Return /proc/net/dev (net/core/net-procfs.c)."""
    lines = [
        "Inter-|   Receive                                                |  Transmit",
        " face |bytes    packets errs drop fifo frame compressed multicast|"
        "bytes    packets errs drop fifo colls carrier compressed",
    ]
    for name, traffic in interfaces.items():
        received = f"{traffic.rx_bytes:7d} {traffic.rx_packets:7d}    0    0    0     0          0         0"
        sent = f"{traffic.tx_bytes:8d} {traffic.tx_packets:7d}    0    0    0     0       0          0"
        lines.append(f"{name:>6}: {received} {sent}")
    return "\n".join(lines) + "\n"


def _server(tcp: TcpSocket) -> Endpoint:
    """Return the other end of a connection; only its port if it is on this computer, at any of its addresses."""
    return (_HERE, tcp.remote[1]) if _is_loopback(tcp.remote) or tcp.remote[0] == tcp.local[0] else tcp.remote


def _is_loopback(end: Endpoint) -> bool:
    address = end[0]
    return address[:1] == b"\x7f" if len(address) == 4 else address == bytes(15) + b"\x01"


def _links_one_by_one(folder: Path) -> list[Path]:
    links = []
    try:
        entries = list(folder.iterdir())
    except OSError:
        return []
    for entry in entries:
        try:
            links.append(entry.readlink())
        except OSError:
            continue
    return links

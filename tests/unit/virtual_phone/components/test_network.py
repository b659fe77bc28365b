"""TCP traffic of a process, as the phone's interfaces count it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from support.command_line import eventually

from navitas.virtual_phone.components.component_rails import ComponentRails
from navitas.virtual_phone.components.device_state import DeviceState, DeviceSwitches
from navitas.virtual_phone.components.devices import Devices
from navitas.virtual_phone.components.figures import component_power
from navitas.virtual_phone.components.network import HEADER_BYTES, SEGMENT_BYTES, AirTraffic, NetworkCounters, net_dev, on_the_air
from navitas.virtual_phone.components.sock_diag import LISTEN, Endpoint, SockDiag, TcpSocket
from navitas.virtual_phone.components.storage import StorageCounters
from navitas.virtual_phone.kernel.spec import default_profile, read_figures

APP, SERVER = 100, 200
HERE: Endpoint = (b"\x7f\0\0\1", 5000)
THERE: Endpoint = (b"\x7f\0\0\1", 80)


class FakeSockets:
    """Sockets that the test sets."""

    def __init__(self) -> None:
        self.now: list[TcpSocket] = []
        self.gone: list[TcpSocket] = []
        self.in_use = b""
        self.listings = 0

    def number(self) -> bytes:
        return self.in_use

    def open(self) -> list[TcpSocket]:
        self.listings += 1
        return self.now

    def closed(self) -> list[TcpSocket]:
        gone, self.gone = self.gone, []
        return gone

    def close(self) -> None:
        """Nothing to close."""


def tcp(
    cookie: int, inode: int, local: Endpoint, remote: Endpoint, *, sent: int = 0, received: int = 0, state: int = 1
) -> TcpSocket:
    segments = -(-sent // SEGMENT_BYTES), -(-received // SEGMENT_BYTES)
    return TcpSocket(cookie, inode, state, local, remote, sent, received, *segments, *segments)


class FakeNetwork(NetworkCounters):
    """The counters of an app that has sockets with these inodes."""

    def __init__(self, proc: Path, *inodes: int) -> None:
        (proc / str(APP) / "fd").mkdir(parents=True)
        for number in inodes:
            (proc / str(APP) / "fd" / str(number)).symlink_to(f"socket:[{number}]")
        self.sockets = FakeSockets()
        super().__init__(self.sockets, lambda pid: 10_000 + pid, proc)

    def see(self, *now: TcpSocket, gone: Sequence[TcpSocket] = (), route: str | None = "wlan0") -> AirTraffic:
        """Poll while these sockets are open and those have been closed. Return what Wi-Fi has transferred since the start."""
        self.sockets.now, self.sockets.gone = list(now), list(gone)
        self.poll([APP], route)
        return self.interfaces["wlan0"]


@pytest.fixture
def network(tmp_path: Path) -> FakeNetwork:
    """The counters of an app that has one socket."""
    return FakeNetwork(tmp_path, 7)


def test_bytes_include_headers_and_go_to_the_route_and_the_uid(network: FakeNetwork) -> None:
    wifi = network.see(tcp(1, 7, HERE, THERE, sent=3000, received=100_000), tcp(2, 8, THERE, HERE, sent=100_000, received=3000))
    assert wifi.rx_bytes == 100_000 + HEADER_BYTES * wifi.rx_packets
    assert wifi.rx_packets == 70 + 1  # data, and acknowledgements of 3 packets
    assert wifi.tx_packets == 3 + 35
    assert network.by_uid == {(10_000 + APP, "wlan0"): wifi}
    assert not network.interfaces["lo"]
    network.poll([APP], "rmnet0")
    assert network.interfaces["wlan0"] == wifi and not network.interfaces["rmnet0"]
    network.see(tcp(1, 7, HERE, THERE, sent=3000, received=200_000), route="rmnet0")
    assert network.interfaces["rmnet0"].rx_bytes > 100_000


def test_a_socket_that_is_closed_while_the_phone_looks_for_its_process_counts(network: FakeNetwork) -> None:
    before = network.see(tcp(1, 7, HERE, THERE, sent=1000)).rx_bytes
    short, other = (HERE[0], 5001), (HERE[0], 5002)
    elsewhere = (HERE[0], 81)
    both = tcp(2, 8, short, THERE, received=9000), tcp(3, 9, other, elsewhere, received=9000)
    network.see(*both)  # no process has them any more
    after = network.see(gone=[replace(closed, inode=0) for closed in both]).rx_bytes
    assert after - before == 9000 + HEADER_BYTES * 7
    assert network.unseen == 1


def test_sockets_of_other_programs_do_not_count(network: FakeNetwork) -> None:
    own, foreign = tcp(1, 7, HERE, THERE, sent=1000), tcp(2, 8, (HERE[0], 5001), THERE, received=9000)
    for _ in range(2):
        network.see(own, foreign)
    assert not network.see(own, gone=[replace(foreign, inode=0)]).rx_bytes and network.unseen == 0


def test_sockets_are_listed_only_while_an_app_uses_one_or_their_number_changes(network: FakeNetwork) -> None:
    sockets, foreign = network.sockets, tcp(2, 8, HERE, THERE, sent=100)

    def listings(*, polls: int = 1) -> int:
        before = sockets.listings
        for _ in range(polls):
            network.poll([APP], "wlan0")
        return sockets.listings - before

    sockets.now, sockets.in_use = [foreign], b"1"
    assert listings(polls=10) == 2, "the second time, it is clear that no app has the socket"
    sockets.now, sockets.in_use = [foreign, tcp(1, 7, HERE, THERE, sent=3000)], b"2"
    assert listings() == 1 and network.by_uid[10_000 + APP, "wlan0"].tx_packets == 3
    sockets.now = [foreign, tcp(1, 7, HERE, THERE, sent=30_000)]
    assert listings() == 1 and network.by_uid[10_000 + APP, "wlan0"].tx_packets == 21, "it counts while it is open"
    sockets.now, sockets.gone = [foreign], [tcp(1, 7, HERE, THERE, sent=33_000, state=7)]
    assert listings(polls=10) == 1 and network.by_uid[10_000 + APP, "wlan0"].tx_packets == 23
    assert listings() == 0
    network.poll([APP, SERVER], "wlan0")
    assert sockets.listings == 6, "a new process may have a socket that was listed before"


def test_a_socket_that_is_not_accepted_yet_is_looked_at_again(network: FakeNetwork) -> None:
    network.sockets.in_use = b"1"
    for inode in (0, 7):
        network.see(tcp(1, inode, THERE, HERE, received=100))
    assert network.by_uid[10_000 + APP, "wlan0"].rx_packets == 1


def test_the_last_values_of_a_closed_socket_count_once(network: FakeNetwork) -> None:
    last = tcp(1, 0, HERE, THERE, sent=5000, received=9000)
    network.see(tcp(1, 7, HERE, THERE, sent=1000))
    network.see(gone=[last])
    assert network.see() == on_the_air(last)
    assert network.payload_by_pid == {APP: (9000, 5000)}


def test_a_reset_takes_a_received_byte_and_nothing_that_was_sent(network: FakeNetwork) -> None:
    network.see(tcp(1, 7, HERE, THERE, sent=1000, received=500))
    wifi = network.see(gone=[tcp(1, 0, HERE, THERE, sent=5000, received=499)])
    assert wifi == on_the_air(tcp(1, 0, HERE, THERE, sent=5000, received=500))
    assert network.payload_by_pid == {APP: (500, 5000)}


def test_bytes_that_are_sent_again_were_written_once(network: FakeNetwork) -> None:
    for sent, resent in ((1000, 0), (3000, 500), (3000, 900)):
        wifi = network.see(replace(tcp(1, 7, HERE, THERE, sent=sent), resent_bytes=resent))
    assert network.payload_by_pid == {APP: (0, 2500)}
    assert wifi.tx_bytes > 3000


def test_bytes_that_wait_to_be_sent_are_written_and_not_on_the_air(network: FakeNetwork) -> None:
    for sent, unsent in ((0, 9000), (3000, 6000), (9000, 0)):
        wifi = network.see(replace(tcp(1, 7, HERE, THERE, sent=sent), unsent_bytes=unsent))
        assert (network.payload_by_pid, wifi.tx_bytes) == ({APP: (0, 9000)}, sent + HEADER_BYTES * wifi.tx_packets)


def test_connections_within_the_app_are_loopback(tmp_path: Path) -> None:
    network = FakeNetwork(tmp_path, 6, 7, 8)
    listener = tcp(3, 6, (bytes(4), 80), (bytes(4), 0), state=LISTEN)
    assert not network.see(listener, tcp(1, 7, HERE, THERE, sent=500), tcp(2, 8, THERE, HERE, received=500))
    assert network.interfaces["lo"].tx_bytes == network.interfaces["lo"].rx_bytes > 500
    assert network.by_uid == {(10_000 + APP, "lo"): network.interfaces["lo"]}, "as on Android"


def test_short_connections_are_counted_for_known_servers_and_named_otherwise(network: FakeNetwork) -> None:
    own = tcp(1, 7, HERE, THERE, sent=100)
    before = network.see(own)
    short = [tcp(10, 0, (HERE[0], 5001), THERE, sent=100), tcp(11, 0, THERE, (HERE[0], 5001), received=100)]
    assert network.see(own, gone=short).tx_bytes == 2 * before.tx_bytes
    assert network.unseen == 1  # the server's end of the connection


def test_connections_that_no_poll_saw_count_as_soon_as_the_app_is_known_to_use_the_server(network: FakeNetwork) -> None:
    """An app loads three articles. The phone is too busy to see the first two connections while they are open."""
    unseen = [tcp(number, 0, (HERE[0], 5000 + number), THERE, sent=100, received=500_000) for number in (1, 2)]
    network.see(gone=[*unseen, tcp(4, 0, (HERE[0], 5004), (HERE[0], 81), received=9000)], route="rmnet0")
    assert network.unseen == 3 and not any(network.interfaces.values())
    third = tcp(3, 7, (HERE[0], 5003), THERE, sent=100, received=500_000)
    network.see(third)
    article = on_the_air(unseen[0])
    assert (network.see(gone=[replace(third, inode=0)]), network.interfaces["rmnet0"]) == (article, article + article)
    assert network.by_uid[10_000 + APP, "rmnet0"] == article + article
    assert network.payload_by_pid == {APP: (1_500_000, 300)}
    assert network.unseen == 1 and not network._known


def test_connections_that_no_poll_saw_count_if_the_app_reports_the_server(tmp_path: Path) -> None:
    network = FakeNetwork(tmp_path)
    ends = [THERE, (bytes(15) + b"\x01", 80), (b"\x0a\0\0\1", 80)]
    assert not network.see(gone=[tcp(number, 0, HERE, end, received=9000) for number, end in enumerate(ends)])
    assert network.unseen == 3
    network.uses_port(APP, 80)
    network.sockets.gone = [tcp(4, 0, HERE, THERE, received=9000)]
    assert network.poll([APP], "wlan0") == network.interfaces["wlan0"], "the radio transfers it now"
    assert network.payload_by_pid == {APP: (27_000, 0)} and network.unseen == 1, "not those to other computers"


def devices_with(network: NetworkCounters, proc: Path) -> Devices:
    """The components of a phone whose files are in memory."""
    items, arrays = read_figures(default_profile())
    state = DeviceState(lambda: DeviceSwitches(True, 0.5, True, False, False))
    rails = ComponentRails(component_power(items, arrays, 3.85), 3.85, seed=0)
    return Devices(state, rails, network, StorageCounters(False, lambda pid: network.payload_by_pid.get(pid, (0, 0))[1], proc))


def test_what_a_process_sends_while_the_phone_reads_its_counters_is_no_file(network: FakeNetwork, tmp_path: Path) -> None:
    devices = devices_with(network, tmp_path)
    sent = 0

    def sends_then() -> list[TcpSocket]:
        nonlocal sent
        read = [tcp(1, 7, HERE, THERE, sent=sent)]
        sent += 100_000
        (tmp_path / str(APP) / "io").write_text(f"wchar: {sent}\nread_bytes: 0\nwrite_bytes: 0\n")
        return read

    network.sockets.open = sends_then  # type: ignore[method-assign]
    devices.add_process(APP)
    for _ in range(3):
        devices.advance(poll=True)
    assert network.payload_by_pid == {APP: (0, 300_000)}
    assert devices.disk().written_bytes == 0


def test_connections_that_ended_before_a_process_began_are_not_its_own(network: FakeNetwork, tmp_path: Path) -> None:
    devices = devices_with(network, tmp_path)
    network.sockets.gone = [tcp(9, 0, HERE, THERE, received=9000)]
    devices.add_process(APP)
    network.sockets.now = [tcp(1, 7, HERE, THERE, received=100)]
    devices.advance(poll=True)
    assert network.payload_by_pid == {APP: (100, 0)} and network.unseen == 0


def test_traffic_without_a_route_is_named(network: FakeNetwork) -> None:
    network.see(tcp(1, 7, HERE, THERE, sent=100), route=None)
    assert network.unrouted.tx_bytes > 100 and not any(network.interfaces.values())


def test_net_dev_has_the_kernels_columns() -> None:
    text = net_dev({"lo": AirTraffic(), "wlan0": AirTraffic(1, 2, 3, 4)})
    header, columns, lo, wlan0 = text.splitlines()
    assert header.startswith("Inter-|   Receive") and columns.count("|") == 2
    name, _, numbers = wlan0.partition(":")
    assert name.strip() == "wlan0" and len(numbers.split()) == 16
    assert [numbers.split()[i] for i in (0, 1, 8, 9)] == ["1", "2", "3", "4"]
    assert lo.split() == ["lo:", *"0" * 16]


@pytest.fixture
def sock_diag() -> Iterator[SockDiag]:
    try:
        found = SockDiag()
    except OSError as error:
        pytest.skip(f"no sock_diag here: {error}")
    yield found
    found.close()


def test_a_failed_reading_is_repeated(sock_diag: SockDiag) -> None:
    sock_diag._dumps.close()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert listener.getsockname()[1] in {found.local[1] for found in sock_diag.open()}


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_real_sockets_are_counted_to_the_byte(sock_diag: SockDiag, family: int, tmp_path: Path) -> None:
    """This process is the app, and a server outside of it is simulated by hiding that socket's inode."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        client = socket.socket(family)
        client.connect(address if family == socket.AF_INET else (f"::ffff:{address[0]}", address[1]))
        server, _ = listener.accept()
        fd = tmp_path / "1" / "fd"
        fd.mkdir(parents=True)
        (fd / "3").symlink_to(f"socket:[{os.fstat(client.fileno()).st_ino}]")
        network = NetworkCounters(sock_diag, lambda pid: 10_001, tmp_path)
        network.poll([1], "wlan0")

        client.setblocking(False)
        written = 0
        with suppress(BlockingIOError):  # the server does not read yet, so a part of it is not sent
            while True:
                written += client.send(bytes(1 << 16))
        network.poll([1], "wlan0")
        assert network.payload_by_pid[1] == (0, written)
        client.setblocking(True)
        left = written
        while left:
            left -= len(server.recv(1 << 16))
        for _ in range(3):
            server.sendall(b"z" * 100_000)
            left = 100_000
            while left:
                left -= len(client.recv(left))
        client.close()
        while server.recv(1 << 16):
            pass
        server.close()
    _poll_until_closed(network)
    received, sent = network.payload_by_pid[1]
    assert (received, sent) == (300_000, written)
    wifi = network.by_uid[10_001, "wlan0"]
    assert wifi == network.interfaces["wlan0"]
    assert wifi.rx_bytes == received + HEADER_BYTES * wifi.rx_packets


def _poll_until_closed(network: NetworkCounters) -> None:
    """The kernel reports a closed socket from a work queue, a moment later."""

    def is_closed() -> bool:
        network.poll([1], "wlan0")
        return not network._known

    assert eventually(is_closed)

"""Transfers of a real process of the phone: its downloads and files, in the counters and the rails."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.null_kernel import NullKernel

from navitas.virtual_phone.components.network import HEADER_BYTES
from navitas.virtual_phone.components.sock_diag import SockDiag
from navitas.virtual_phone.host_process import host_process
from navitas.virtual_phone.identity import SHELL
from navitas.virtual_phone.kernel.spec import default_profile, read_figures
from navitas.virtual_phone.phone import Phone

SIZE = 3_000_000
WRITTEN = 2 << 20
CLIENT = f"""
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as server:
    server.sendall(b"GET")
    left = {SIZE}
    while left:
        left -= len(server.recv(left))
    with open(sys.argv[2], "wb", buffering=0) as out:
        out.write(bytes({WRITTEN}))
    sys.stdin.read()  # keep the connection: one that ends between two readings has no known owner
"""
ITEMS, ARRAYS = read_figures(default_profile())


@pytest.fixture
def server() -> Iterator[int]:
    """A server outside of the phone that answers one connection."""
    try:
        SockDiag().close()
    except OSError as error:
        pytest.skip(f"no sock_diag here: {error}")

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(3)
            connection.sendall(bytes(SIZE))
            connection.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


def test_a_download_and_a_file(server: int, tmp_path: Path) -> None:
    root = tmp_path / "phone"
    root.mkdir()

    async def main() -> None:
        phone = Phone(root, NullKernel(), items=ITEMS, arrays=ARRAYS)
        await phone.start()
        try:
            before = phone.devices.rails_uj()
            command = [sys.executable, "-c", CLIENT, str(server), str(root / "data/file")]
            async with host_process(phone.processes, command, name="client", who=SHELL, takes_input=True) as process:
                for _ in range(1000):
                    if phone.devices.disk().written_bytes >= WRITTEN and "wlan0" in dict(_interfaces(phone)):
                        break
                    await asyncio.sleep(0.01)
                received, packets = dict(_interfaces(phone))["wlan0"]
                assert received == SIZE + HEADER_BYTES * packets
                assert WRITTEN <= phone.devices.disk().written_bytes < WRITTEN * 1.1
                assert f"write_bytes: {phone.devices.disk().written_bytes}" in phone.devices.process_io(process.pid).decode()
                assert (SHELL.uid, "wlan0") in phone.devices.traffic_by_uid()
            after = phone.devices.rails_uj()
            assert after["VSYS_PWR_WLAN_BT"] > before["VSYS_PWR_WLAN_BT"]
            assert after["L2S_PLL_MIPI_UFS"] > before["L2S_PLL_MIPI_UFS"]
        finally:
            await phone.stop()

    asyncio.run(asyncio.wait_for(main(), 60))


def _interfaces(phone: Phone) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the received bytes and packets of each interface with traffic."""
    for name, numbers in re.findall(r"^ *(\w+): (.*)$", phone.devices.net_dev(), re.MULTILINE):
        received, packets = map(int, numbers.split()[:2])
        if packets:
            yield name, (received, packets)

"""The log daemon and logcat."""

from __future__ import annotations

import asyncio
import socket
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phone_harness import Output, on_phone, run

from navitas.virtual_phone.identity import SHELL
from navitas.virtual_phone.logd import DEFAULT_BYTES, Entry, LogDaemon
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.shell.command_line import run_shell
from navitas.virtual_phone.shell.commands.logcat_command import STYLES, LogFormat
from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.streams import Input, OutputBuffer

TIME_NS = 1_700_000_000_123_456_789  # 2023-11-14 22:13:20 UTC


def test_times_are_exact() -> None:
    entry = Entry(1, "main", 4, 321, 4321, 10123, TIME_NS, "Tag", "message")
    texts = [LogFormat("time", frozenset(modifiers)).render(entry) for modifiers in (("year", "UTC", "usec"), ("epoch", "usec"))]
    times = "2023-11-14 22:13:20.123456 +0000", "         1700000000.123456"
    assert texts == [f"{time} I/Tag     (  321): message\n" for time in times]


@given(st.sampled_from(STYLES), st.integers(2, 7), st.text(max_size=20), st.text(max_size=50), st.integers(0, 2**62))
def test_any_entry_can_be_printed(style: str, priority: int, tag: str, message: str, time_ns: int) -> None:
    text = LogFormat(style).render(Entry(1, "main", priority, 1, 1, 0, time_ns, tag, message))
    assert text.endswith("\n")


def datagram(message: bytes, *, priority: int = 4, tag: bytes = b"App", buffer: int = 0, time_ns: int = TIME_NS) -> bytes:
    return struct.pack("<BIIqB", priority, 321, 4321, time_ns, buffer) + tag + b"\0" + message


def test_entries_come_over_udp_and_are_there_when_logcat_begins(tmp_path: Path) -> None:
    async def action(phone: Phone) -> Output:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as app:
            app.connect(("127.0.0.1", phone.logd.port))
            token = phone.logd.token
            app.send(datagram(b"of a stranger"))
            app.send(bytes(16) + datagram(b"of a stranger"))
            for number in range(50):
                app.send(token + datagram(b"entry %d" % number))
            app.send(token + datagram(b"crashed", buffer=4))
            app.send(b"garbage")
            app.send(token)
        found = await run(phone, "logcat -d -v tag")
        assert phone.logd.refused == 3
        address = tmp_path / "dev/socket/logdw"
        assert address.read_text() == f"{phone.logd.port} {token.hex()}\n" and address.stat().st_mode & 0o777 == 0o600
        return found

    lines = on_phone(tmp_path, action).stdout.decode().splitlines()
    assert lines[0] == "--------- beginning of main"
    assert lines[1:51] == [f"I/App     : entry {number}" for number in range(50)]
    assert lines[51:] == ["--------- beginning of crash", "I/App     : crashed"]


@given(st.binary(max_size=100))
def test_any_datagram_is_read_or_dropped(data: bytes) -> None:
    log = LogDaemon(lambda pid: 0)
    log.take(data)
    log.stop()


def test_the_ring_drops_the_oldest() -> None:
    log = LogDaemon(lambda pid: 0)
    for number in range(1000):
        log.take(datagram(b"%04d" % number + bytes(1000)))
    kept = [int(entry.message[:4]) for entry in log.entries(("main",))]
    assert kept == list(range(kept[0], 1000))
    assert DEFAULT_BYTES - 1100 < sum(entry.size for entry in log.entries(("main",))) <= DEFAULT_BYTES
    log.resize(("main",), 65536)
    assert sum(entry.size for entry in log.entries(("main",))) <= 65536
    log.stop()


def test_messages_are_cut_at_the_payload_limit() -> None:
    log = LogDaemon(lambda pid: 0)
    log.take(datagram(b"x" * 10_000))
    log.write(4, "App", "y" * 10_000, pid=1)
    assert [len(entry.message) for entry in log.entries(("main",))] == [4068 - 6, 4068 - 6]
    log.stop()


async def fill(phone: Phone) -> None:
    for number, (priority, tag) in enumerate([(3, "a"), (4, "a"), (5, "b"), (6, "c")]):
        phone.logd.take(datagram(b"%d" % number, priority=priority, tag=tag.encode(), time_ns=TIME_NS + number * 1_000_000_000))


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("", "0123"),
        ("'*:W'", "23"),
        ("-s a", "01"),
        ("-s a:I c", "13"),
        ("a:S", "23"),
        ("a:S '*:E'", "3"),
        ("-t 2", "23"),
        ("-t '11-14 22:13:22.000' -v year", ""),
        ("-T 1700000002.000", "23"),
        ("-T '2023-11-14 22:13:22.5'", "3"),
        ("-e '[12]'", "12"),
        ("-m 1", "0"),
        ("--pid=321", "0123"),
        ("--pid=1", ""),
        ("-b crash", ""),
        ("-b all", "0123"),
    ],
)
def test_filters(arguments: str, shown: str, tmp_path: Path) -> None:
    async def action(phone: Phone) -> Output:
        await fill(phone)
        return await run(phone, f"logcat -d -v raw {arguments}")

    found = on_phone(tmp_path, action)
    assert "".join(line for line in found.stdout.decode().splitlines() if not line.startswith("---")) == shown


def test_tags_from_the_environment(tmp_path: Path) -> None:
    async def action(phone: Phone) -> Output:
        await fill(phone)
        return await run(phone, 'export ANDROID_LOG_TAGS="*:E"; exec logcat -d -v raw')

    assert on_phone(tmp_path, action).stdout == b"--------- beginning of main\n3\n"


def test_clear_and_wrong_options(tmp_path: Path) -> None:
    async def action(phone: Phone) -> None:
        await fill(phone)
        assert await run(phone, "logcat -c; logcat -d") == Output(0, b"", b"")
        assert await run(phone, "logcat -G 16M") == Output(0, b"", b"")
        for wrong in (
            "-G 1K",
            "-G x",
            "-B",
            "-f file",
            "-v process",
            "-b nope",
            "a:Q",
            "-e '['",
            "-T nonsense",
            "-T ١٢.5",
            f"-T {'9' * 5000}",
            f"-m {'9' * 5000}",
            "-m ٣",
            f"--pid={'9' * 5000}",
            "--pid=٣",
            "--nope",
        ):
            found = await run(phone, f"logcat -d {wrong}")
            assert found.status == 1 and found.stderr.startswith(b"logcat: ")

    on_phone(tmp_path, action)


def test_following_ends_with_the_count(tmp_path: Path) -> None:
    async def action(phone: Phone) -> bytes:
        await fill(phone)
        out = OutputBuffer()
        streams = Streams(Input.of_bytes(), out.write, OutputBuffer().write)
        following = asyncio.create_task(run_shell(phone, "logcat -v raw -T 1 -m 3", SHELL, streams))
        while not out.data:
            await asyncio.sleep(0.01)
        await fill(phone)
        await following
        return bytes(out.data)

    assert on_phone(tmp_path, action) == b"--------- beginning of main\n3\n0\n1\n"

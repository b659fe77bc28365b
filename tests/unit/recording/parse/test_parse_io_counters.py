"""Parse counters of traffic: /proc/net/dev, /proc/diskstats, /proc/self/io, and a uid's traffic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.recording.manifest import Manifest, Source
from navitas.recording.parse.counters import Readings
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.io_counters import IoCounters, increments
from navitas.recording.parse.io_tables import (
    DISKSTATS,
    NET_DEV,
    app_counters,
    device_counters,
    disk_use,
    diskstats,
    interface_uses,
    net_dev,
    process_io,
    uid_traffic,
    with_device_counters,
)

HEAD = (
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"
)
IO = "rchar: 9\nwchar: 8\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 0\n"


def interface(name: str, received: int, sent: int) -> str:
    packets = received // 100, sent // 100
    none = "    0    0    0     0          0         0"
    return f"{name:>6}: {received:7d} {packets[0]:7d}{none} {sent:8d} {packets[1]:7d}{none}\n"


def disk(name: str, read: int, written: int) -> str:
    return f"   8       0 {name} {read} 0 {2 * read} 5 {written} 0 {2 * written} 5 0 0 0 0 0 0 0 0 0\n"


def named(counters: tuple[IoCounters, ...]) -> dict[str, IoCounters]:
    return {counter.name.rpartition(" ")[2]: counter for counter in counters}


def manifest(*sources: Source) -> Manifest:
    return Manifest.model_construct(sources=list(sources))


def test_interfaces_are_counted_by_their_radio() -> None:
    names = ("lo", "wlan0", "rmnet_ipa0", "rmnet_data0", "v4-rmnet_data0", "tun0", "eth0", "ccmni1", "p2p0", "dummy0")
    texts = [HEAD + "".join(interface(name, 1000 * step, 100 * step) for name in names) for step in (1, 3)]
    findings = Findings()
    found = device_counters(NET_DEV, [5, 9], texts, findings)
    media = {name: counter.medium for name, counter in named(found).items()}
    assert media == {"wlan0": "wifi", "p2p0": "wifi", "rmnet_data0": "mobile", "ccmni1": "mobile"}
    wlan = named(found)["wlan0"]
    assert (wlan.scope, wlan.t_ns.tolist()) == ("device", [5, 9])
    assert wlan.value.tolist() == [[1000, 10, 100, 1], [3000, 30, 300, 3]]
    assert not findings.warnings


def test_a_device_without_radio_has_a_wired_interface() -> None:
    assert interface_uses({"lo", "eth0"}) == {"lo": "left out", "eth0": "network"}
    assert interface_uses({"rmnet0", "eth0"}) == {"rmnet0": "mobile", "eth0": "left out"}
    assert interface_uses({"rmnet_ipa0"}) == {"rmnet_ipa0": "mobile"}


def test_very_many_interfaces_are_left_out_and_counted() -> None:
    texts = [HEAD + "".join(interface(f"wlan{500 * step + i}", 9, 9) for i in range(500)) for step in range(4)]
    findings = Findings()
    assert len(device_counters(NET_DEV, range(4), texts, findings)) == 1024
    assert [(loss.what, loss.count) for loss in findings.losses] == [("io_counter_readings", 976)]


def test_unknown_interfaces_with_traffic_are_named() -> None:
    findings = Findings(3)
    texts = [HEAD + interface("odd0", 10, 10) + interface("odd1", step, 0) + interface("wlan0", 1, 1) for step in (0, 7)]
    found = device_counters(NET_DEV, [1, 2], texts, findings)
    assert [(one.name, one.medium) for one in found] == [("/proc/net/dev odd1", "unknown"), ("/proc/net/dev wlan0", "wifi")]
    assert [(loss.what, loss.name, loss.run) for loss in findings.losses] == [("unknown_devices", "odd1", 3)]
    assert "odd1" in findings.warnings[0].message


def test_an_interface_that_appears_midway_counts_from_zero() -> None:
    off, on = HEAD + interface("wlan0", 100, 100), interface("rmnet0", 500, 50)
    findings = Findings()
    texts = [off, off + on, off, off + interface("rmnet0", 30, 3)]
    rmnet = named(device_counters(NET_DEV, [10, 20, 30, 40], texts, findings))["rmnet0"]
    grown = increments(rmnet)
    assert rmnet.t_ns.tolist() == [10, 20, 30, 40]
    assert grown.growth[:, 0].tolist() == [500, 0, 30]
    assert grown.resets == 3  # one for each column that was above 0


def test_whole_disks_are_counted_once() -> None:
    names = (
        "sda",
        "sda1",
        "sdb",
        "mmcblk0",
        "mmcblk0p3",
        "mmcblk0boot0",
        "nvme0n1",
        "nvme0n1p2",
        "loop3",
        "ram0",
        "zram0",
        "dm-4",
    )
    findings = Findings()
    texts = ["".join(disk(name, step, 2 * step) for name in names) for step in (0, 4)]
    found = named(device_counters(DISKSTATS, [1, 2], texts, findings))
    assert sorted(found) == ["mmcblk0", "nvme0n1", "sda", "sdb"]
    assert found["sda"].medium == "storage"
    assert found["sda"].value[-1].tolist() == [4 * 2 * 512, 4, 8 * 2 * 512, 8]
    assert not findings.warnings
    assert disk_use("odd7") == "unknown"


@pytest.mark.parametrize("path, text", [(NET_DEV, HEAD + interface("wlan0", 1, 2)), (DISKSTATS, disk("sda", 1, 2))])
def test_torn_readings_are_skipped_and_counted(path: str, text: str) -> None:
    torn = [text[:end] for end in range(len(text) - 1, len(text) - 60, -7)]
    findings = Findings()
    (found,) = device_counters(path, range(len(torn) + 1), [*torn, text], findings)
    assert found.t_ns.tolist() == [len(torn)]
    assert [(loss.what, loss.count) for loss in findings.losses] == [("io_counter_readings", len(torn))]


def test_the_apps_own_counters() -> None:
    sources = Source(id=4, path="/proc/self/io", kind="process_io"), Source(id=6, path="traffic", kind="uid_traffic")
    first = {4: Readings([10, 30], [IO.encode(), IO.replace("4096", "5096").encode()]), 6: Readings([10, 30], [b"1 2 3 4\n"] * 2)}
    second = {4: Readings([20, 40], [IO.encode(), IO.replace("8192", "8292").encode()]), 6: Readings([20], [b"1 2 3 4\n"])}
    findings = Findings()
    storage, traffic = app_counters(manifest(*sources), [first, second], findings)
    assert (storage.scope, storage.medium, storage.t_ns.tolist()) == ("app", "storage", [10, 20, 30, 40])
    assert storage.value.tolist() == [[0, 0, 0, 0], [500, 0, 0, 0], [1000, 0, 50, 0], [1000, 0, 100, 0]]
    assert (traffic.scope, traffic.medium, traffic.t_ns.tolist()) == ("app", "network", [10, 20, 30])
    assert traffic.value.tolist() == [[1, 2, 3, 4]] * 3
    assert not findings.warnings


def test_what_the_runtime_writes_does_not_count() -> None:
    source = Source(id=4, path="/proc/self/io", kind="process_io")
    texts = [
        IO.replace("8192", str(count)) + f"runtime_write_bytes: {own}\n"
        for count, own in ((9000, 1000), (19000, 9000), (19500, 11000))
    ]
    (found,) = app_counters(manifest(source), [{4: Readings([1, 2, 3], [text.encode() for text in texts])}], Findings())
    # The last reading seems to go back: the counter was read before the runtime's last bytes reached it.
    assert found.value[:, 2].tolist() == [8000, 10000, 10000]


@pytest.mark.parametrize(
    "first, second, grown, resets",
    [
        # The second process read before the first, and stamped its reading after it.
        ([(10, 1_000_000), (20, 1_000_500), (40, 1_000_900)], [(21, 1_000_000)], 900, 0),
        ([(10, 1_000_000), (40, 7)], [(21, 1_000_500)], 507, 1),
    ],
)
def test_a_counter_of_several_processes_restarts_only_if_one_of_them_sees_it(
    first: list[tuple[int, int]], second: list[tuple[int, int]], grown: int, resets: int
) -> None:
    processes = [{6: Readings([t for t, _ in rows], [b"%d 0 0 0\n" % count for _, count in rows])} for rows in (first, second)]
    (found,) = app_counters(manifest(Source(id=6, path="traffic", kind="uid_traffic")), processes, Findings())
    growth = increments(found)
    assert (float(growth.growth.sum()), growth.resets) == (grown, resets)


def test_counters_that_the_app_cannot_read_are_named_with_a_remedy() -> None:
    sources = Source(id=4, path="/proc/self/io", kind="process_io"), Source(id=6, path="traffic", kind="uid_traffic")
    findings = Findings()
    assert app_counters(manifest(*sources), [{2: Readings([1], [b"x"])}], findings) == ()
    assert [warning.code for warning in findings.warnings] == ["io_counters"] * 2
    assert "/proc/self/io" in findings.warnings[0].message and all(warning.remedy for warning in findings.warnings)
    nothing = Findings()
    assert app_counters(manifest(*sources), [{}], nothing) == () and not nothing.warnings  # a process that left nothing at all


def test_the_shells_reading_of_a_file_replaces_the_apps() -> None:
    source = Source(id=5, path=NET_DEV, kind="net_dev")
    text = HEAD + interface("wlan0", 1, 2)
    by_app = app_counters(manifest(source), [{5: Readings([1], [text.encode()])}], Findings())
    by_shell = device_counters(NET_DEV, [2], [text], Findings())
    disks = device_counters(DISKSTATS, [2], [disk("sda", 1, 1)], Findings())
    assert with_device_counters(by_app, ()) == by_app
    assert with_device_counters(by_app, by_shell) == by_shell
    assert with_device_counters(by_app, disks) == (*by_app, *disks)


_TEXT = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from([*"0123456789 :\n|", "wlan0", "bytes", "sda", "read_bytes: ", HEAD, IO, "9" * 30]), max_size=30).map(
        "".join
    ),
)


@given(st.lists(_TEXT, max_size=6), st.lists(st.integers(0, 1 << 62), min_size=6, max_size=6))
def test_any_text_gives_counters_or_losses(texts: list[str], t_ns: list[int]) -> None:
    for path in (NET_DEV, DISKSTATS):
        findings = Findings()
        found = device_counters(path, sorted(t_ns)[: len(texts)], texts, findings)
        read = net_dev if path == NET_DEV else diskstats
        assert sum(loss.count for loss in findings.losses if loss.what == "io_counter_readings") == sum(
            read(text) is None for text in texts
        )
        assert all((increments(counter).growth >= 0).all() for counter in found)
    raw = Readings(sorted(t_ns)[: len(texts)], [text.encode("utf-8", "replace") for text in texts])
    sources = Source(id=4, path="/proc/self/io", kind="process_io"), Source(id=6, path="traffic", kind="uid_traffic")
    for counter in app_counters(manifest(*sources), [{4: raw, 6: raw}, {4: raw}], Findings()):
        assert len(counter.t_ns) == len(counter.value)


@given(st.text(max_size=100))
def test_single_readings_never_raise(text: str) -> None:
    for parse in (process_io, uid_traffic):
        row = parse(text)
        assert row is None or min(row) >= 0

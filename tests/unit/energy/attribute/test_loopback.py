"""Bytes that stay on the device have no energy of a radio, and those of other calls keep theirs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from attribution_maker import run
from hardware_maker import API_CALLER as CALLER
from hardware_maker import counters, hooks, profile_of, states
from support.run_tables import changed
from test_hardware_components import joules

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.io_counters import IoCounters
from navitas.recording.parse.tables import RunTables

K = HookKind
DOWNLOADED, SERVED = 100_000, 5_000_000
HEADERS = 52 * -(-DOWNLOADED // 1448)
STAYED_HEADERS = 52 * -(-SERVED // 1448)
# m1 downloads 100 kB over Wi-Fi. m2 reads 5 MB from a server of the test itself.
MIXED = [(0, 200, 300, DOWNLOADED, K.NET_READ, False, 1), (0, 400, 500, SERVED, K.LOOPBACK_READ, False, 2)]


def grown(*received: tuple[float, int], device: bool = False, sent: int = 0) -> IoCounters:
    """Readings of received bytes. At the last one, `sent` bytes have been sent."""
    rows = [(t, (count, 0, sent if t == received[-1][0] else 0, 0)) for t, count in received]
    return counters(rows, "wifi" if device else "network", device=device, name="wlan0" if device else "traffic")


WLAN = grown((0, 0), (350, DOWNLOADED + HEADERS), (1000, DOWNLOADED + HEADERS), device=True)
WITH_LOOPBACK = grown((0, 0), (350, DOWNLOADED + HEADERS), (1000, DOWNLOADED + HEADERS + SERVED + STAYED_HEADERS))
WITHOUT_LOOPBACK = grown((0, 0), (350, DOWNLOADED + HEADERS), (1000, DOWNLOADED + HEADERS))


def made(found: RunTables, **more: object) -> Profile:
    profile = profile_of(found, **more)  # type: ignore[arg-type]
    assert check(profile) == []
    return profile


def received(profile: Profile) -> dict[str, float]:
    """The received bytes of each method."""
    transfers, paths = profile.ledger.transfers, profile.ledger.paths
    rows = zip(transfers.path, transfers.received_bytes.tolist(), strict=True)
    return {f"m{paths.method[path]}": count for path, count in rows}


def reasons(profile: Profile) -> dict[str, float | None]:
    return {each.code: each.share_max for one in profile.evidence if one.component == "wifi" for each in one.reasons}


@pytest.mark.parametrize(
    "read",
    [(WITH_LOOPBACK, WLAN), (WITH_LOOPBACK,), (WITHOUT_LOOPBACK, WLAN), (WITHOUT_LOOPBACK,)],
    ids=["android", "android without the device's", "a counter without loopback", "the same without the device's"],
)
def test_a_download_keeps_its_bytes_beside_a_server_of_the_test(read: tuple[IoCounters, ...]) -> None:
    profile = made(changed(run([CALLER]), hooks=hooks(MIXED), io_counters=read))
    assert received(profile) == {"m1": pytest.approx(DOWNLOADED + HEADERS, abs=HEADERS)}
    # Without loopback in it, the app's counter may lose the headers, which are then those of other apps.
    assert joules(profile, "wifi").keys() - {"other_processes"} == {"m1", "base"}
    assert reasons(profile)["loopback"] == pytest.approx(SERVED / (SERVED + DOWNLOADED))


def test_without_the_kinds_of_loopback_calls_share_the_total() -> None:
    """As in recordings of older versions: the counters' bytes are shared by the calls' bytes."""
    rows = [(*row[:4], K.NET_READ, *row[5:]) for row in MIXED]
    profile = made(changed(run([CALLER]), hooks=hooks(rows), io_counters=(WITHOUT_LOOPBACK, WLAN)))
    assert received(profile)["m1"] < 0.03 * DOWNLOADED


def test_a_server_without_hooks_does_not_fill_the_counter() -> None:
    """The server in the app sends 5 MB, which the app's counter shows as sent, but no hook, and no interface."""
    both = grown((0, 0), (350, DOWNLOADED + HEADERS), (1000, DOWNLOADED + HEADERS + SERVED + STAYED_HEADERS), sent=SERVED)
    profile = made(changed(run([CALLER]), hooks=hooks(MIXED), io_counters=(both, WLAN)))
    assert received(profile) == {"m1": pytest.approx(DOWNLOADED + HEADERS, abs=HEADERS)}
    assert profile.ledger.transfers.sent_bytes.tolist() == pytest.approx([0], abs=1)
    assert joules(profile, "wifi").keys() == {"m1", "base"}
    assert reasons(profile)["bytes_not_carried"] == pytest.approx(SERVED / (SERVED + DOWNLOADED + HEADERS), rel=0.01)


def test_sampling_shares_no_more_than_the_radios_carried() -> None:
    profile = made(changed(run([CALLER]), io_counters=(WITH_LOOPBACK, WLAN)), api_kinds=[0, K.NET_READ, K.NET_READ])
    assert sum(received(profile).values()) <= DOWNLOADED + HEADERS
    assert reasons(profile)["bytes_not_carried"] == pytest.approx(SERVED / (SERVED + DOWNLOADED), rel=0.01)


def test_sampling_shares_no_more_if_the_device_is_read_after_the_app() -> None:
    """What the app counted for the device itself lies within the app's readings, not in all of the device's interval."""
    app = grown((0, 0), (350, DOWNLOADED), (950, DOWNLOADED + SERVED))
    late = grown((0, 0), (150, 0), (3000, DOWNLOADED), device=True)
    profile = made(changed(run([CALLER]), io_counters=(app, late)), api_kinds=[0, K.NET_READ, K.NET_READ])
    assert 0 < sum(received(profile).values()) <= DOWNLOADED


def test_traffic_of_libraries_is_not_that_of_calls_on_the_device() -> None:
    """Without a call that used the air, what the counter shows beyond loopback is unattributed."""
    on = states(("wifi", 0, 1000))
    profile = made(changed(run([CALLER]), hooks=hooks(MIXED[1:]), io_counters=(WITH_LOOPBACK, WLAN), states=on))
    assert received(profile) == {}
    assert joules(profile, "wifi").keys() == {"unattributed", "base"}
    assert reasons(profile)["loopback"] == 1.0 and "no_hooked_bytes" not in reasons(profile)


def test_loopback_alone_keeps_no_radio_awake() -> None:
    still = grown((0, 0), (1000, 0), device=True)
    alone = grown((0, 0), (1000, SERVED + STAYED_HEADERS))
    on = states(("wifi", 0, 1000))
    profile = made(changed(run([CALLER]), hooks=hooks(MIXED[1:]), io_counters=(alone, still), states=on))
    assert joules(profile, "wifi").keys() == {"base"} and received(profile) == {}
    assert joules(made(changed(run([CALLER]), hooks=hooks(MIXED[1:]), states=on)), "wifi").keys() == {"base"}


def test_readings_at_different_times_change_nothing() -> None:
    """The app's counter is read before, the device's after the transfer. In the end, both show it."""
    app = grown((0, 0), (240, 0), (260, DOWNLOADED), (990, DOWNLOADED))
    late = grown((0, 0), (250, 0), (450, DOWNLOADED), (1000, DOWNLOADED), device=True)
    profile = made(changed(run([CALLER]), hooks=hooks(MIXED[:1]), io_counters=(app, late)))
    assert received(profile) == {"m1": pytest.approx(DOWNLOADED)}
    assert "bytes_not_carried" not in reasons(profile)


def test_bytes_read_one_by_one_take_nothing_from_other_traffic() -> None:
    pieces = 2_000
    inner = [(0, 400 + n // 40, 401 + n // 40, 1, K.LOOPBACK_READ, False, 2) for n in range(pieces)]
    headers = 52 * -(-pieces // 1448)
    counted = grown((0, 0), (350, DOWNLOADED), (1000, DOWNLOADED + pieces + headers))
    profile = made(changed(run([CALLER]), hooks=hooks(inner), io_counters=(counted,)))
    unattributed = profile.ledger.run_energy_j[0, profile.ledger.components.index("wifi")]
    plain = made(changed(run([CALLER]), io_counters=(grown((0, 0), (350, DOWNLOADED), (1000, DOWNLOADED)),)))
    assert unattributed == pytest.approx(plain.ledger.run_energy_j[0, plain.ledger.components.index("wifi")], rel=0.01)


def test_an_interface_of_an_unknown_kind_may_have_carried_the_bytes() -> None:
    idle = grown((0, 0), (1000, 0), device=True)
    unknown = replace(WLAN, medium="unknown", name="xyz0")
    download = hooks(MIXED[:1])
    profile = made(changed(run([CALLER]), hooks=download, io_counters=(WITHOUT_LOOPBACK, idle, unknown)))
    assert received(profile) == {"m1": pytest.approx(DOWNLOADED + HEADERS)} and "bytes_not_carried" not in reasons(profile)

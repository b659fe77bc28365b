"""batterystats: times and traffic of uids while on battery, and the history of the components' states."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from phone_harness import on_phone, run

from navitas.virtual_phone.battery_history import BatteryHistory, duration, uid_name
from navitas.virtual_phone.battery_stats import PhoneStatistics, brightness_bin
from navitas.virtual_phone.components.device_state import ComponentUse, DeviceState, DeviceSwitches, UseKind
from navitas.virtual_phone.components.effects import AirTime
from navitas.virtual_phone.components.network import AirTraffic
from navitas.virtual_phone.phone import Phone

S_NS = 1_000_000_000
UID = 10_123
SHOWN = {"level": "97", "status": "3", "temperature": "250", "voltage": "3850"}


class Fixture:
    """Statistics with a clock, switches and traffic that the test sets."""

    def __init__(self) -> None:
        self.now_ns = 5 * S_NS
        self.switches = DeviceSwitches()
        self.traffic: dict[tuple[int, str], AirTraffic] = {}
        self.air = {"wifi": AirTime(), "modem": AirTime()}
        self.state = DeviceState(lambda: self.switches)
        self.history = BatteryHistory()
        self.history.add(SHOWN)
        self.stats = PhoneStatistics(self.state, self.history, lambda: self.traffic, lambda: self.air, lambda: self.now_ns)

    def run(self, seconds: int) -> None:
        self.now_ns += seconds * S_NS

    def lines(self, kind: str) -> list[str]:
        return [line for line in self.stats.checkin({}, "B").splitlines() if line.split(",")[3] == kind]


def use(kind: UseKind, name: str = "", key: str = "1", uid: int = UID) -> ComponentUse:
    return ComponentUse(1, uid, kind, key, name)


def test_times_count_on_battery_only() -> None:
    phone = Fixture()
    phone.stats.plugged(False)
    phone.state.start(use(UseKind.GNSS, "gps"))
    phone.run(3)
    phone.stats.plugged(True)
    phone.run(10)
    phone.stats.plugged(False)
    phone.run(1)
    phone.state.stop(1, UseKind.GNSS, "1")
    phone.run(5)
    assert phone.lines("sr") == [f"9,{UID},l,sr,-10000,4000,1,0,4000,0"]
    assert phone.lines("bt")[0].split(",")[5:8] == ["9000", "9000", "19000"]
    assert phone.lines("br") == ["9,0,l,br,0,0,9000,0,0"]
    assert "    Sensor GPS: 4s 0ms realtime (1 times)" in phone.stats.text()


@pytest.mark.parametrize(
    ("kind", "name", "line", "text"),
    [
        (UseKind.CAMERA, "0", "cam,2000,1", "Camera: 2s 0ms realtime (1 times)"),
        (UseKind.FLASHLIGHT, "0", "fla,2000,1", "Flashlight: 2s 0ms realtime (1 times)"),
        (UseKind.AUDIO, "track", "aud,2000,1", "Audio: 2s 0ms realtime (1 times)"),
        (UseKind.VIDEO, "player", "vid,2000,1", "Video: 2s 0ms realtime (1 times)"),
        (UseKind.SENSOR, "type 4", "sr,4,2000,1,", "Sensor type 4: 2s 0ms realtime (1 times)"),
        (UseKind.WAKE_LOCK, "a,b", "wl,a_b,0,f,0,0,0,0,2000,p,1,", "Wake lock a,b: 2s 0ms partial (1 times) realtime"),
        (UseKind.BLE_SCAN, "scan", "blem,2000,1,", "Bluetooth Scan (total actual realtime): 2s 0ms realtime (1 times)"),
    ],
)
def test_each_use_has_its_line(kind: UseKind, name: str, line: str, text: str) -> None:
    phone = Fixture()
    phone.stats.plugged(False)
    phone.state.start(use(kind, name))
    phone.state.start(use(kind, name, key="2"))  # a second object of the same app: the time counts once
    phone.run(2)
    phone.state.process_ended(1)
    assert any(found.startswith(f"9,{UID},l,{line}") for found in phone.stats.checkin({}, "B").splitlines())
    assert f"  u0a123:\n    {text}\n" in phone.stats.text()


def test_traffic_of_a_uid() -> None:
    phone = Fixture()
    phone.traffic = {(UID, "wlan0"): AirTraffic(1000, 10, 200, 5)}
    phone.stats.plugged(False)
    phone.traffic = {(UID, "wlan0"): AirTraffic(5096, 14, 300, 6), (UID, "rmnet0"): AirTraffic(7, 1, 8, 2)}
    fields = phone.lines("nt")[0].split(",")
    assert fields[4:12] == ["7", "8", "4096", "100", "1", "2", "4", "1"] and len(fields) == 4 + 22
    assert phone.lines("gn")[0].split(",")[4:12] == fields[4:12]
    assert "    Wi-Fi network: 4.00KB received, 100B sent (packets 4 received, 1 sent)" in phone.stats.text()


def test_a_reset_keeps_what_is_on() -> None:
    phone = Fixture()
    phone.stats.plugged(False)
    phone.state.start(use(UseKind.WAKE_LOCK, "sync"))
    phone.state.start(use(UseKind.AUDIO))
    phone.run(4)
    phone.stats.reset_all(SHOWN)
    phone.run(1)
    assert phone.lines("aud") == [f"9,{UID},l,aud,1000,1"]
    history = phone.history.checkin()
    assert f'9,hsp,0,{UID},"sync"' in history and "+w=0" in history and "+a" in history
    assert history.count("RESET") == 1


def test_the_history_in_both_formats() -> None:
    phone = Fixture()
    phone.switches = DeviceSwitches(screen_on=False, brightness=1.0)
    phone.state.start(use(UseKind.WAKE_LOCK, 'say "hi"'))
    phone.state.stop(1, UseKind.WAKE_LOCK, "1")
    checkin = phone.history.checkin()
    assert '9,hsp,0,10123,"say \\"hi\\""\n' in checkin
    assert re.search(r"^9,h,\d+,-S,Sb=4$", checkin, re.MULTILINE)
    assert re.search(r"^9,h,\d+,\+w=0$", checkin, re.MULTILINE) and re.search(r"^9,h,\d+,-w=0$", checkin, re.MULTILINE)
    old, new = phone.history.text(33), phone.history.text(34)
    assert old.startswith("Battery History (0% used") and new.startswith("Battery History [Format: 2] (0% used")
    for text, when in ((old, r" +(\+\d+ms|0) \(2\)"), (new, r"  \d\d-\d\d \d\d:\d\d:\d\d\.\d{3}")):
        assert re.search(rf'^{when} 097 \+wake_lock=u0a123:"say "hi""$', text, re.MULTILINE)
        assert re.search(rf"^{when} 097 -screen brightness=bright$", text, re.MULTILINE)


def test_small_formats() -> None:
    assert [duration(ms) for ms in (4, 3004, 62_003, 3_723_004)] == ["4ms", "3s004ms", "1m02s003ms", "1h02m03s004ms"]
    assert [uid_name(uid) for uid in (1000, 10_123, 1_010_123)] == ["1000", "u0a123", "u10a123"]
    assert [brightness_bin(value) for value in (0.0, 0.19, 0.2, 0.99, 1.0)] == [0, 0, 1, 4, 4]


def test_commands(tmp_path: Path) -> None:
    async def act(phone: Phone) -> None:
        await run(phone, "dumpsys battery unplug; input keyevent 26; svc wifi disable")
        whole = (await run(phone, "dumpsys batterystats")).stdout.decode()
        assert "Battery History [Format: 2]" in whole and "Statistics since last charge:" in whole
        assert " -screen\n" in whole and " -wifi\n" in whole
        assert (await run(phone, "dumpsys batterystats --history")).stdout.decode() in whole
        assert "Battery History" not in (await run(phone, "dumpsys batterystats --charged")).stdout.decode()
        assert b"9,h,0:RESET:TIME" in (await run(phone, "dumpsys batterystats --checkin")).stdout
        assert (await run(phone, "dumpsys batterystats --reset")).stdout == b"Battery stats reset.\n"
        after = (await run(phone, "dumpsys batterystats -c --history")).stdout.decode()
        assert "-S" not in after and ",l," not in after
        assert b"Unknown option: --nonsense" in (await run(phone, "dumpsys batterystats --nonsense")).stdout

    on_phone(tmp_path, act)


def test_radios_with_a_controller_report_their_times_on_battery() -> None:
    phone = Fixture()
    phone.air = {"wifi": AirTime(1.0, 1.0, 1.0)}
    phone.stats.plugged(False)
    assert phone.lines("gwfcd") == []
    phone.air = {"wifi": AirTime(rx_s=3.5, tx_s=1.25, tail_s=1.2)}
    phone.run(5)
    assert phone.lines("gwfcd") == ["9,0,l,gwfcd,200,2500,0.0,0.0,250"]
    phone.stats.plugged(True)
    phone.air = {"wifi": AirTime(rx_s=9.0, tx_s=1.25, tail_s=1.2)}
    phone.run(5)
    assert phone.lines("gwfcd") == ["9,0,l,gwfcd,200,2500,0.0,0.0,250"]
    assert phone.lines("gmcd") == []


def test_the_history_from_a_time_on(monkeypatch: pytest.MonkeyPatch) -> None:
    wall_ms = 1_700_000_000_000
    monkeypatch.setattr("time.time_ns", lambda: wall_ms * 1_000_000)
    phone = Fixture()
    wall_ms += 5000
    phone.state.start(use(UseKind.CAMERA))
    phone.state.start(use(UseKind.WAKE_LOCK, "lock", "2"))
    wall_ms += 300
    phone.state.stop(1, UseKind.CAMERA, "1")
    name = f'9,hsp,0,{UID},"lock"'
    assert phone.history.checkin_from(10**6).splitlines() == [name, "NEXT: 5301"]
    # The first change has all states, as if the history began there.
    now = "9,h,0,Bl=97,Bs=d,Bp=n,Bt=250,Bv=3850,+S,+W,+b,Sb=2"
    assert phone.history.checkin_from(5001).splitlines() == [name, f"9,h,5300:TIME:{wall_ms}", f"{now},+w=0", "NEXT: 5301"]
    assert phone.history.checkin_from(5000).splitlines()[1:] == [
        f"9,h,5000:TIME:{wall_ms - 300}",
        f"{now},+ca",
        "9,h,0,+w=0",
        "9,h,300,-ca",
        "NEXT: 5301",
    ]


def test_the_history_shows_when_the_phone_is_plugged() -> None:
    history = BatteryHistory()
    history.add(SHOWN | {"USB powered": "true"})
    history.add(SHOWN)
    plugged, unplugged = history.checkin().splitlines()[1:]
    assert plugged.endswith(",Bp=u,Bt=250,Bv=3850,+BP") and unplugged.endswith(",Bp=n,-BP")
    assert "+plugged" in history.text(34) and "-plugged" in history.text(34)

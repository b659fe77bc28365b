"""A sample from what a phone answers, and from what is no answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_device import FakeDevice
from hypothesis import given
from hypothesis import strategies as st

from navitas.base.errors import DeviceError
from navitas.capture.collect.readings.battery_sample import pull_history, take_sample
from navitas.capture.device.base import DeviceInfo

BATTERY = """Current Battery Service state:
  AC powered: false
  status: 3
  level: 43
  scale: 50
  voltage: 3912
  temperature: 315
"""
PHONE = {
    "head -n 1 /proc/stat": "cpu  100 0 50 800 50 0 0 0 0 0\ncpu  130 0 70 940 60 0 0 0 9 9\n",
    "dumpsys battery": BATTERY,
    "dumpsys package packages": """  Package [org.example.mail] (1a2b3c):
    versionName=4.2
  Package [org.example.odd] (4d5e6f):
    versionName=null
  Package [org.example.idle] (778899):
    versionName=1.0
  Package [org.example.mail] (9a9b9c):
    versionName=3.0
""",
    "dumpsys activity activities": "  topResumedActivity=ActivityRecord{1a70f4a u0 org.example.mail/.Inbox t6294}\n",
    "dumpsys power": "  mWakefulness=Dozing\n",
    "ps -A": "  PID NAME\n  1 init\n  8 org.example.mail\n  9 org.example.mail:sync\n 10 org.example.odd\n 11 surfaceflinger\n",
    "cat /proc/uptime": "81234.56 300000.00\n",
    "date": "1772366400\n",
    "dumpsys connectivity": """Active default network: 115
  NetworkAgentInfo{network{116} handle{1} ni{MOBILE[LTE] CONNECTED extra: } nc{[ Transports: CELLULAR Capabilities: MMS]}}
  NetworkAgentInfo{network{115} handle{2} ni{VPN CONNECTED extra: } nc{[ Transports: WIFI|VPN Capabilities: INTERNET]}}
""",
    "getprop ro.build.version.release": "14\n",
    "settings get system screen_brightness": "102\n1\n",
    "dumpsys batterystats -c": """9,0,i,uid,1000,android
9,0,i,uid,1000,com.android.settings
9,0,i,uid,10123,org.example.mail
9,0,i,uid,10124,org.example.odd
9,0,l,m,3723456,0,0,812000,0,0,3723456,0,0,0,0,0,0,0,0,0,0,0,0,0
9,1000,l,fg,5000,1
9,10124,l,fg,1500,2
9,10123,l,fg,600001,12
9,10999,l,fg,7,1
""",
}


def test_a_phone_that_reports_all() -> None:
    assert take_sample(FakeDevice(PHONE), "me") == {
        "client": "me", "time": 1772366400, "level": 86.0, "state": "discharging", "voltage_mv": 3912, "temperature_c": 31.5,
        "screen": False, "network": "wifi", "cpu": 0.25, "model": "A phone", "os": "14", "uptime_s": 81234,
        "apps": ["org.example.mail@4.2", "org.example.odd"], "foreground": "org.example.mail@4.2",
        "brightness": 0.4, "saver": True,
        "screen_on_s": 3723.456, "foreground_s": ["org.example.mail=600.001", "org.example.odd=1.5"],
    }  # fmt: skip


def test_totals_of_another_start_are_left_out() -> None:
    assert not {"screen_on_s", "foreground_s"} & set(take_sample(FakeDevice(PHONE), "me", counters=False))


def test_a_phone_that_reports_only_its_level() -> None:
    row = take_sample(FakeDevice({"dumpsys battery": BATTERY.replace("3912", "4").replace("status: 3", "status: 9")}), "")
    assert {name: value for name, value in row.items() if name not in ("time", "client")} == {
        "level": 86.0, "state": "unknown", "temperature_c": 31.5, "model": "A phone", "apps": [],
    }  # fmt: skip


def test_a_phone_is_called_by_a_hash_of_its_serial_number() -> None:
    names = {
        take_sample(FakeDevice(PHONE, info=DeviceInfo("phone", serial, "A phone", "f", 33)), "")["client"]
        for serial in ("serial-1", "serial-2", "serial-1")
    }
    assert len(names) == 2 and not any("serial" in str(name) for name in names)


def test_a_phone_has_one_name_however_adb_reaches_it() -> None:
    names = {
        take_sample(FakeDevice(PHONE, info=DeviceInfo("phone", serial, "A phone", "f", 33, "9A1B")), "")["client"]
        for serial in ("9A1B", "192.168.1.4:5555", "192.168.1.4:37001")
    }
    assert len(names) == 1


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("Active default network: none\n", "none"),
        ("Active default network: 100\n  NetworkAgentInfo{network{100} nc{[ Transports: ETHERNET ]}}\n", None),
        ("Active default network: 7\n  NetworkAgentInfo{ ni{[type: MOBILE]} network{7} nc{[ Transports: CELLULAR]}}\n", "mobile"),
        ("Can't find service: connectivity\n", None),
    ],
)  # fmt: skip
def test_the_network_is_the_default_one(text: str, network: str | None) -> None:
    assert take_sample(FakeDevice(PHONE | {"dumpsys connectivity": text}), "").get("network") == network


@given(st.sampled_from(sorted(set(PHONE) - {"dumpsys battery"})), st.text(max_size=300))
def test_no_answer_breaks_it(command: str, answer: str) -> None:
    row = take_sample(FakeDevice(PHONE | {command: answer}), "me")
    assert row["level"] == 86.0


def test_a_phone_without_a_battery_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="reports no level"):
        take_sample(FakeDevice(), "")
    pull_history(FakeDevice(pulls=[b"9,h,0:RESET:TIME:1\n"]), tmp_path / "history")
    assert (tmp_path / "history").read_bytes() == b"9,h,0:RESET:TIME:1\n"

"""Services whose answers differ by release: what each release's phone says is read as what it means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from phone_harness import Output, on_phone, run

from navitas.capture.collect.state.condition import parse_battery, parse_thermal
from navitas.capture.collect.state.settings import RADIOS, SETTINGS, parse_reading, reading_script, same
from navitas.power.dump import from_dump
from navitas.virtual_phone.models import dump_power_profile, write_framework_resources
from navitas.virtual_phone.releases import VERSIONS

ITEMS, ARRAYS = {"cpu.idle": 5.5}, {"cpu.clusters.cores": [4.0]}


def on_release(root: Path, sdk: int, command: str) -> Output:
    return on_phone(root, lambda phone: run(phone, command), sdk=sdk, power_profile=dump_power_profile(ITEMS, ARRAYS))


@pytest.mark.parametrize("sdk", VERSIONS)
def test_each_release_reports_its_state(tmp_path: Path, sdk: int) -> None:
    text = on_release(tmp_path, sdk, "dumpsys battery").stdout.decode()
    battery = parse_battery(text)
    assert (battery.level_percent, battery.plugged, battery.frozen) == (100, True, False)
    assert ("Dock powered" in text, "Charging policy" in text) == (sdk >= 33, sdk >= 34)
    thermal = parse_thermal(on_release(tmp_path, sdk, "dumpsys thermalservice 2>&1").stdout.decode())
    assert thermal.status == (0 if sdk >= 29 else None)
    dump = from_dump(on_release(tmp_path, sdk, "dumpsys batterystats --power-profile").stdout.decode())
    assert (dump is not None) == (sdk >= 33)


@pytest.mark.parametrize("sdk", VERSIONS)
def test_each_release_is_set_and_given_back(tmp_path: Path, sdk: int) -> None:
    settings = [*SETTINGS, *RADIOS]
    put = "; ".join(setting.put(setting.wanted) for setting in settings)
    script = f"{reading_script(settings)}; echo @done; {put}; {reading_script(settings)}"
    before, _, after = on_release(tmp_path, sdk, script).stdout.decode().partition("@done\n")
    assert all(value is not None for value in parse_reading(settings, before).values())
    found = parse_reading(settings, after.partition("@0\n")[1] + after.partition("@0\n")[2])
    assert [setting.key for setting in settings if not same(found[setting.key], setting.wanted)] == []


def test_unzip(tmp_path: Path) -> None:
    write_framework_resources(tmp_path, ITEMS, ARRAYS)
    apk = "/system/framework/framework-res.apk"
    found = on_release(tmp_path, 34, f"unzip -p {apk} res/xml/power_profile.xml")
    assert (found.status, found.stdout[:4]) == (0, b"\x03\x00\x08\x00")
    for sdk, command, status in (
        (34, f"unzip -p {apk} none", 11),
        (34, "unzip -p /system/none x", 1),
        (34, "unzip", 1),
        (27, f"unzip -p {apk}", 127),
    ):
        assert on_release(tmp_path, sdk, command).status == status, command


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("svc", 1),
        ("svc power stayon usb; settings get global stay_on_while_plugged_in", 0),
        ("input", 255),
        ("input tap 1 2", 0),
        ("cmd deviceidle nonsense", 255),
        ("cmd deviceidle get screen", 0),
        ("dumpsys deviceidle enabled", 0),
        ("dumpsys display", 0),
        ("cmd overlay list android", 0),
        ("cmd overlay enable x", 255),
    ],
)
def test_commands_end_as_on_a_phone(tmp_path: Path, command: str, status: int) -> None:
    assert on_release(tmp_path, 34, command).status == status


def test_keys(tmp_path: Path) -> None:
    script = "; ".join(
        f"input keyevent {key}; dumpsys power | grep -c Awake" for key in ("26", "26", "KEYCODE_SLEEP", "82", "224")
    )
    assert on_release(tmp_path, 34, script).stdout.split() == [b"0", b"1", b"0", b"0", b"1"]


def test_the_batterys_history_reports_what_was_set(tmp_path: Path) -> None:
    text = on_release(
        tmp_path, 34, "dumpsys battery unplug; dumpsys battery set level 99; dumpsys batterystats -c"
    ).stdout.decode()
    version, start, first, unplugged, lower = [line for line in text.splitlines() if ",l," not in line and ",Sb" not in line]
    assert version.startswith("9,0,i,vers,36,") and re.fullmatch(r"9,h,0:RESET:TIME:\d{13}", start)
    assert re.fullmatch(r"9,h,\d+,Bl=100,Bs=c,Bp=u,Bt=250,Bv=\d{4},\+BP", first)
    assert re.fullmatch(r"9,h,\d+,Bp=n,-BP", unplugged) and re.fullmatch(r"9,h,\d+,Bl=99", lower)
    assert re.search(r"^9,h,\d+,\+S,\+W,\+b,Sb=2$", text, re.MULTILINE)

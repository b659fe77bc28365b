"""One state behind the shell, dumps and Android's API: each value is set by every way that can set it, and read by all.

The app of `support.answering_app` answers by Android's API. It runs without tests, so one process serves all questions.
"""

from __future__ import annotations

import re
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest
from support import answering_app
from support.command_line import eventually
from support.lab_fixtures import Apps
from support.notes_app import APP, RUNNER, TESTS

from navitas.capture.device.adb import AdbDevice

PUSHED = "/data/local/tmp/navitas"
RESTORE = (
    "dumpsys battery reset; settings put system screen_brightness 102; settings put system screen_brightness_mode 1; "
    "settings put system screen_off_timeout 60000; settings put global low_power 0; input keyevent 224; svc wifi enable; "
    "svc data enable; svc bluetooth enable; cmd connectivity airplane-mode disable; cmd thermalservice reset; "
    f"cmd deviceidle whitelist -{APP}"
)


@dataclass(frozen=True)
class AnsweringApp:
    """The phone with the running app."""

    phone: AdbDevice

    def shell(self, script: str) -> str:
        return self.phone.shell(script).text.strip()

    def api(self, words: str) -> str:
        """Ask the app, or change something by its API."""
        answer = self.shell(f"logcat -c; am broadcast -a ASK --es what '{words}' > /dev/null; logcat -d -v raw -s Answers")
        return "\n".join(line for line in answer.splitlines() if not line.startswith("---------"))

    def heard(self, script: str, tag: str) -> list[str]:
        """What the app hears while a script runs."""
        lines = self.shell(f"logcat -c; {script}; logcat -d -v raw -s {tag}").splitlines()
        return [line for line in lines if not line.startswith("---------")]


@pytest.fixture(scope="module")
def app(virtual: AdbDevice, apps: Apps) -> Iterator[AnsweringApp]:
    made = apps(
        tests=answering_app.SOURCES,
        application=".Answers",
        permissions=answering_app.PERMISSIONS,
        target_sdk=answering_app.TARGET_SDK,
    )
    virtual.install(made.apks)
    virtual.shell(f"mkdir -p {PUSHED}; {RESTORE}; logcat -c")
    virtual.push(made.jvm, f"{PUSHED}/{TESTS}.jvm.zip")
    started = virtual.shell(f"am start -W -n {APP}/.Main", timeout_s=1200)
    assert "Status: ok" in started.text, started.text
    yield AnsweringApp(virtual)
    virtual.shell(f"{RESTORE}; am force-stop {APP}")
    for package in (TESTS, APP):
        virtual.uninstall(package)
    virtual.shell(f"rm -f {PUSHED}/*")


@pytest.fixture(autouse=True)
def restored(app: AnsweringApp) -> Iterator[None]:
    yield
    app.shell(RESTORE)


@dataclass(frozen=True)
class Walk:
    """A value: how the app asks for it, what the shell prints, where a dump shows it; and ways to set it, with what each reads.

    A way is a shell script, or `api:` and words for the app. A value that the shell or dumps cannot express has "" there.
    """

    api: str
    shell: str
    dump: str
    pattern: str
    ways: tuple[tuple[str, str, str, str], ...]
    """Way, and then the API's, the shell's and the dump's text."""


def same(way: str, value: str) -> tuple[str, str, str, str]:
    return way, value, value, value


UNPLUG = "dumpsys battery unplug"
WALKS = {
    "level": Walk("capacity", "cmd battery get level", "dumpsys battery", r"  level: (\d+)", (
        same("true", "100"), same("dumpsys battery set level 42", "42"), same("cmd battery set level 7", "7"),
    )),
    "level, sticky": Walk("extra level", "cmd battery get level", "dumpsys battery", r"  level: (\d+)", (
        same("true", "100"), same("dumpsys battery set level 42", "42"),
    )),
    "charge": Walk("charge", "cmd battery get counter", "dumpsys battery", r"Charge counter: (\d+)", (
        same("true", "3000000"), same("cmd battery set counter 1500000", "1500000"),
    )),
    "energy": Walk("energy", "", "dumpsys battery", r"Charge counter: (\d+)", (
        ("true", "11550000000", "", "3000000"), ("cmd battery set counter 1000000", "3850000000", "", "1000000"),
    )),
    "status": Walk("status", "cmd battery get status", "dumpsys battery", r"  status: (\d+)", (
        same("true", "2"), same("cmd battery set status 3", "3"),
    )),
    "charging": Walk("charging", "cmd deviceidle get charging", "dumpsys power", r"mIsPowered=(\w+)", (
        same("true", "true"), same(UNPLUG, "false"),
        ("cmd battery set status 3", "false", "true", "true"),  # a charger that does not charge
        same(f"{UNPLUG}; dumpsys battery reset", "true"), same(f"{UNPLUG}; cmd battery set ac 1", "true"),
    )),
    "charger": Walk("extra plugged", "", "dumpsys power", r"mPlugType=(\d+)", (
        ("true", "2", "", "2"), (UNPLUG, "0", "", "0"), (f"{UNPLUG}; cmd battery set wireless 1", "4", "", "4"),
    )),
    "temperature": Walk("extra temperature", "cmd battery get temp", "dumpsys battery", r"temperature: (\d+)", (
        same("true", "250"), same("cmd battery set temp 411", "411"),
    )),
    "brightness": Walk(
        "setting screen_brightness", "settings get system screen_brightness", "dumpsys settings",
        r"name:screen_brightness pkg:android value:(\d+)",
        (same("true", "102"), same("settings put system screen_brightness 77", "77"), same("api:put screen_brightness 88", "88")),
    ),
    "brightness of the display": Walk(
        "int screen_brightness", "settings get system screen_brightness", "dumpsys display",
        r"mCurrentScreenBrightnessSetting=([\d.]+)", (
            ("true", "102", "102", "0.3976378"), ("api:put screen_brightness 255", "255", "255", "1"),
        ),
    ),
    "brightness mode": Walk(
        "int screen_brightness_mode", "settings get system screen_brightness_mode", "dumpsys settings",
        r"name:screen_brightness_mode pkg:android value:(\d+)",
        (
            same("true", "1"), same("settings put system screen_brightness_mode 0", "0"),
            same("api:put screen_brightness_mode 0", "0"),
        ),
    ),
    "screen timeout": Walk(
        "int screen_off_timeout", "settings get system screen_off_timeout", "dumpsys power", r"mScreenOffTimeoutSetting=(\d+)",
        (same("settings put system screen_off_timeout 15000", "15000"), same("api:put screen_off_timeout 30000", "30000")),
    ),
    "battery saver": Walk("saving", "settings get global low_power", "dumpsys power", r"Battery Saver is currently: (\w+)", (
        ("true", "false", "0", "OFF"),
        (f"{UNPLUG}; settings put global low_power 1", "true", "1", "ON"),
        (f"{UNPLUG}; cmd power set-mode 1", "true", "1", "ON"),
        (f"{UNPLUG}; cmd power set-mode 1; dumpsys battery reset", "false", "0", "OFF"),
        ("cmd power set-mode 1", "false", "0", "OFF"),
        ("settings put global low_power 1", "false", "1", "OFF"),  # as on a phone with a charger
    )),
    "screen": Walk("interactive", "cmd deviceidle get screen", "dumpsys power", r"mWakefulness=(\w+)", (
        ("true", "true", "true", "Awake"), ("input keyevent 223", "false", "false", "Asleep"),
    )),
    "exemption": Walk("exempt", f"cmd deviceidle whitelist | grep -c {APP}", "dumpsys deviceidle whitelist", rf"user,({APP}),", (
        ("true", "false", "0", "-"), (f"cmd deviceidle whitelist +{APP}", "true", "1", APP),
    )),
    "thermal status": Walk("thermal", "", "dumpsys thermalservice", r"Thermal Status: (\d)", (
        ("true", "0", "", "0"), ("cmd thermalservice override-status 3", "3", "", "3"),
    )),
    "Wi-Fi": Walk("wifi", "settings get global wifi_on", "dumpsys wifi", r"Wi-Fi is (\w+)", (
        ("true", "true 3", "1", "enabled"),
        ("svc wifi disable", "false 1", "0", "disabled"),
        ("cmd wifi set-wifi-enabled disabled", "false 1", "0", "disabled"),
        ("settings put global wifi_on 0", "false 1", "0", "disabled"),
        ("api:setWifi false", "false 1", "0", "disabled"),
        ("cmd connectivity airplane-mode enable", "false 1", "1", "disabled"),
        ("cmd connectivity airplane-mode enable; svc wifi enable", "true 3", "2", "enabled"),
        ("cmd connectivity airplane-mode enable; svc wifi enable; cmd connectivity airplane-mode disable",
         "true 3", "1", "enabled"),
    )),
    "Bluetooth": Walk("bluetooth", "settings get global bluetooth_on", "", "", (
        ("true", "true 12", "1", ""), ("svc bluetooth disable", "false 10", "0", ""),
        ("api:setBluetooth false", "false 10", "0", ""),
    )),
    "airplane mode": Walk("global airplane_mode_on", "cmd connectivity airplane-mode", "dumpsys settings",
        r"name:airplane_mode_on pkg:android value:(\d)", (
            ("true", "0", "disabled", "0"), ("cmd connectivity airplane-mode enable", "1", "enabled", "1"),
            ("settings put global airplane_mode_on 1", "1", "enabled", "1"),
        ),
    ),
    "network": Walk("transport", "settings get global wifi_on", "dumpsys connectivity", r"Active default network: (\w+)", (
        ("true", "WIFI true true true wlan0", "1", "100"),
        ("svc wifi disable", "MOBILE true false true rmnet0", "0", "101"),
        ("svc wifi disable; svc data disable", "null null", "0", "none"),
        ("cmd connectivity airplane-mode enable", "null null", "1", "none"),
    )),
    "number of the network": Walk("network", "", "dumpsys connectivity", r"Active default network: (\w+)", (
        ("true", "100", "", "100"), ("api:setWifi false", "101", "", "101"),
    )),
    "metered": Walk("metered", "", "dumpsys connectivity", r"Transports: (\w+)", (
        ("true", "false", "", "WIFI"), ("svc wifi disable", "true", "", "CELLULAR"),
        ("svc wifi disable; svc data disable", "true", "", "-"),
    )),
}  # fmt: skip


@pytest.mark.parametrize("name", WALKS)
def test_each_value_is_the_same_three_ways(app: AnsweringApp, name: str) -> None:
    walk = WALKS[name]
    for way, *expected in walk.ways:
        app.shell(RESTORE)
        if way.startswith("api:"):
            assert app.api(way.removeprefix("api:")).endswith("true"), way
        else:
            app.shell(way)
        dumped = re.search(walk.pattern, app.shell(walk.dump)) if walk.dump else None
        found = [
            app.api(walk.api),
            app.shell(walk.shell) if walk.shell else "",
            dumped[1] if dumped else "-" if walk.dump else "",
        ]
        assert found == expected, way


def test_what_an_app_must_not_change_is_refused_as_on_a_phone(app: AnsweringApp) -> None:
    assert app.api("putGlobal low_power").startswith("SecurityException: Permission denial: writing to settings requires:")
    refused = app.api("lock")
    assert re.fullmatch(r"SecurityException: Neither user \d+ nor current process has android.permission.WAKE_LOCK\.", refused), (
        refused
    )
    assert "Wake Locks: size=0" in app.shell("dumpsys power")


def test_what_is_unknown_is_said_to_be(app: AnsweringApp) -> None:
    assert app.api("unknown") == f"{-(2**31)} {-(2**63)}"
    assert app.api("int navitas_none").startswith("SettingNotFoundException: ")
    assert app.api("putLong") == "false" and app.api("hearThermal") == "0"
    assert app.api("idle") == "false false" and app.api("share") == "1.0"


def test_the_current_is_that_of_the_rails_on_battery(app: AnsweringApp) -> None:
    assert app.api("current") == "0"
    app.shell(UNPLUG)
    assert eventually(lambda: int(app.api("current")) < -1000)
    app.shell("dumpsys battery reset")
    assert eventually(lambda: app.api("current") == "0")


@pytest.mark.parametrize(
    ("script", "tag", "lines"),
    [
        (UNPLUG, "Heard", ["ACTION_POWER_DISCONNECTED", "BATTERY_CHANGED 100", "DISCHARGING"]),
        (f"{UNPLUG}; dumpsys battery set level 15", "Heard",
         ["ACTION_POWER_DISCONNECTED", "BATTERY_CHANGED 100", "DISCHARGING", "BATTERY_LOW", "BATTERY_CHANGED 15"]),
        ("input keyevent 26; input keyevent 26", "Heard", ["SCREEN_OFF", "SCREEN_ON"]),
        ("svc bluetooth disable", "Heard", ["STATE_CHANGED"]),
        ("cmd connectivity airplane-mode enable", "Heard",
         ["AIRPLANE_MODE", "WIFI_STATE_CHANGED", "STATE_CHANGED", "CONNECTIVITY_CHANGE"]),
        ("svc wifi disable; svc data disable; svc wifi enable", "Network",
         ["lost 100", "available 101", "lost 101", "available 100"]),
        ("settings put system screen_brightness 9", "Setting", ["content://settings/system/screen_brightness"]),
        ("settings put system screen_brightness 102", "Setting", []),
        ("cmd thermalservice override-status 2", "Thermal", ["main 2"]),
    ],
)  # fmt: skip
def test_the_app_hears_of_changes(app: AnsweringApp, script: str, tag: str, lines: list[str]) -> None:
    assert app.heard(script, tag) == lines


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("request WIFI 60000", "available 100"), ("request CELLULAR 50", "unavailable"), ("request WIFI 0", "IllegalArgument"),
        ("listen", "available 100"), ("unregister", "twice"),
        ("unregisterOther", "IllegalArgumentException: NetworkCallback was not registered"),
    ],
)  # fmt: skip
def test_networks_are_requested_as_on_a_phone(app: AnsweringApp, words: str, answer: str) -> None:
    assert app.api(words).startswith(answer)


def test_clocks_and_priorities_are_those_of_the_kernel(app: AnsweringApp) -> None:
    right, grew, process_ms = app.api("clocks").split()
    assert (right, grew) == ("true", "true")
    pid = app.shell(f"pidof {APP}")
    fields = app.shell(f"cat /proc/{pid}/stat").rpartition(") ")[2].split()
    assert int(process_ms) <= 10 * (int(fields[11]) + int(fields[12])) + 20, "utime and stime, in ticks of 10 ms"
    tid, *priorities = app.api("priority 10").split()
    assert priorities == ["10", "10"]
    assert app.shell(f"cat /proc/{pid}/task/{tid}/stat").rpartition(") ")[2].split()[15:17] == ["30", "10"]
    assert app.api("priority -4").split()[1] == "-4" and app.api("priority 0").split()[1] == "0"


@pytest.mark.skipif(sys.platform != "linux", reason="needs sock_diag")
def test_traffic_is_that_of_the_interfaces(app: AnsweringApp) -> None:
    if app.api("traffic") == "-1 -1":
        pytest.skip("this system has no sock_diag")

    def totals() -> tuple[int, int]:
        rows = [line.split() for line in app.shell("cat /proc/net/dev").splitlines()[2:]]
        return sum(int(row[1]) for row in rows), sum(int(row[9]) for row in rows)

    sent_before = totals()[1]
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                while len(data) < 20_000 and (part := connection.recv(65536)):
                    data.extend(part)
                eventually(lambda: totals()[1] - sent_before > 20_000)  # the phone has seen whose connection it is
                connection.sendall(b"\x01")

        data = bytearray()
        thread = threading.Thread(target=serve)
        thread.start()
        assert app.api(f"send {server.getsockname()[1]}") == "1"
        thread.join()
    assert int(app.api("uidTraffic")) > 20_000
    uid = app.shell(f"dumpsys package {APP} | grep -m 1 userId=").partition("=")[2].split()[0]

    def dumped() -> str:
        found = re.search(rf"type=1, .* uid={uid} .*\n.*\n.* tb=(\d+) ", app.shell("dumpsys netstats"))
        return found[1] if found else ""

    assert eventually(lambda: app.api("uidTraffic") == dumped())
    assert eventually(lambda: app.api("traffic") == "{} {}".format(*totals()))
    assert app.api("mobileTraffic") == "0" and app.api("otherTraffic") == "-1"


@pytest.mark.extended
def test_tests_hear_the_phone(app: AnsweringApp) -> None:
    said: list[str] = []

    def run() -> None:
        said.append(app.phone.shell(f"am instrument -w -r -e class {APP}.HearsTest {RUNNER}", timeout_s=1200).text)

    app.shell("logcat -c")
    thread = threading.Thread(target=run)
    thread.start()
    assert eventually(lambda: "level 100" in app.shell("logcat -d -v raw -s Hears"))
    app.shell("settings put system screen_brightness 9; dumpsys battery set level 42")
    thread.join()
    assert "OK (1 test)" in said[0], said[0]

"""What the doctor finds on phones of several releases, all in one question."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from fake_device import FakeDevice

from navitas.capture.collect import power
from navitas.capture.collect.doctor import Check, Examination, examine
from navitas.capture.collect.readings.topology import RAILS
from navitas.capture.collect.state.settings import reading_command
from navitas.capture.collect.trace.stack_sampling import flags_command
from navitas.capture.device.base import ShellResult
from navitas.power.cpu import power_model
from navitas.power.model import PowerModel

FINE = "android.permission.ACCESS_FINE_POWER_MONITORS"
DUMP = "cpu.clusters.cores=[4.0] \ncpu.core_speeds.cluster0=[300000.0] \ncpu.core_power.cluster0=[9.5] \ncpu.idle=1.0 \n"
BATTERY = """\
Current Battery Service state:
  USB powered: true
  status: 2
  level: 80
  scale: 100
  voltage: 4000
  temperature: 300
"""
POWER_STATISTICS = """
============= PowerStats HAL 2.0 state residencies ===============
            Entity                State         Total time    Total entries   Last entry tstamp
               CPU                 DOWN          123456 ms               7            99999 ms
========== End of PowerStats HAL 2.0 state residencies ==========

============= PowerStats HAL 2.0 energy consumers ==============
Display      :        1234.50 mWs
CPUCL0       :       98567.52 mWs
           1000 -        1000.25 mWs
          10190 -          12.00 mWs
========== End of PowerStats HAL 2.0 energy consumers ==========

============= PowerStats HAL 2.0 energy meter ==============
                           Channel    Cumulative Energy
         [VSYS_PWR_DISPLAY]:Display          1234.50 mWs
            [S4M_VDD_CPUCL0]:CPUCL0         98567.52 mWs
            [VSYS_PWR_MODEM]:Modem            77.00 mWs
========== End of PowerStats HAL 2.0 energy meter ==========
"""
GOOD = {
    "ls /sys/devices/system/cpu/cpufreq": "policy0\n",
    "cat /sys/devices/system/cpu/cpufreq/policy0/related_cpus": "0 1 2 3\n",
    "getprop ro.build.version.release": "14\n",
    "cat /sys/devices/system/cpu/cpufreq/policy0/stats/time_in_state": "300000 5\n",
    "cat /proc/self/schedstat": "1 2 3\n",
    "cat /proc/$$/time_in_state": "cpu0\n300000 1\n",
    "head -c 200 /proc/stat": "cpu  1 2 3\n",
    "which perfetto": "/system/bin/perfetto\n",
    "atrace --list_categories": "         gfx - Graphics\n       sched - CPU Scheduling\n",
    "dumpsys batterystats --power-profile": DUMP,
    "dumpsys battery": BATTERY,
    "dumpsys thermalservice": "Thermal Status: 0\nHAL Ready: true\n",
    "dumpsys android.hardware.power.stats.IPowerStats/default": POWER_STATISTICS,
    "pm path org.app": "package:/data/app/base.apk\n",
    "run-as org.app id -u": "10123\n",
}
# Neither a trace nor threads' own frequencies.
UNKNOWN = {
    key: text
    for key, text in GOOD.items()
    if key not in {"which perfetto", "atrace --list_categories", "cat /proc/$$/time_in_state"}
}
IN_APP = {
    f"run-as org.app {command}": GOOD[command] for command in GOOD if command.startswith("cat ") and "related" not in command
}


@dataclass
class AnsweringDevice(FakeDevice):
    """Answers each command of a script by itself; what is not in `texts` fails with `denial`."""

    scripts: list[str] = field(default_factory=list)
    denial: str = "cat: x: Permission denied"

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        if "echo '@0'" not in command:
            return super().shell(command)
        self.scripts.append(command)
        out = ""
        for number, one in re.findall(r"echo '@(\d+)'; (.*?) 2>&1; echo \"@ \$\?\"", command):
            known = one in self.texts
            out += f"\n@{number}\n{self.texts.get(one, self.denial)}\n@ {0 if known else 1}\n"
        return ShellResult(0, out.encode(), b"")


def by_name(checks: tuple[Check, ...]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def has_problem(found: Examination) -> bool:
    return any(check.status == "problem" for check in found.checks)


def test_a_phone_that_has_everything() -> None:
    device = AnsweringDevice({**GOOD, **IN_APP})
    found = examine(device, "org.app")
    assert [check.name for check in found.checks if check.status != "ok"] == []
    assert (found.evidence, found.evidence_untraced, has_problem(found), len(device.scripts)) == (
        "sched",
        "thread-freq",
        False,
        1,
    )
    checks = by_name(found.checks)
    assert checks["power profile"].found == "A phone: dumpsys batterystats --power-profile"
    assert checks["battery"].found == "80 %, 30.0 °C, 4.00 V" and checks["charging"].found == (
        "charging, plugged in: rails are not affected"
    )
    assert checks["time_in_state in the app"].status == "ok"


def test_the_power_model_of_a_phone_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[PowerModel] = []

    def build(*figures: Any) -> PowerModel:
        built.append(power_model(*figures))
        return built[-1]

    monkeypatch.setattr(power, "power_model", build)
    examine(AnsweringDevice(GOOD))
    assert len(built) == 1


def test_what_measures_the_components() -> None:
    checks = by_name(examine(AnsweringDevice(GOOD)).checks)
    assert checks["power rails"].found == "3 rails, by perfetto, dumpsys"
    assert checks["energy consumers"].found == "2 consumers, 1 of them by app"
    assert "power monitors in apps" not in checks
    sysfs = "t=1\nCH0(T=1)[S4M_VDD_CPUCL0], 7\nCH1(T=1)[VSYS_PWR_DISPLAY], 8\n"
    rails = f"cat {RAILS}"
    checks = by_name(examine(AnsweringDevice({**UNKNOWN, rails: sysfs})).checks)
    assert checks["power rails"].found == "3 rails, by the shell, dumpsys"
    without = {key: text for key, text in GOOD.items() if "IPowerStats" not in key}
    checks = by_name(examine(AnsweringDevice({**without, rails: sysfs})).checks)
    assert checks["power rails"].found == "2 rails, by the shell" and "energy consumers" not in checks
    empty = by_name(examine(AnsweringDevice(without)).checks)
    assert empty["power rails"].status == "note" and "--meter FILE" in empty["power rails"].remedy


def test_charging_matters_without_rails() -> None:
    without = {key: text for key, text in GOOD.items() if "IPowerStats" not in key}
    check = by_name(examine(AnsweringDevice(without)).checks)["charging"]
    assert check.status == "note" and "the fuel gauge shows the charger's current" in check.found and "unplug" in check.remedy
    unplugged = {**without, "dumpsys battery": BATTERY.replace("true", "false").replace("status: 2", "status: 3")}
    check = by_name(examine(AnsweringDevice(unplugged)).checks)["charging"]
    assert (check.status, check.found) == ("ok", "not charging")


@pytest.mark.parametrize(
    ("sdk", "shown", "every"),
    [(35, "", "20 s"), (36, FINE, "20 s"), (37, "", "20 s"), (37, FINE, "250 ms"), (37, f"{FINE}: granted=true", "250 ms")],
)
def test_power_monitors_of_apps_are_read_where_nothing_else_shows_rails(sdk: int, shown: str, every: str) -> None:
    key = reading_command("org.app")
    without = {key: text for key, text in {**GOOD, **IN_APP}.items() if "IPowerStats" not in key}
    device = AnsweringDevice({**without, **({key: f"      {shown}\n"} if shown else {})}).with_info(sdk=sdk)
    check = by_name(examine(device, "org.app").checks)["power monitors in apps"]
    assert (check.status, check.found) == ("ok", f"new readings every {every}; used with --record")
    assert ("runs of more than 40 s" in check.remedy) == (sdk < 37)
    assert (f'<uses-permission android:name="{FINE}"/>' in check.remedy) == (sdk >= 37 and not shown)


def test_power_monitors_are_not_needed_beside_other_rails() -> None:
    device = AnsweringDevice({**GOOD, **IN_APP}).with_info(sdk=37)
    check = by_name(examine(device, "org.app").checks)["power monitors in apps"]
    assert "not needed" in check.found and not check.remedy


def test_what_the_app_may_not_read_lowers_the_evidence() -> None:
    found = examine(AnsweringDevice(UNKNOWN), "org.app")
    check = by_name(found.checks)["time_in_state in the app"]
    assert (check.status, check.found) == ("note", "policy0 is not readable")
    assert found.evidence == "device" and not has_problem(found)


@pytest.mark.parametrize(
    ("more", "levels"),
    [
        ((), ("thread-time", "thread-time")),
        (("which perfetto",), ("sched", "thread-time")),
        (("atrace --list_categories",), ("sched", "thread-time")),
        (("cat /proc/$$/time_in_state",), ("thread-freq", "thread-freq")),
    ],
)
def test_the_level_is_that_of_what_can_be_read_and_traced(more: tuple[str, ...], levels: tuple[str, str]) -> None:
    found = examine(AnsweringDevice({**UNKNOWN, **{key: GOOD[key] for key in more}}))
    assert (found.evidence, found.evidence_untraced) == levels
    device = AnsweringDevice({**UNKNOWN, "which perfetto": GOOD["which perfetto"]}).with_info(
        sdk=28
    )  # perfetto's service is off there
    assert examine(device).evidence == "thread-time"


def test_android_8_without_cpufreq_and_thermal_service() -> None:
    device = AnsweringDevice(
        {"dumpsys batterystats --power-profile": DUMP, "dumpsys battery": BATTERY, "getprop ro.build.version.release": "8.0.0\n"}
    )
    device.info = replace(device.info, sdk=26)
    found = examine(device)
    checks = by_name(found.checks)
    assert {name for name, check in checks.items() if check.status == "note"} >= {
        "cpufreq",
        "/proc/stat from the shell",
        "heat",
        "perfetto",
    }
    assert found.evidence == "device" and not has_problem(found)


@pytest.mark.parametrize(
    ("changed", "name", "words"),
    [
        ({"dumpsys thermalservice": "Thermal Status: 3\nHAL Ready: true\n"}, "heat", "severe"),
        ({"dumpsys battery": BATTERY.replace("80", "9")}, "battery", "9 %"),
        ({"dumpsys batterystats --power-profile": DUMP.replace("9.5", "0.1")}, "power profile", "placeholder"),
        ({"run-as org.app id -u": None}, "package", "Permission denied"),
        ({"pm path org.app": None}, "package", "org.app is not installed"),
    ],
)
def test_problems_have_remedies(changed: dict[str, str | None], name: str, words: str) -> None:
    texts = {**GOOD, **IN_APP, **changed}
    found = examine(AnsweringDevice({key: text for key, text in texts.items() if text is not None}, pulls=[b""]), "org.app")
    check = by_name(found.checks)[name]
    assert check.status == "problem" and words in check.found and check.remedy


def test_an_implausible_power_profile_is_noted() -> None:
    texts = {**GOOD, "dumpsys batterystats --power-profile": DUMP.replace("9.5", "9500")}
    check = by_name(examine(AnsweringDevice(texts)).checks)["power profile"]
    assert (check.status, "navitas power show" in check.remedy) == ("note", True)
    assert "is implausible: cpu.core_power.cluster0" in check.found and "9,500 mA at 300 MHz" in check.found


def test_an_app_that_is_not_debuggable_is_no_problem() -> None:
    said = "run-as: package not debuggable: org.app"
    texts = {key: text for key, text in GOOD.items() if not key.startswith("run-as")}
    check = by_name(examine(AnsweringDevice(texts, denial=said), "org.app").checks)["package"]
    assert (check.status, check.found) == ("note", said) and "media folder" in check.remedy


def test_what_a_killed_measurement_left(journals: Path) -> None:
    journals.mkdir(parents=True)
    (journals / "serial-1.json").write_text('{"changed": {"system/screen_brightness": "7", "battery": "live"}}')
    check = by_name(examine(AnsweringDevice(GOOD)).checks)["settings"]
    assert check.status == "note" and "brightness, battery's charging state" in check.found
    assert check.remedy == "navitas doctor --device serial-1 --restore"
    (journals / "serial-1.json").write_text("{")
    assert by_name(examine(AnsweringDevice(GOOD)).checks)["settings"].status == "problem"


def test_what_a_killed_measurement_left_of_apps(journals: Path) -> None:
    apps = journals.with_name("apps") / "serial-1"
    assert by_name(examine(AnsweringDevice(GOOD)).checks)["apps"].status == "ok"
    apps.mkdir(parents=True)
    entry = {"package": "org.app", "user": None, "file": "org.app.apk", "when": "2026-11-27T10:00:00+00:00", "profiled": []}
    (apps / "org.app.json").write_text(json.dumps(entry))
    (apps / "org.app.apk").write_bytes(b"PK")
    (apps / "org.app.test.added").write_text(json.dumps(entry | {"package": "org.app.test", "keeps_data": False}))
    check = by_name(examine(AnsweringDevice(GOOD)).checks)["apps"]
    assert check.status == "note" and "by a measurement: org.app, org.app.test (not yours)" in check.found
    assert check.remedy == "navitas doctor --device serial-1 --restore"
    (apps / "org.app.json").write_text("{")
    assert by_name(examine(AnsweringDevice(GOOD)).checks)["apps"].status == "problem"


def test_a_frozen_battery_is_reported() -> None:
    frozen = BATTERY.replace("state:\n", "state:\n  (UPDATES STOPPED -- use 'reset' to restart)\n")
    check = by_name(examine(AnsweringDevice({**GOOD, "dumpsys battery": frozen})).checks)["charging"]
    assert (check.status, check.remedy) == ("note", "adb shell dumpsys battery reset")


def test_the_app_is_that_of_the_measured_user() -> None:
    of_user = {key.replace("run-as org.app ", "run-as org.app --user 10 "): text for key, text in {**GOOD, **IN_APP}.items()}
    del of_user["pm path org.app"]
    device = AnsweringDevice({**of_user, "pm path --user 10 org.app": "package:/data/app/base.apk\n"}).with_info(named_user=10)
    assert by_name(examine(device, "org.app").checks)["time_in_state in the app"].status == "ok"
    missing = by_name(examine(device, "org.other").checks)["package"]
    assert missing.found == "org.other is not installed for user 10"
    assert "adb shell pm list packages --user 10" in missing.remedy


def test_names_reach_the_shell_quoted() -> None:
    device = AnsweringDevice(GOOD)
    assert by_name(examine(device, "x; reboot").checks)["package"].status == "problem"
    assert "pm path 'x; reboot' " in device.scripts[0]


@pytest.mark.parametrize(
    ("sdk", "tools", "status", "words"),
    [
        (34, ("perfetto",), "ok", "by perfetto, in the trace"),
        (31, ("perfetto",), "note", "no simpleperf"),
        (31, ("perfetto", "simpleperf"), "ok", "by simpleperf (perfetto: samples stacks from Android 13 on)"),
        (29, (), "note", "nothing takes them (perfetto: it cannot trace here"),
    ],
)
def test_what_takes_stack_samples(sdk: int, tools: tuple[str, ...], status: str, words: str) -> None:
    texts = {key: text for key, text in GOOD.items() if key != "which perfetto"}
    texts |= {f"which {tool}": f"/system/bin/{tool}\n" for tool in tools} | {"getprop persist.traced.enable": "1\n"}
    device = AnsweringDevice(texts).with_info(sdk=sdk)
    check = by_name(examine(device).checks)["stack samples"]
    assert check.status == status and words in check.found


@pytest.mark.parametrize(
    ("flags", "status"), [("privatePkgFlags=[ PROFILEABLE_BY_SHELL ]\n", "ok"), ("flags=[ HAS_CODE ]\n", "note")]
)
def test_a_released_app_must_let_the_shell_profile_it(flags: str, status: str) -> None:
    denial = "run-as: package not debuggable: org.app"
    texts = {key: text for key, text in GOOD.items() if not key.startswith("run-as")}
    device = AnsweringDevice({**texts, flags_command("org.app"): flags}, denial=denial)
    check = by_name(examine(device, "org.app").checks)["stacks of the package"]
    assert check.status == status and ("<profileable" in check.remedy) == (status == "note")

"""Services that profilers and test tools use: properties, settings, packages, battery, run-as, sysfs, forwarding.

From Android's sources (BatteryService, PackageManagerShellCommand, SettingsService, run-as.cpp, adb's SERVICES.TXT).
"""

from __future__ import annotations

import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.command_line import eventually

from navitas.capture.collect.phone_profile import candidates
from navitas.capture.collect.readings.topology import read_policies
from navitas.capture.collect.state.guard import prepared
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.base import Device
from navitas.power.power_profile import read_power_profile

Adb = Callable[..., "subprocess.CompletedProcess[bytes]"]


def test_properties(device: Device) -> None:
    listed = device.shell("getprop").text
    assert re.search(r"^\[ro\.build\.version\.sdk\]: \[\d+\]$", listed, re.MULTILINE)
    assert device.shell("getprop ro.build.version.sdk").text.strip() in listed
    assert device.shell("getprop navitas.none; getprop navitas.none fallback").text == "\nfallback\n"
    assert device.shell("setprop debug.navitas.x 'a b'; getprop debug.navitas.x; setprop debug.navitas.x ''").text == "a b\n"
    refused = device.shell("setprop ro.build.version.sdk 1")
    assert refused.exit_code == 1 and b"ro.build.version.sdk" in refused.stderr


def test_settings(device: Device) -> None:
    assert device.shell("settings get global navitas_none").text == "null\n"
    script = "settings put global navitas_x 'v w'; settings get global navitas_x; settings list global"
    found = device.shell(script).text
    assert found.startswith("v w\n") and "navitas_x=v w\n" in found
    assert device.shell("settings delete global navitas_x; settings delete global navitas_x").text == (
        "Deleted 1 rows\nDeleted 0 rows\n"
    )


def test_packages(device: Device) -> None:
    listed = device.shell("pm list packages; cmd package list packages").text
    assert re.fullmatch(r"(package:[\w.]+\n)*", listed)
    for command, status, text in (
        ("pm path org.navitas.none", 1, ""),
        ("pm uninstall org.navitas.none", 1, r"Failure \[DELETE_FAILED_INTERNAL_ERROR\]\n"),
        ("pm clear org.navitas.none", 1, "Failed\n"),
        ("pm list packages org.navitas.none", 0, ""),
    ):
        found = device.shell(command)
        assert (found.exit_code, bool(re.fullmatch(text, found.text))) == (status, True), command
    assert device.shell("pm nonsense").exit_code == 255


def test_a_failed_install_reports_the_cause(device: Device, adb: Adb, tmp_path: Path) -> None:
    (tmp_path / "x.apk").write_bytes(b"nothing")
    for options in ([], ["--no-streaming"]):
        done = adb("install", *options, str(tmp_path / "x.apk"))
        assert done.returncode == 1
        assert re.search(rb"Failure \[INSTALL_\w+", done.stdout + done.stderr)


@pytest.fixture
def battery(device: Device) -> Iterator[Device]:
    yield device
    device.shell("dumpsys battery reset")


def test_battery(battery: Device) -> None:
    dump = battery.shell("dumpsys battery").text
    header, *lines = dump.splitlines()
    assert header == "Current Battery Service state:"
    values = dict(line.strip().split(": ", 1) for line in lines if ": " in line)
    assert {"AC powered", "USB powered", "Wireless powered", "status", "health", "present", "level", "scale"} <= set(values)
    assert 2500 < int(values["voltage"]) < 15000 and 0 <= int(values["level"]) <= int(values["scale"]) == 100
    assert battery.shell("dumpsys battery unplug; dumpsys battery set level 7; cmd battery set status 3").stdout == b""
    frozen = battery.shell("dumpsys battery").text
    assert "\n  (UPDATES STOPPED -- use 'reset' to restart)\n" in frozen
    for line in ("AC powered: false", "USB powered: false", "level: 7", "status: 3"):
        assert f"\n  {line}\n" in frozen
    assert (
        battery.shell("dumpsys battery reset; dumpsys battery").text.splitlines()[1]
        != "  (UPDATES STOPPED -- use 'reset' to restart)"
    )


@pytest.fixture
def restored(device: Device) -> Iterator[Device]:
    """These tests restore what they change, because a physical phone belongs to someone."""
    script = "settings get global {0}"
    keys = ("animator_duration_scale", "wifi_on")
    before = {key: device.shell(script.format(key)).text.strip() for key in keys}
    yield device
    animator = before["animator_duration_scale"]
    put = f"put global animator_duration_scale {animator}" if animator != "null" else "delete global animator_duration_scale"
    wifi = "disable" if before["wifi_on"] == "0" else "enable"
    device.shell(f"settings {put}; svc wifi {wifi}; cmd deviceidle enable; dumpsys battery reset; input keyevent 224")


def test_a_deleted_setting_is_null_again(restored: Device) -> None:
    key = "global animator_duration_scale"
    script = f"settings put {key} 0; settings get {key}; settings delete {key}; settings get {key}; settings delete {key}"
    assert restored.shell(script).text == "0\nDeleted 1 rows\nnull\nDeleted 0 rows\n"


def test_doze_can_be_switched_off(restored: Device) -> None:
    script = "; ".join(
        f"cmd deviceidle {action}"
        for action in ("enabled deep", "disable deep", "enabled deep", "enabled light", "enable", "enabled")
    )
    assert restored.shell(script).text.splitlines() == ["1", "Deep idle mode disabled", "0", "1", "Deep idle mode enabled", "1"]


def test_the_screen_turns_off_and_on(restored: Device) -> None:
    def is_now(*states: str) -> bool:
        found = restored.shell("dumpsys power | grep -m 1 mWakefulness=").text.strip()
        return found in [f"mWakefulness={state}" for state in states]

    restored.shell("input keyevent 223")
    assert eventually(lambda: is_now("Asleep", "Dozing"))
    restored.shell("input keyevent 224")
    assert eventually(lambda: is_now("Awake"))


def test_radios_are_switched_by_svc(virtual: AdbDevice, restored: Device) -> None:
    """Only on the virtual phone: adb may reach a physical phone by the radio that is switched off."""
    for radio, key in (("wifi", "wifi_on"), ("data", "mobile_data"), ("bluetooth", "bluetooth_on")):
        found = virtual.shell(f"svc {radio} disable; settings get global {key}; svc {radio} enable; settings get global {key}")
        assert (found.text, found.exit_code) == ("0\n1\n", 0)
    assert virtual.shell("svc nonsense").exit_code != 0


def test_thermal_status_can_be_overridden(device: Device) -> None:
    if device.info.sdk < 29:
        pytest.skip("this Android has no thermal service")
    try:
        found = device.shell("cmd thermalservice override-status 2; dumpsys thermalservice").text
        assert "IsStatusOverride: true" in found and re.search(r"^Thermal Status: 2$", found, re.MULTILINE)
    finally:
        device.shell("cmd thermalservice reset")
    assert "IsStatusOverride: false" in device.shell("dumpsys thermalservice").text


def test_the_power_profile_is_available(device: Device) -> None:
    """The battery service and the framework's resources, including overlays, have equal values."""
    policies = read_policies(device)
    found = {place: one for place, read in candidates(device) if (one := read()) is not None}
    assert found
    for one in found.values():
        assert read_power_profile(one.xml, name=one.source).values("cpu.clusters.cores", "cpu.speeds")
    assert len(policies) >= 1 and device.shell("cmd overlay list android").exit_code == 0


def test_settings_are_changed_and_restored(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    look = "settings list system; settings list global; dumpsys battery | grep -e UPDATES -e powered; cmd deviceidle enabled"
    said: list[str] = []
    before = device.shell(look).text
    with prepared(device, lambda _code, message, _remedy: said.append(message)):
        during = device.shell(look).text
    assert said == [] and during != before
    assert "screen_brightness_mode=0" in during and "UPDATES STOPPED" in during
    assert device.shell(look).text == before


def test_dumpsys_lists_services_and_reports_unknown_ones(device: Device) -> None:
    listed = device.shell("dumpsys -l").text.splitlines()
    assert listed[0] == "Currently running services:" and "  battery" in listed
    assert "Can't find service: navitas_none" in device.shell("dumpsys navitas_none 2>&1").text
    assert device.shell("cmd navitas_none").exit_code == 20


def test_run_as_rejects_other_packages(device: Device) -> None:
    for command, message in (
        ("run-as", "run-as: usage: run-as "),
        ("run-as org.navitas.none id", "run-as: unknown package: org.navitas.none"),
    ):
        found = device.shell(command)
        assert found.exit_code == 1 and found.stderr.decode().startswith(message), found


def test_sysfs_files_that_profilers_read(device: Device) -> None:
    root = "/sys/devices/system/cpu"
    assert re.fullmatch(r"[\d,-]+\n", device.shell(f"cat {root}/possible").text)
    policies = re.findall(r"policy\d+", device.shell(f"ls {root}/cpufreq").text)
    assert policies
    first = f"{root}/cpufreq/{policies[0]}"
    assert re.fullmatch(r"[\d ]+\n", device.shell(f"cat {first}/related_cpus").text)
    current = int(device.shell(f"cat {first}/scaling_cur_freq").text)
    lowest, highest = (int(device.shell(f"cat {first}/cpuinfo_{end}_freq").text) for end in ("min", "max"))
    assert lowest <= current <= highest
    # Only root may read the hardware's value.
    denied = device.shell(f"cat {first}/cpuinfo_cur_freq")
    assert (denied.exit_code, b"Permission denied" in denied.stderr) == (1, True)
    states = device.shell(f"cat {first}/stats/time_in_state").text
    assert re.fullmatch(r"(\d+ \d+\n)+", states)
    assert device.shell(f"echo 1 > {first}/scaling_max_freq").exit_code == 1


def test_proc_files_that_the_shell_may_read(device: Device) -> None:
    assert device.shell("cat /proc/stat").text.startswith("cpu ")
    found = device.shell("cat /proc/$$/comm; ps -p $$ -o PID,NAME; pidof sh > /dev/null; echo $?").text.split()
    assert found[0] == "sh" and found[1:3] == ["PID", "NAME"] and found[4:] == ["sh", "0"]
    header = device.shell("ps -A").text.splitlines()[0]
    assert header.split() == ["USER", "PID", "PPID", "VSZ", "RSS", "WCHAN", "ADDR", "S", "NAME"]


def test_identity(device: Device) -> None:
    found = device.shell("id -u; id -un; whoami; id").text.splitlines()
    assert found[:3] == ["2000", "shell", "shell"]
    assert found[3].startswith("uid=2000(shell) gid=2000(shell) groups=2000(shell)")


def test_adb_services(device: Device, adb: Adb) -> None:
    assert adb("get-state").stdout == b"device\n"
    assert adb("get-serialno").stdout.decode().strip() == device.info.serial
    assert b"unknown host service" not in adb("features").stdout
    assert b"shell_v2" in adb("features").stdout.split()
    assert adb("shell", "-x", "echo merged >&2").stdout == b"merged\n"
    assert adb("shell", "-T", "echo out; echo err >&2; exit 4").returncode == 4
    assert adb("shell", "-n", "cat").stdout == b""
    assert adb("exec-out", "printf 'a\\nb\\r\\n'; echo err >&2").stdout == b"a\nb\r\nerr\n"
    assert adb("shell", "wc", "-c", stdin=b"x" * 300_000).stdout.strip() == b"300000"
    assert adb("exec-in", "cat > /data/local/tmp/navitas-in", stdin=bytes(range(256))).returncode == 0
    assert adb("exec-out", "cat /data/local/tmp/navitas-in; rm /data/local/tmp/navitas-in").stdout == bytes(range(256))


def test_the_shell_gets_the_arguments_joined_by_adb(adb: Adb) -> None:
    assert adb("shell", "echo", "a   b", "'c   d'").stdout == b"a b c   d\n"
    # A client sends the length in four hexadecimal digits.
    long = "x" * 60_000
    assert adb("shell", f"printf %s {long} | wc -c").stdout.strip() == b"60000"


def runs(device: AdbDevice, pid: str) -> bool:
    return device.shell(f"kill -0 {pid}").exit_code == 0


def test_a_lost_host_ends_its_commands(device: AdbDevice) -> None:
    with device.stream("echo $$; exec sleep 1000") as stream:
        pid = next(stream.lines()).decode()
    assert eventually(lambda: not runs(device, pid))


@pytest.mark.parametrize("trap", ["", "trap 'kill -9 -$$' HUP; "])
def test_a_lost_host_ends_what_ignores_it_by_a_trap_only(device: AdbDevice, trap: str) -> None:
    """adbd sends SIGHUP to the shell that it has started, which leads a process group."""
    with device.stream(f"{trap}echo $$; sh -c 'trap \"\" HUP; echo $$; exec sleep 1000' & wait $!") as stream:
        lines = stream.lines()
        leader, pid = next(lines).decode(), next(lines).decode()
    assert eventually(lambda: not runs(device, leader))
    assert eventually(lambda: not runs(device, pid)) if trap else runs(device, pid)
    device.shell(f"kill -9 {pid}")


def test_ports_of_the_device_can_be_forwarded(virtual: AdbDevice, adb: Adb) -> None:
    with socket.create_server(("127.0.0.1", 0)) as app:
        inner = app.getsockname()[1]
        outer = int(adb("forward", "tcp:0", f"tcp:{inner}").stdout)
        threading.Thread(target=_echo_once, args=(app,), daemon=True).start()
        with socket.create_connection(("127.0.0.1", outer)) as client:
            client.sendall(b"through the phone\n")
            assert client.makefile("rb").readline() == b"THROUGH THE PHONE\n"
        assert f"tcp:{outer} tcp:{inner}".encode() in adb("forward", "--list").stdout
        adb("forward", "--remove-all")


def _echo_once(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection:
        connection.sendall(connection.makefile("rb").readline().upper())


def test_unsupported_forwards_are_rejected_with_a_reason(virtual: AdbDevice, adb: Adb) -> None:
    done = adb("reverse", "tcp:9999", "tcp:9999")
    assert done.returncode == 1 and b"reverse forwarding is not modelled" in done.stderr
    assert adb("reverse", "--list").stdout.strip() == b""
    assert adb("jdwp").stdout == b""
    assert adb("root").stdout == b"adbd cannot run as root in production builds\n"

"""The contract of every `Device`."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.command_line import eventually

from navitas.base.errors import DeviceError
from navitas.capture.device.base import Device

FOLDER = "/data/local/tmp/navitas-contract"
ALL_BYTES = bytes(range(256))


@pytest.fixture
def folder(device: Device) -> Iterator[str]:
    device.shell(f"rm -rf {FOLDER}; mkdir -p {FOLDER}")
    yield FOLDER
    device.shell(f"rm -rf {FOLDER}")


def test_info_is_complete(device: Device) -> None:
    info = device.info
    assert info.serial and info.identity and info.model and info.fingerprint
    assert info.sdk >= 21
    assert (device.shell("getprop ro.navitas.virtual").text.strip() == "1") == (info.kind == "virtual")


@pytest.mark.parametrize("code", [0, 1, 2, 7, 126, 127, 128, 254, 255])
def test_exit_codes(device: Device, code: int) -> None:
    assert device.shell(f"exit {code}").exit_code == code


def test_every_exit_code(device: Device) -> None:
    script = "i=0; while [ $i -lt 256 ]; do (exit $i); echo $?; i=$((i+1)); done"
    assert device.shell(script).text.split() == [str(code) for code in range(256)]


def test_streams_are_separate(device: Device) -> None:
    result = device.shell("echo out; echo err >&2; echo out2; exit 3")
    assert (result.exit_code, result.stdout, result.stderr) == (3, b"out\nout2\n", b"err\n")


def test_standard_input_is_empty(device: Device) -> None:
    assert device.shell("cat; echo end").stdout == b"end\n"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=60))
def test_quoting_of_any_text(device: Device, text: str) -> None:
    assert device.shell(f"printf %s {shlex.quote(text)}").stdout == text.encode()


def test_a_command_with_many_lines(device: Device) -> None:
    assert device.shell("if true\nthen\n  echo a\nfi\necho b").stdout == b"a\nb\n"


def test_exec_out_is_binary_safe(device: Device, folder: str) -> None:
    device.push(ALL_BYTES * 3, f"{folder}/all")
    assert b"".join(device.exec_out(f"cat {folder}/all")) == ALL_BYTES * 3


def test_shell_output_is_binary_safe(device: Device, folder: str) -> None:
    device.push(ALL_BYTES, f"{folder}/all")
    assert device.shell(f"cat {folder}/all").stdout == ALL_BYTES


def test_exec_out_can_be_closed_early(device: Device) -> None:
    pieces = device.exec_out("while :; do echo endless; done")
    assert next(pieces).startswith(b"endless\n")
    pieces.close()  # type: ignore[attr-defined]
    assert device.shell("echo alive").stdout == b"alive\n"


@pytest.mark.parametrize("size", [0, 1, 4095, 65536, 65537, 5_000_000])
def test_push_and_pull(device: Device, folder: str, tmp_path: Path, size: int) -> None:
    data = (ALL_BYTES * (size // 256 + 1))[:size]
    source = tmp_path / "source"
    source.write_bytes(data)
    device.push(source, f"{folder}/file")
    device.pull(f"{folder}/file", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == data
    assert device.shell(f"wc -c < {folder}/file").text.strip() == str(size)


def test_push_creates_folders_and_sets_the_mode(device: Device, folder: str) -> None:
    device.push(b"echo run\n", f"{folder}/a/b/script.sh", mode=0o755)
    assert device.shell(f"{folder}/a/b/script.sh").stdout == b"run\n"
    device.push(b"echo run\n", f"{folder}/plain.sh")
    assert device.shell(f"{folder}/plain.sh").exit_code == 126


def test_push_replaces(device: Device, folder: str) -> None:
    device.push(b"long content", f"{folder}/file")
    device.push(b"short", f"{folder}/file")
    assert device.shell(f"cat {folder}/file").stdout == b"short"


def test_pulling_a_missing_file_names_it_and_creates_no_file(device: Device, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="/data/local/tmp/none"):
        device.pull("/data/local/tmp/none", tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_pushing_to_a_read_only_folder_is_an_error_with_a_remedy(device: Device) -> None:
    with pytest.raises(DeviceError, match="/system/none") as caught:
        device.push(b"x" * 200_000, "/system/none")
    assert caught.value.remedy


def test_an_unknown_command(device: Device) -> None:
    result = device.shell("no-such-command")
    assert result.exit_code == 127
    assert b"inaccessible or not found" in result.stderr


def test_a_command_that_takes_too_long_is_an_error(device: Device) -> None:
    with pytest.raises(DeviceError, match="sleep 60"):
        device.shell("sleep 60", timeout_s=0.2)


def test_commands_run_concurrently(device: Device) -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: device.shell(f"echo {n}; sleep 0.1; echo {n}; exit {n}"), range(8)))
    assert [(result.exit_code, result.stdout) for result in results] == [(n, f"{n}\n{n}\n".encode()) for n in range(8)]


def test_a_stream_yields_lines_as_they_arrive(device: Device, folder: str) -> None:
    with device.stream(f"echo one; until [ -e {folder}/go ]; do sleep 0.05; done; echo two; printf three") as stream:
        lines = stream.lines()
        assert next(lines) == b"one"
        device.shell(f"touch {folder}/go")
        assert list(lines) == [b"two", b"three"]


def test_closing_a_stream_ends_its_command(device: Device, folder: str) -> None:
    with device.stream(f"echo $$; while :; do echo x >> {folder}/beat; sleep 0.05; done") as stream:
        pid = int(next(stream.lines()))
    assert eventually(lambda: device.shell(f"kill -0 {pid}").exit_code != 0)


def test_a_stream_can_be_closed_from_another_thread(device: Device) -> None:
    with device.stream("echo begin; sleep 600") as stream:
        lines = stream.lines()
        assert next(lines) == b"begin"
        threading.Timer(0.2, stream.close).start()
        assert list(lines) == []
        stream.close()


def test_a_background_job_outlives_its_shell(device: Device, folder: str) -> None:
    device.shell(f"(sleep 0.5; echo done > {folder}/late) > /dev/null 2>&1 &")
    assert device.shell(f"until [ -e {folder}/late ]; do sleep 0.1; done; cat {folder}/late").stdout == b"done\n"


def test_device_time_advances(device: Device) -> None:
    stamps = device.shell("echo $EPOCHREALTIME; sleep 0.1; echo $EPOCHREALTIME").text.split()
    assert all(re.fullmatch(r"\d+\.\d{6}", stamp) for stamp in stamps)
    assert float(stamps[1]) - float(stamps[0]) >= 0.1


def test_logcat_contains_logged_messages(device: Device) -> None:
    device.shell("log -p w -t navitas-contract 'a message'")
    lines = device.shell("logcat -d -v brief -s navitas-contract:I").text.splitlines()
    assert re.fullmatch(r"W/navitas-contract\( *\d+\): a message", lines[-1])


def test_logcat_streams(device: Device) -> None:
    with device.stream("logcat -v raw -s navitas-stream") as stream:
        device.shell("log -t navitas-stream first; log -t navitas-stream second")
        found: list[bytes] = []
        for line in stream.lines():
            if not line.startswith(b"-----"):
                found.append(line)
            if len(found) == 2:
                break
    assert found == [b"first", b"second"]


def test_battery_and_kernel_counters_can_be_read(device: Device) -> None:
    assert re.search(r"^  voltage: \d{4}$", device.shell("dumpsys battery").text, re.MULTILINE)
    assert device.shell("cat /proc/stat").text.startswith("cpu ")
    assert re.fullmatch(r"\d+\.\d\d \d+\.\d\d\n", device.shell("cat /proc/uptime").text)


def test_uninstalling_an_absent_package_is_silent(device: Device) -> None:
    device.uninstall("org.example.none")


def test_installing_a_file_that_is_not_a_package_is_an_error(device: Device, tmp_path: Path) -> None:
    broken = tmp_path / "broken.bundle.zip"
    broken.write_bytes(b"PK\x03\x04 but no zip")
    with pytest.raises(DeviceError, match="INSTALL_FAILED_INVALID_APK") as caught:
        device.install([broken])
    assert "broken.bundle.zip" in str(caught.value)

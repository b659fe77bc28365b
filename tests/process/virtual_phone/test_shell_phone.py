"""Features of mksh, toybox and Android in the phone's shell."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from pathlib import Path

import pytest
from phone_harness import Output, on_phone, run, shell
from support.null_kernel import NullKernel

from navitas.virtual_phone.phone import Phone

SH = b"/system/bin/sh: "


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        ("find . | uniq", 127, b"", SH + b"find: inaccessible or not found\n" + SH + b"uniq: inaccessible or not found\n"),
        ("cat /data/local", 1, b"", b"cat: /data/local: Is a directory\n"),
        ("echo x > /system/x", 1, b"", SH + b"/system/x: create: Read-only file system\n"),
        ("echo x > /data/x", 1, b"", SH + b"/data/x: create: Permission denied\n"),
        ("ls /data/data", 1, b"", b"ls: /data/data: Permission denied\n"),
        ("for i in ${nope?gone}; do echo; done", 1, b"", SH + b"nope: gone\n"),
        ("/system/bin/echo hi", 127, b"", SH + b"/system/bin/echo: inaccessible or not found\n"),
        ("/system/bin/cat /dev/null", 0, b"", b""),
        ("cat /proc/stat | head -n 1", 0, b"cpu  0 0 0 0 0 0 0 0 0 0\n", b""),
        ("grep -c ^CH /sys/bus/iio/devices/iio:device0/energy_value", 0, b"10\n", b""),
        ("cat /proc/self/stat", 1, b"", b"cat: /proc/self/stat: No such file or directory\n"),
        ("ls //data//local", 0, b"tmp\n", b""),
        ("ls /../../data/local/../local", 0, b"tmp\n", b""),
        ("kill -0 ٤", 1, b"", SH + "kill: ٤: No such process\n".encode()),
        ("kill -٩ 1", 1, b"", SH + "kill: bad signal '٩'\n".encode()),
        (f"kill -0 {'9' * 5000} 2>/dev/null; wait {'9' * 5000} 2>/dev/null; trap - {'9' * 5000} 2>/dev/null", 1, b"", b""),
        (f"exit {'9' * 5000} 2>/dev/null", 1, b"", b""),
        # A shell with more than this one command is an ordinary process.
        ("pkill -f some[-]thing; echo lives", 0, b"lives\n", b""),
        ("pkill -f some-thing; echo lives", 143, b"", b""),
        ("pkill -f 'some-thing'", 1, b"", b""),
        ("while :; do echo x; done | head -n 1", 0, b"x\n", b""),
    ],
)  # fmt: skip
def test_behaviour(command: str, status: int, stdout: bytes, stderr: bytes, tmp_path: Path) -> None:
    assert shell(tmp_path, command) == Output(status, stdout, stderr)


def test_a_sampling_loop(tmp_path: Path) -> None:
    loop = (
        'i=0; while [ $i -lt 2 ]; do echo "@ $EPOCHREALTIME"; for f in /proc/stat; do echo "# $f"; cat $f; done; i=$((i+1)); done'
    )
    assert re.fullmatch(rb"(@ \d+\.\d{6}\n# /proc/stat\ncpu [ 0-9]+\n){2}", shell(tmp_path, loop).stdout)


@pytest.mark.parametrize("link", ["/etc", "../../../../../../etc", "/proc/../etc"])
def test_symlinks_stay_inside_the_phone(link: str, tmp_path: Path) -> None:
    found = shell(tmp_path, f"cd /data/local/tmp; ln -s {link} out; ls out/ ; cat out/passwd; echo x > out/new")
    assert (found.status, found.stdout) == (1, b"")


def test_a_symlink_of_an_app_stays_inside_the_phone(tmp_path: Path) -> None:
    async def action(phone: Phone) -> Output:
        secret = tmp_path / "secret"
        secret.write_text("host")
        (phone.files.root / "data/local/tmp/leak").symlink_to(secret)
        (phone.files.root / "data/local/tmp/up").symlink_to("../" * 20 + str(secret))
        return await run(phone, "cat /data/local/tmp/leak /data/local/tmp/up")

    found = on_phone(tmp_path / "phone", action)
    assert found.status == 1 and b"host" not in found.stdout


def test_a_background_job_can_be_killed(tmp_path: Path) -> None:
    async def action(phone: Phone) -> Output:
        return await run(phone, "yes > /dev/null & kill $!; wait $!; echo $?; pidof yes")

    assert on_phone(tmp_path, action) == Output(1, b"143\n", b"")


def test_the_kernel_counts_busy_host_processes(tmp_path: Path) -> None:
    async def action(phone: Phone) -> tuple[bytes, set[int], set[int]]:
        kernel = phone.kernel
        assert isinstance(kernel, NullKernel)
        pid = await run(phone, "yes > /dev/null 2>&1 & until pidof yes; do sleep 0.02; done")
        during = set(kernel.pids)
        await run(phone, "kill $(pidof yes); while pidof yes; do sleep 0.02; done")
        return pid.stdout, during, set(kernel.pids)

    pid, during, after = on_phone(tmp_path, action)
    assert during == {int(pid)}
    assert after == set()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot keep processes to CPUs")
@pytest.mark.parametrize("cores", [1, 1000])
def test_processes_use_no_more_cpus_than_the_phone_has(cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NullKernel, "cpu_count", lambda self: cores)

    async def action(phone: Phone) -> set[int]:
        found = await run(phone, "yes > /dev/null 2>&1 & until pidof yes; do sleep 0.02; done")
        return os.sched_getaffinity(int(found.stdout))

    allowed = sorted(os.sched_getaffinity(0))
    assert sorted(on_phone(tmp_path, action)) == allowed[:cores]


def test_processes_of_the_phone_are_in_proc(tmp_path: Path) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("this machine has no /proc")
    start = "yes > /dev/null 2>&1 & until P=$(pidof yes) && grep -q yes /proc/$P/comm; do sleep 0.02; done"
    script = f"{start}; read pid name rest < /proc/$P/stat; echo $pid $name; ls /proc/$P/task; cat /proc/$P/environ; ls /proc/1"
    found = on_phone(tmp_path, lambda phone: run(phone, script))
    pid = found.stdout.split()[0]
    assert found.stdout == pid + b" (yes)\n" + pid + b"\n"
    assert b"environ: No such file" in found.stderr and b"ls: /proc/1: No such file" in found.stderr


def test_a_process_of_the_computer_runs_on_the_phone_until_it_ends(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:

        async def action(phone: Phone) -> None:
            watching = asyncio.create_task(run(phone, f"navitas-watch {process.pid} 'my server'"))
            while phone.processes.get(process.pid) is None:
                await asyncio.sleep(0.01)
            found = await run(phone, f"pidof 'my server'; kill -9 {process.pid}; navitas-watch {process.pid} again")
            assert found.stdout == f"{process.pid}\n".encode()
            assert f"{process.pid} is a process of this phone already".encode() in found.stderr
            assert process.poll() is None, "nothing of the phone can end it"
            process.terminate()
            assert (await watching).stdout == b"watching\n"
            assert phone.processes.get(process.pid) is None

        on_phone(tmp_path / "phone", action)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [("", "usage: navitas-watch PID NAME"), ("0 x", "usage:"), ("-1 x", "usage:"), ("4194303 x", "4194303: No such process")],
)
def test_a_process_that_cannot_be_watched_is_said(tmp_path: Path, arguments: str, said: str) -> None:
    async def action(phone: Phone) -> None:
        found = await run(phone, f"navitas-watch {arguments}")
        assert found.status == 1 and said in found.stderr.decode()

    on_phone(tmp_path / "phone", action)

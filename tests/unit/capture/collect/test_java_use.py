"""`record --java`: which JVM, what it is called, and how an agent gets into it."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.capture import Capture

from navitas.base.errors import BuildError, ExitCode, UsageError
from navitas.capture.build import async_profiler
from navitas.capture.collect.runs.java_use import java_use
from navitas.capture.collect.runs.jvm_attach import NoAnswer, check_jvm, load_agent
from navitas.cli.main import run


@pytest.fixture
def java(tmp_path: Path) -> str:
    program = tmp_path / "java"
    program.write_text("")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["-cp", "a:b", "-Xmx1g", "org.example.Main", "--port", "1"], "org.example.Main"),
        (["-jar", "/opt/shop server.jar"], "shop server"),
        (["-jar", "build/libs/shop-all.server-1.4.2-SNAPSHOT.jar"], "shop-all-server"),
        (["-p", "mods", "-m", "shop/org.example.Main"], "org.example.Main"),
        (["@arguments", "Single.java"], "Single"),
        (["-version"], "java"),
    ],
)
def test_a_recording_is_named_after_the_program(java: str, words: list[str], name: str) -> None:
    use = java_use([java, *words], 3.0)
    assert (use.name, use.command, use.pid, use.duration_s) == (name, (java, *words), None, 3.0)


@pytest.mark.parametrize("words", [["ls", "-l"], ["no-such-program"], ["-5"]])
def test_other_programs_are_refused(words: list[str]) -> None:
    with pytest.raises(UsageError, match="takes the pid of a JVM or a command of java") as caught:
        java_use(words, None)
    assert "record --java -- java -jar" in caught.value.remedy


def process(proc: Path, *, maps: str = "7f00-7f01 r-xp 0 08:01 1 /usr/lib/jvm/lib/server/libjvm.so\n", inner: str = "42") -> Path:
    folder = proc / "42"
    folder.mkdir()
    (folder / "maps").write_text(maps)
    (folder / "status").write_text(f"Name:\tjava\nNSpid:\t{inner}\n")
    return proc


def test_a_jvm_of_this_user_passes(tmp_path: Path) -> None:
    check_jvm(42, process(tmp_path))


def test_a_process_that_is_no_jvm_gets_no_signal(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no libjvm\.so"):
        check_jvm(42, process(tmp_path, maps="7f00-7f01 r-xp 0 08:01 1 /usr/lib/libjvm.so.txt\n"))
    with pytest.raises(UsageError, match="no process 43"):
        check_jvm(43, tmp_path)


def test_a_jvm_in_a_container_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="in a container"):
        check_jvm(42, process(tmp_path, inner="42\t7"))


def test_a_jvm_of_another_user_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UsageError, match="belongs to another user"):
        check_jvm(42, tmp_path)


@pytest.fixture
def jvm() -> Iterator[list[bytes]]:
    """This process in place of a JVM: answers one request with the second item, and notes it as the third."""
    place = Path(f"/tmp/.java_pid{os.getpid()}")
    place.unlink(missing_ok=True)
    talk = [b""]
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        server.listen()

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                talk.append(connection.recv(4096))
                if not talk[1]:
                    return
                connection.sendall(talk[0])

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield talk
        thread.join(5)
    place.unlink()


@pytest.mark.parametrize("answer", [b"0\n0", b"0\nreturn code: 0\n", b"0\n"])
def test_an_agent_is_loaded_by_the_jvms_socket(jvm: list[bytes], answer: bytes) -> None:
    jvm[0] = answer
    load_agent(os.getpid(), Path("/lib.so"), "start,event=cpu")
    assert jvm[1] == b"1\0load\0/lib.so\0true\0start,event=cpu\0"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"0\nreturn code: 100\n", "return code: 100"),
        (b"102\nAgent library failed to init", "Agent library failed to init"),
        (b"", "code unknown"),
        (b"102\n\x1b[31mred", r"\\u001b\[31mred"),
    ],
)
def test_why_an_agent_is_not_loaded_is_said(jvm: list[bytes], answer: bytes, said: str) -> None:
    jvm[0] = answer
    with pytest.raises(UsageError, match=said):
        load_agent(os.getpid(), Path("/lib.so"), "start")


@pytest.mark.parametrize(("answer", "may_have_begun"), [(b"", True), (b"0\nreturn code: 100\n", False)])
def test_a_refusal_differs_from_silence(jvm: list[bytes], answer: bytes, may_have_begun: bool) -> None:
    jvm[0] = answer
    with pytest.raises(UsageError) as caught:
        load_agent(os.getpid(), Path("/lib.so"), "start")
    assert isinstance(caught.value, NoAnswer) == may_have_begun


def test_a_socket_of_another_user_gets_nothing(jvm: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UsageError, match=rf"java_pid{os.getpid()} is not the socket of the JVM"):
        load_agent(os.getpid(), Path("/lib.so"), "start")
    monkeypatch.undo()
    assert jvm[1:] in ([], [b""])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["1", "--monkey", "5"], "--monkey is for apps"),
        (["1", "--mode", "tick"], "--mode is for apps"),
        (["--", "ls"], "takes the pid of a JVM"),
        ([str(os.getpid())], "is not a JVM"),
    ],
)
def test_options_of_apps_are_refused(capsys: Capture, words: list[str], message: str) -> None:
    assert run(["record", "--java", *words]) == ExitCode.USAGE
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("gradle", [None, "/opt/gradle"])
def test_no_wrapper_of_the_current_folder_fetches_the_profiler(
    java: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gradle: str | None
) -> None:
    wrapper = tmp_path / "gradlew"
    wrapper.write_text("")
    monkeypatch.chdir(tmp_path)
    near: list[tuple[Path, str | None]] = []

    def fetch(folder: Path, *, gradle: str | None, on_line: object) -> None:
        near.append((folder, gradle))
        raise BuildError("not fetched", "")

    monkeypatch.setattr(async_profiler, "is_provided", lambda: False)
    monkeypatch.setattr(async_profiler, "fetch", fetch)
    monkeypatch.setattr("navitas.cli.record.command.find_gradle", lambda project, given: [given])
    words = [] if gradle is None else ["--gradle", gradle]
    assert run(["record", "--java", *words, "--", java, "-version"]) == ExitCode.TROUBLE
    assert near == [(Path("/"), gradle)]


def test_a_wrong_gradle_is_named_first(java: str, capsys: Capture) -> None:
    assert run(["record", "--java", "--gradle", "/not/there", "--", java]) == ExitCode.USAGE
    assert "no Gradle at /not/there" in capsys.readouterr().err

"""async-profiler in the user's cache: taken from its jar, checked by its hash, and started with one set of options."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from navitas.base.errors import BuildError
from navitas.capture.build import async_profiler

LIBRARY = b"\x7fELF library"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    known = {("Linux", "x86_64"): ("linux-x64", hashlib.sha256(LIBRARY).hexdigest())}
    monkeypatch.setattr(async_profiler, "_LIBRARIES", known)
    return tmp_path / "cache/navitas/async-profiler" / async_profiler.VERSION / "linux-x64/libasyncProfiler.so"


def jar(path: Path, library: bytes = LIBRARY, folder: str = "linux-x64") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{folder}/libasyncProfiler.so", library)
    return path


def test_the_library_is_taken_from_the_jar(cache: Path, tmp_path: Path) -> None:
    assert not async_profiler.is_provided()
    with pytest.raises(BuildError, match=r"is not in .*linux-x64") as caught:
        async_profiler.find()
    assert "tools.profiler:async-profiler" in caught.value.remedy
    async_profiler.provide(jar(tmp_path / "a.jar"))
    assert async_profiler.find() == cache
    assert cache.read_bytes() == LIBRARY


def test_another_library_is_refused(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="is not that of async-profiler"):
        async_profiler.provide(jar(tmp_path / "a.jar", b"other"))
    assert not cache.exists()
    async_profiler.provide(jar(tmp_path / "b.jar"))
    cache.write_bytes(b"changed")
    with pytest.raises(BuildError, match="is not the library of async-profiler"):
        async_profiler.find()
    async_profiler.provide(jar(tmp_path / "b.jar"))
    assert async_profiler.find() == cache, "a changed file is replaced"


def damaged(path: Path, how: str) -> Path:
    """Write a jar with an entry that zipfile refuses."""
    data = bytes(range(256)) * 64
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("linux-x64/libasyncProfiler.so", data)
    jar_bytes = bytearray(path.read_bytes())
    header = jar_bytes.index(b"PK\x01\x02")
    if how == "deflate":  # zlib.error
        start = 30 + len("linux-x64/libasyncProfiler.so")
        jar_bytes[start : start + 20] = b"\xff" * 20
    elif how == "method":  # NotImplementedError
        jar_bytes[8:10] = jar_bytes[header + 10 : header + 12] = b"\x63\0"
    elif how == "encrypted":  # RuntimeError
        jar_bytes[6] |= 1
        jar_bytes[header + 8] |= 1
    elif how == "sizes":  # EOFError
        jar_bytes[8:10] = jar_bytes[header + 10 : header + 12] = b"\0\0"  # stored
        jar_bytes[header + 20 : header + 28] = (1 << 20).to_bytes(4, "little") * 2
    path.write_bytes(jar_bytes)
    return path


@pytest.mark.parametrize("how", ["deflate", "method", "encrypted", "sizes", "other"])
def test_a_damaged_jar_of_maven_is_fetched_again(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    local = tmp_path / ".m2/repository/tools/profiler/async-profiler" / async_profiler.VERSION
    local.mkdir(parents=True)
    path = damaged(local / f"async-profiler-{async_profiler.VERSION}.jar", how)
    with pytest.raises(BuildError, match="cannot be taken from" if how != "other" else "its library is not that"):
        async_profiler.provide(path)
    good = jar(tmp_path / "good.jar")
    monkeypatch.setattr(async_profiler, "fetch_jar", lambda coordinates, near, provide, **_: provide(good))
    async_profiler.fetch(tmp_path)
    assert async_profiler.find() == cache


@pytest.mark.parametrize("broken", ["no zip", "no entry", "none"])
def test_a_damaged_jar_is_named(cache: Path, tmp_path: Path, broken: str) -> None:
    path = tmp_path / "a.jar"
    if broken == "no zip":
        path.write_bytes(b"nothing")
    elif broken == "no entry":
        jar(path, folder="macos")
    with pytest.raises(BuildError, match=r"cannot be taken from .*a\.jar"):
        async_profiler.provide(path)


def test_other_systems_are_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(BuildError, match="cannot sample on Linux riscv64"):
        async_profiler.is_provided()


def test_the_agent_samples_cpu_time_by_the_monotonic_clock() -> None:
    argument = async_profiler.agent_argument(Path("/c/libasyncProfiler.so"), "/data/samples-%p.jfr")
    path, _, options = argument.removeprefix("-agentpath:").partition("=")
    assert path == "/c/libasyncProfiler.so"
    words = options.split(",")
    assert {
        "start",
        f"event={async_profiler.engine()}",
        "interval=1000000",
        "clock=monotonic",
        "jfr",
        "file=/data/samples-%p.jfr",
    } <= set(words)
    for library, output in (("/a=b/lib.so", "/x"), ("/lib.so", "/a,b")):
        with pytest.raises(BuildError, match="takes no path with"):
            async_profiler.agent_argument(Path(library), output)


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("processor\t: 0\nflags\t\t: fpu hypervisor lahf_lm\n", "ctimer"),
        ("processor\t: 0\nflags\t\t: fpu lahf_lm\nmodel name\t: hypervisor\n", "cpu"),
        (None, "cpu"),
    ],
)
def test_a_virtual_machine_gets_timers_that_need_no_interrupts(tmp_path: Path, text: str | None, event: str) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    if text is not None:
        cpuinfo.write_text(text)
    assert async_profiler.engine(cpuinfo) == event


@pytest.mark.parametrize(
    "output", ["/a%p/samples-%p.jfr", "/a%t/x.jfr", "/a%{HOME}/x.jfr", "/a/%t-%p.jfr", "/a/%%p.jfr", "100%/x"]
)
def test_what_the_profiler_would_replace_is_refused(output: str) -> None:
    with pytest.raises(BuildError, match="replaces '%'"):
        async_profiler.start_options(output)

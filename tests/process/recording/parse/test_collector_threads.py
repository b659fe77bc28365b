"""Threads of the garbage collectors of this machine's JVMs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from navitas.recording.parse.roles import role_of

OTHER_JDKS = sorted(Path("/usr/lib/jvm").glob("*-jdk-*/bin/java"))
THREADS_OF_ITSELF = """
import java.nio.file.*;
public class Names {
    public static void main(String[] arguments) throws Exception {
        System.gc();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Paths.get("/proc/self/task"))) {
            for (Path task : tasks) System.out.print(new String(Files.readAllBytes(task.resolve("comm"))));
        }
    }
}
"""


@pytest.fixture(scope="module")
def program(jvm: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "Names.java").write_text(THREADS_OF_ITSELF)
    compiler = shutil.which("javac")
    assert compiler is not None
    subprocess.run([compiler, "--release", "8", "-Xlint:-options", "Names.java"], cwd=folder, check=True)
    return folder


def names(java: str, program: Path, *options: str) -> set[str]:
    command = [java, "-Xlog:disable", "-XX:+UnlockExperimentalVMOptions", *options, "-Xmx64m", "-cp", str(program), "Names"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if "Unrecognized VM option" in done.stderr or "not supported" in done.stderr:
        pytest.skip(f"{java} lacks {options}")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


@pytest.mark.parametrize("collector", ["Parallel", "G1", "Shenandoah", "Z", "Epsilon"])
@pytest.mark.parametrize("java", ["", *(pytest.param(str(path), marks=pytest.mark.extended) for path in OTHER_JDKS)])
def test_what_a_collector_adds_to_the_serial_one_s_threads_belongs_to_it(
    jvm: str, program: Path, java: str, collector: str
) -> None:
    serial, threads = (names(java or jvm, program, f"-XX:+Use{name}GC") for name in ("Serial", collector))
    assert not any(role_of(name, False) == "gc" for name in serial) and role_of("VM Thread", False) == "vm"
    assert "VM Thread" in serial & threads
    added = {name: role_of(name, False) for name in threads - serial if role_of(name, False) != "jit"}
    assert set(added.values()) <= {"gc"}, added
    assert added or collector == "Epsilon"

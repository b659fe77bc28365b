"""The wheel is complete: installed alone, without Maven and Gradle, it instruments and reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from support.golden import GOLDEN

from navitas.base.errors import BuildError
from navitas.capture.build.java import find_java

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.usefixtures("jvm"), pytest.mark.extended]


@pytest.fixture(scope="module")
def wheel(released: Path) -> Path:
    (found,) = released.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel and this environment's dependencies, but without this tree."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(packages), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    for dependency in Path(sysconfig.get_path("purelib")).iterdir():
        if "navitas" not in dependency.name and dependency.suffix != ".pth" and not (packages / dependency.name).exists():
            (packages / dependency.name).symlink_to(dependency)
    return folder / "bin" / "python"


def run(installed: Path, cwd: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the installed `navitas` without Maven and Gradle on PATH."""
    try:
        java = find_java()
    except BuildError as error:
        pytest.skip(error.message)
    tools = cwd / "tools"
    tools.mkdir(exist_ok=True)
    if not (tools / "java").exists():
        (tools / "java").symlink_to(java)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | {"PATH": str(tools)}
    program = "import sys; from navitas.cli.main import main; main()"
    command = [str(installed), "-c", program, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_is_what_runs(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(installed), "-c", "import navitas; print(navitas.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).is_relative_to(installed.parents[1])
    assert run(installed, tmp_path, "--version").stdout.startswith("navitas")


def test_the_wheel_instruments_without_maven(installed: Path, tmp_path: Path) -> None:
    compiler = shutil.which("javac")
    if compiler is None:
        pytest.skip("no javac: make system")
    (tmp_path / "A.java").write_text(
        "package p; public class A { public static void main(String[] a) { System.out.println(7); } }"
    )
    subprocess.run([compiler, "--release", "8", "-d", tmp_path / "classes", tmp_path / "A.java"], check=True, capture_output=True)
    with zipfile.ZipFile(tmp_path / "a.jar", "w") as jar:
        jar.write(tmp_path / "classes/p/A.class", "p/A.class")

    done = run(installed, tmp_path, "instrument", "a.jar", "-o", "out.jar", "--map-output", "map.json")
    assert done.returncode == 0, done.stderr
    assert [method["name"] for method in json.loads((tmp_path / "map.json").read_text())["methods"]] == ["<init>", "main"]

    runtime = next(installed.parents[1].rglob("navitas-runtime.jar"))
    command = [str(find_java()), f"-Dnavitas.out={tmp_path / 'events'}", "-cp", f"out.jar{os.pathsep}{runtime}", "p.A"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "7"
    (events,) = (tmp_path / "events").glob("events-*.nvch")
    assert events.read_bytes().startswith(b"NVCH")


def test_the_wheel_reports(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "report", GOLDEN, "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["totals"]["energy_j"] > 0
    assert json.loads(run(installed, tmp_path, "report", "--schema").stdout)["title"] == "Navitas energy report"
    assert "SortTest#withSort" in run(installed, tmp_path, "report", GOLDEN).stdout

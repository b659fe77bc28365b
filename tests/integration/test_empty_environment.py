"""Navitas works after an installation from a release file, with the libraries of a package registry and without Maven."""

from __future__ import annotations

import os
import re
import subprocess
import tarfile
import venv
from pathlib import Path

import pytest
from support.release import ROOT

from navitas import __version__

pytestmark = [pytest.mark.usefixtures("jvm"), pytest.mark.extended]


class NewUser:
    """A user with an empty environment of Python and an empty home folder, on a machine without Maven."""

    def __init__(self, folder: Path, gradle: str) -> None:
        self.bin = folder / "environment/bin"
        self.home = folder / "home"
        self.work = folder / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.gradle_home = folder / "gradle-home"
        self.gradle_home.mkdir()
        # Caches of its own: a daemon in a network of its own cannot ask others for their locks.
        shared = Path(os.environ.get("GRADLE_USER_HOME", Path.home() / ".gradle"))
        for name in ("init.d", "init.gradle", "gradle.properties"):
            if (shared / name).exists():
                (self.gradle_home / name).symlink_to(shared / name)
        venv.create(self.bin.parent, with_pip=True, symlinks=True)
        tools = folder / "tools"
        tools.mkdir()
        (tools / "gradle").symlink_to(gradle)
        for program in (
            path for part in os.environ["PATH"].split(os.pathsep) if Path(part).is_dir() for path in Path(part).iterdir()
        ):
            link = tools / program.name
            if not program.name.startswith(("mvn", "navitas", "pip", "python")) and not link.is_symlink():
                link.symlink_to(program)
        self.environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "MAVEN", "XDG_"))
        } | {
            "PATH": f"{self.bin}{os.pathsep}{tools}",
            "GRADLE_OPTS": f"{os.environ.get('GRADLE_OPTS', '')} -Dorg.gradle.daemon.registry.base={folder / 'daemons'}".strip(),
        }

    def run(self, command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**self.environment, **variables}
        return subprocess.run(command, shell=True, cwd=self.work, env=environment, capture_output=True, text=True, check=False)

    def install(self, command: str, **variables: str) -> None:
        """Install something with the settings of pip and of this machine. Skips the test without a package registry."""
        done = self.run(command, **variables)
        if done.returncode != 0 and "No matching distribution found" in done.stderr:
            pytest.skip("no package registry")
        assert done.returncode == 0, done.stderr

    def navitas(self, arguments: str) -> subprocess.CompletedProcess[str]:
        return self.at_home(f"navitas {arguments}")

    def at_home(self, command: str) -> subprocess.CompletedProcess[str]:
        return self.run(command, HOME=str(self.home), GRADLE_USER_HOME=str(self.gradle_home))


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory, gradle: str) -> NewUser:
    return NewUser(tmp_path_factory.mktemp("user"), gradle)


@pytest.fixture(scope="module")
def installed(user: NewUser, released: Path) -> NewUser:
    """The user, after the step of the example workflow that installs Navitas."""
    workflow = (ROOT / "examples/ci/.github/workflows/energy.yml").read_text("utf-8")
    step = re.findall(r"- run: (.*)", workflow)[0]
    missing = user.run(step)
    assert missing.returncode != 0 and "set the repository variable NAVITAS_WHEEL" in missing.stderr
    (wheel,) = released.glob("*.whl")
    user.install(step, NAVITAS_WHEEL=str(wheel))
    return user


@pytest.fixture(scope="module")
def demo(installed: NewUser) -> subprocess.CompletedProcess[str]:
    """The demo, whose build fetches JUnit."""
    try:
        return installed.navitas("demo")
    finally:
        installed.run("gradle --stop")


def test_the_demo_runs_without_maven(installed: NewUser, demo: subprocess.CompletedProcess[str]) -> None:
    assert installed.run("command -v mvn").returncode != 0
    assert __version__ in installed.navitas("--version").stdout
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert "newMessageByPolling" in demo.stdout and "Evidence" in demo.stdout
    assert (installed.work / "navitas-recordings/demo/report.html").is_file()


@pytest.mark.usefixtures("demo")
def test_nothing_needs_the_network_once_gradle_has_the_libraries(installed: NewUser) -> None:
    apart = "unshare --map-root-user --net"
    if installed.run(f"{apart} ip link set lo up").returncode != 0:
        pytest.skip("no namespaces of networks: unshare, ip")
    offline = "ip link set lo up && navitas demo -o offline; code=$?; gradle --stop; exit $code"
    done = installed.at_home(f"{apart} sh -c '{offline}'")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "newMessageByPolling" in done.stdout


def test_the_command_in_an_error_installs_what_is_missing(installed: NewUser) -> None:
    arguments = f"report '{ROOT / 'tests/golden/recording-v1'}' -o report.parquet"
    failed = installed.navitas(arguments)
    assert failed.returncode == 2 and "needs pyarrow" in failed.stderr
    (command,) = re.findall(r"pip install .*", failed.stderr)
    installed.install(command)
    done = installed.navitas(arguments)
    assert done.returncode == 0 and (installed.work / "report.parquet").is_file(), done.stderr


def test_the_sdist_needs_no_maven(user: NewUser, released: Path, tmp_path: Path) -> None:
    (sdist,) = released.glob("*.tar.gz")
    user.install(f"pip install --quiet --no-deps --target '{tmp_path}' '{sdist}'")
    with tarfile.open(sdist) as packed:
        jars = {Path(name).name for name in packed.getnames() if name.endswith(".jar") and "/navitas/capture/jars/" in name}
    assert jars and {path.name for path in (tmp_path / "navitas/capture/jars").iterdir()} == jars


def test_an_extra_can_be_named_after_the_file(user: NewUser, released: Path) -> None:
    (wheel,) = released.glob("*.whl")
    user.install(f"cd '{released}' && pip install --quiet --dry-run --report '{user.work}/report.json' './{wheel.name}[compare]'")
    assert '"scipy"' in (user.work / "report.json").read_text("utf-8")

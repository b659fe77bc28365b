"""Navitas works after an installation from a release file, with the libraries of a package registry and without Maven."""

from __future__ import annotations

import re
import subprocess
import tarfile
from pathlib import Path

import pytest
from support.new_user import NewUser
from support.release import ROOT

from navitas import __version__

pytestmark = [pytest.mark.usefixtures("jvm"), pytest.mark.extended]


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory, gradle: str) -> NewUser:
    return NewUser(tmp_path_factory.mktemp("user"), gradle)


@pytest.fixture(scope="module")
def installed(user: NewUser, released: Path) -> NewUser:
    """The user, after an installation of the wheel."""
    (wheel,) = released.glob("*.whl")
    user.install(f"pip install --quiet '{wheel}'")
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

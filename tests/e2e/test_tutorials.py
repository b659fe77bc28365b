"""The tutorials, command by command, as a reader enters them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from support.android_projects import aapt2, copy_project, without_kotlin
from support.command_line import NAVITAS
from support.git_repository import needs_git
from support.gradle_projects import gradles
from support.quick_jvm import quick_jvms

ROOT = Path(__file__).resolve().parents[2]
_COMMANDS = re.compile(r"^ *```sh( fails)?\n(.*?)^ *```", re.MULTILINE | re.DOTALL)

needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed: make test-programs")
pytestmark = pytest.mark.skipif(not NAVITAS.is_file(), reason="navitas is not installed: make setup")


def _new_user(home: Path) -> dict[str, str]:
    """Return variables for a user who has never installed the Gradle plugin, but has the downloads of Gradle and Navitas."""
    # Java reads the home folder from the system, not from HOME.
    local = f"-Dmaven.repo.local={home / '.m2' / 'repository'}"
    return {
        "HOME": str(home),
        **{f"GIT_{role}_{part}": "reader@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")},
        "GRADLE_OPTS": f"{os.environ.get('GRADLE_OPTS', '')} {local}".strip(),
        "GRADLE_USER_HOME": os.environ.get("GRADLE_USER_HOME", str(Path.home() / ".gradle")),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
    }


def typed(page: str, folder: Path, gradle: str, replaced: Mapping[str, str] = MappingProxyType({}), *, section: str = "") -> str:
    """Run all commands of a page, or of a section with this heading, in `folder`, which has the examples; return their output.

    Two repeats stand for any number of them.
    """
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("build", ".gradle"))
    if (made := aapt2()) is not None:
        for properties in (folder / "examples").glob("*/gradle.properties"):
            properties.write_text(f"{properties.read_text()}android.aapt2FromMavenOverride={made}\n")
    path = os.pathsep.join([str(NAVITAS.parent), str(Path(gradle).parent), os.environ["PATH"]])
    printed = ""
    text = (ROOT / "docs" / page).read_text("utf-8")
    if section:
        text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    commands = _COMMANDS.findall(text)
    assert commands, page
    home = folder / "home"
    home.mkdir()  # adb starts no server without it
    with quick_jvms():
        for fails, block in commands:
            command = re.sub(r"\b[A-Z]{3,}\b", lambda found: replaced.get(found[0], found[0]), block)
            command = re.sub(r"--repeat \d+", "--repeat 2", command)
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", command],
                cwd=folder,
                env={**os.environ, **_new_user(home), "PATH": path, "COLUMNS": "100"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode != 0) == bool(fails), f"{command}\n{done.stdout}\n{done.stderr}"
            printed += done.stdout
    return printed


@pytest.mark.extended
@needs_jq
def test_without_a_phone(tmp_path: Path, any_gradle: str) -> None:
    printed = typed("tutorial-virtual-phone.md", tmp_path, any_gradle)
    assert "newMessageByPolling" in printed and "pollForMessage" in printed
    assert [float(energy_j) > 0 for energy_j in re.findall(r"^([0-9.e-]+) J$", printed, re.MULTILINE)] == [True, True]
    assert "o.e.f.FeedTest.loadsOnScroll" in printed and "URLConnection.read" in printed


@needs_git
def test_in_ci(tmp_path: Path, any_gradle: str) -> None:
    """The count of calls fails the check in any case; energies are unknown if this machine is busy."""
    printed = typed("tutorial-ci.md", tmp_path, any_gradle)
    assert "## Energy check failed: above the limit" in printed
    assert re.search(r"org\.example\.primes\.Primes\.isPrime` \(method, calls\) \| `src/main/java/.*Primes\.java:\d+`", printed)
    assert (tmp_path / "changes.html").read_text("utf-8").startswith("<!")
    budgets = (tmp_path / "examples/ci/navitas.toml").read_text("utf-8").partition("\n\n")[2]
    assert f"```toml\n{budgets}```\n" in (ROOT / "docs/tutorial-ci.md").read_text("utf-8")


@pytest.mark.extended
@needs_jq
def test_for_a_study(tmp_path: Path, any_gradle: str) -> None:
    printed = typed("tutorial-research.md", tmp_path, any_gradle)
    assert "cpu " in printed and "byDivision: median" in printed and "MannwhitneyuResult" in printed
    assert '"navitas_version"' in printed and "repeat test_method" in printed


@pytest.mark.extended
@pytest.mark.usefixtures("android_sdk", "daemons")
def test_on_a_phone(tmp_path: Path) -> None:
    """With the virtual phone in place of a physical one: the code path is the same."""
    app = without_kotlin(copy_project("a", tmp_path))
    # One class is enough for a tutorial: each run starts the app again.
    for path in (app / "src/androidTest/java/org/example/storage").glob("[!S]*.java"):
        path.unlink()
    launcher = gradles().get("path")
    if launcher is None:
        pytest.skip("no `gradle` on PATH, which builds the fixture: make system")
    printed = typed("tutorial-phone.md", tmp_path, launcher, {"SERIAL": "virtual", "APP": str(app)})
    assert "expected evidence level" in printed and "Evidence" in printed


@pytest.mark.extended
@pytest.mark.usefixtures("android_sdk", "daemons")
def test_the_graph_of_an_example_app(tmp_path: Path) -> None:
    """The communications of the example apps' scripts: integration/test_module_examples.py."""
    launcher = gradles().get("8.11.1")
    if launcher is None:
        pytest.skip("no Gradle 8.11.1, which builds the examples: make gradle-homes")
    printed = typed("graph.md", tmp_path, launcher, section="Try it with an example app")
    assert "MyService2" in printed and "periodic" in printed
    assert (tmp_path / "modules.svg").read_text().startswith("<")


@pytest.mark.extended
@pytest.mark.usefixtures("daemons")
def test_the_readme_shows_the_rows_that_the_command_prints() -> None:
    done = subprocess.run([sys.executable, ROOT / ".ci/readme", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    if "nothing was compared" in done.stdout:
        pytest.skip("other programs took the CPU")

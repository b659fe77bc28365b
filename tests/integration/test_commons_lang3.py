"""A whole library instrumented: commons-lang3 passes its own published tests with the same results as before."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest

from navitas.build.bridge import InstrumentSummary
from navitas.build.instrument import instrument
from navitas.build.jars import JARS
from navitas.build.java import find_java
from navitas.errors import BuildError

ARTIFACTS = (
    "org.apache.commons:commons-lang3:3.12.0",
    "org.apache.commons:commons-lang3:3.12.0:jar:tests",
    "org.junit.platform:junit-platform-console-standalone:1.10.5",
    "org.junit-pioneer:junit-pioneer:1.9.1",
    "org.easymock:easymock:5.4.0",
    "org.objenesis:objenesis:3.4",
    "org.hamcrest:hamcrest:2.2",
)
# The library's own build opens these for its tests.
OPENS = (
    "java.lang",
    "java.lang.reflect",
    "java.util",
    "java.time",
    "java.time.chrono",
    "java.util.stream",
    "java.io",
    "java.net",
)

Results = Counter[tuple[str, str, str]]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library, its tests and what they need, from Maven."""
    for jar in ("navitas-bridge.jar", "navitas-runtime.jar"):
        if not (JARS / jar).is_file():
            pytest.skip(f"{jar} is not built: make jars")
    maven = shutil.which("mvn")
    if maven is None:
        pytest.skip("no mvn on PATH")
    try:
        find_java()
    except BuildError as error:
        pytest.skip(error.message)
    folder = tmp_path_factory.mktemp("commons-lang3")
    for artifact in ARTIFACTS:
        command = [maven, "-q", "-B", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"Maven cannot fetch {artifact}: {(done.stdout + done.stderr).strip()[:200]}")
    return folder


@pytest.fixture(scope="module")
def instrumented(library: Path) -> InstrumentSummary:
    return instrument([library / "commons-lang3-3.12.0.jar"], library / "instrumented.jar", library / "map.json")


def run_tests(library: Path, jar: Path, *options: str) -> Results:
    """Run all tests of the library against one jar; counts (class, test, outcome)."""
    reports = jar.with_suffix(".reports")
    tests = library / "commons-lang3-3.12.0-tests.jar"
    helpers = [
        path
        for path in sorted(library.glob("*.jar"))
        if not path.name.startswith(("commons-lang3", "instrumented", "junit-platform"))
    ]
    class_path = os.pathsep.join(map(str, (jar, tests, *helpers, JARS / "navitas-runtime.jar")))
    console = next(library.glob("junit-platform-console-standalone-*.jar"))
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENS]
    done = subprocess.run(
        [
            *(str(find_java()), "-Xverify:all", "-Djava.awt.headless=true", "-Duser.language=en", "-Duser.timezone=UTC"),
            *(*opens, *options, "-jar", str(console), "execute", f"--class-path={class_path}", f"--scan-class-path={tests}"),
            *(f"--reports-dir={reports}", "--details=none", "--disable-banner"),
        ],
        cwd=library,
        capture_output=True,
        text=True,
        check=False,
    )
    files = list(reports.glob("TEST-*.xml"))
    assert files, done.stdout + done.stderr
    return Counter(outcome for file in files for outcome in outcomes(file))


def outcomes(file: Path) -> list[tuple[str, str, str]]:
    """The outcomes in one JUnit XML report."""
    found = []
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        outcome = next((kind for kind in ("failure", "error", "skipped") if case.find(kind) is not None), "passed")
        found.append((case.get("classname", ""), case.get("name", ""), outcome))
    return found


def run_both(library: Path) -> tuple[Results, Results]:
    """Results before and after, run side by side."""
    with ThreadPoolExecutor() as pool:
        before = pool.submit(run_tests, library, library / "commons-lang3-3.12.0.jar")
        after = pool.submit(run_tests, library, library / "instrumented.jar")
        return before.result(), after.result()


def differences(before: Results, after: Results) -> set[tuple[str, str, str]]:
    return {key for key in before.keys() | after.keys() if before[key] != after[key]}


def test_own_tests_have_the_same_results(library: Path, instrumented: InstrumentSummary) -> None:
    before, after = run_both(library)
    assert sum(count for (_, _, outcome), count in before.items() if outcome == "passed") > 7000
    assert instrumented.methods > 2500
    different = differences(before, after)
    if different:  # some of these tests measure time; what differs once but not again is theirs
        different &= differences(*run_both(library))
    assert different == set()


def test_the_map_lists_every_method_of_the_library(library: Path, instrumented: InstrumentSummary) -> None:
    method_map = json.loads((library / "map.json").read_text())
    assert instrumented.warnings == ()
    assert Counter(each["reason"] for each in method_map["skipped"]).keys() <= {"abstract", "bridge", "native"}
    names = {(each["class"], each["name"]) for each in method_map["methods"]}
    assert {("org.apache.commons.lang3.StringUtils", "isEmpty"), ("org.apache.commons.lang3.ArrayUtils", "<clinit>")} <= names

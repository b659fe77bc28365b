"""Instrumented libraries pass their own published tests with the same results as before."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.maven import NotFetchedError, fetch

from navitas.base.errors import BuildError
from navitas.capture.build.bridge import InstrumentSummary
from navitas.capture.build.instrument import instrument
from navitas.capture.build.java import JARS, find_java

CONSOLE = "org.junit.platform:junit-platform-console-standalone:1.10.5"

Results = Counter[tuple[str, str, str]]


@dataclass(frozen=True)
class Library:
    """A library with published tests. `opens` has the packages that its build opens for them.

    `results` is the number of results of its original jar. With another version of Java, it can be another one.
    """

    group: str
    name: str
    version: str
    helpers: tuple[str, ...]
    results: int
    methods: int
    known: tuple[str, str]
    opens: tuple[str, ...] = ()
    slow: str = "none"
    """A pattern of test classes that are left out: they repeat one test for each locale and time zone, or wait."""

    @property
    def jar(self) -> str:
        return f"{self.name}-{self.version}.jar"

    @property
    def tests(self) -> str:
        return f"{self.name}-{self.version}-tests.jar"


LIBRARIES = (
    Library(
        group="org.apache.commons",
        name="commons-lang3",
        version="3.12.0",
        helpers=(
            "org.junit-pioneer:junit-pioneer:1.9.1",
            "org.easymock:easymock:5.4.0",
            "org.objenesis:objenesis:3.4",
            "org.hamcrest:hamcrest:2.2",
        ),
        results=6400,
        methods=2500,
        slow=r".*\.(FastDateParser|LockingVisitors)\w*Test",
        known=("org.apache.commons.lang3.StringUtils", "isEmpty"),
        opens=(
            *("java.lang", "java.lang.reflect", "java.util", "java.time", "java.time.chrono", "java.util.stream"),
            *("java.io", "java.net"),
        ),
    ),
)

pytestmark = [pytest.mark.usefixtures("jvm"), pytest.mark.extended]


@dataclass(frozen=True)
class Place:
    """A folder with a library, its tests, their dependencies, and the library's instrumented copy."""

    library: Library
    folder: Path
    summary: InstrumentSummary


@pytest.fixture(scope="module", params=LIBRARIES, ids=lambda library: library.name)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    library: Library = request.param
    for jar in ("navitas-bridge.jar", "navitas-runtime.jar"):
        if not (JARS / jar).is_file():
            pytest.skip(f"{jar} is not built: make jars")
    own = f"{library.group}:{library.name}:{library.version}"
    try:
        find_java()
        folder = fetch([own, f"{own}:jar:tests", CONSOLE, *library.helpers], tmp_path_factory.mktemp(library.name))
    except (BuildError, NotFetchedError) as error:
        pytest.skip(str(error))
    return Place(library, folder, instrument([folder / library.jar], folder / "instrumented.jar", folder / "map.json"))


def run_tests(place: Place, jar: Path, classes: str = ".*") -> Results:
    """Run the tests of the library with this jar, in classes that match the pattern; count (class, test, outcome)."""
    reports = jar.with_suffix(".reports")
    shutil.rmtree(reports, ignore_errors=True)
    tests = place.folder / place.library.tests
    not_helpers = (f"{place.library.name}-{place.library.version}", "instrumented", "junit-platform")
    helpers = [path for path in sorted(place.folder.glob("*.jar")) if not path.name.startswith(not_helpers)]
    class_path = os.pathsep.join(map(str, (jar, tests, *helpers, JARS / "navitas-runtime.jar")))
    console = next(place.folder.glob("junit-platform-console-standalone-*.jar"))
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in place.library.opens]
    done = subprocess.run(
        [
            *(
                str(find_java()),
                "-Xverify:all",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.awt.headless=true",
                "-Duser.language=en",
                "-Duser.timezone=UTC",
            ),
            *(*opens, "-jar", str(console), "execute", f"--class-path={class_path}", f"--scan-class-path={tests}"),
            *(f"--include-classname={classes}", f"--exclude-classname={place.library.slow}"),
            *(f"--reports-dir={reports}", "--details=none", "--disable-banner"),
        ],
        cwd=place.folder,
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


def pattern_of(results: Results) -> str:
    """A regular expression that matches the top-level classes with tests that did not pass."""
    return "|".join(sorted({re.escape(name.partition("$")[0]) for name, _, outcome in results if outcome != "passed"}))


def differences(place: Place, after: Results, classes: str) -> Results:
    """Results that the original jar does not have, or that only it has, in classes that match the pattern."""
    before = run_tests(place, place.folder / place.library.jar, classes) if classes else Results()
    compared = Results({key: count for key, count in after.items() if re.fullmatch(classes, key[0].partition("$")[0])})
    return (before - compared) + (compared - before)


def test_a_librarys_tests_have_the_same_results(place: Place) -> None:
    instrumented = place.folder / "instrumented.jar"
    after = run_tests(place, instrumented)
    # If none is missing, classes whose tests all pass need no comparison.
    classes = pattern_of(after) if after.total() == place.library.results else ".*"
    different = differences(place, after, classes)
    if different:  # Some of these tests measure time: only repeated differences count.
        different &= differences(place, run_tests(place, instrumented, classes), classes)
    assert different == Results()


def test_the_map_lists_every_method_of_the_library(place: Place) -> None:
    method_map = json.loads((place.folder / "map.json").read_text())
    assert place.summary.methods > place.library.methods
    assert place.summary.warnings == ()
    assert Counter(each["reason"] for each in method_map["skipped"]).keys() <= {"abstract", "bridge", "native"}
    assert place.library.known in {(each["class"], each["name"]) for each in method_map["methods"]}

"""The cost of probes for an Android build after an edit of one file (limit: 2 × the plain build), and without an edit.

Builds both APKs of fixture B (Android Gradle Plugin 7.4.2) in pairs: a plain build in one copy, a bundle in another.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from common import ROOT, Figures, arguments, compared_with

sys.path.insert(0, str(ROOT / "tests"))

from support.android_projects import copy_project, sdk
from support.gradle_projects import gradles

from navitas.build.gradle import INIT_SCRIPT
from navitas.build.jars import jar

_GRADLE = "7.6.4"
_EDITED = Path("app/src/main/java/org/example/notes/NotesActivity.java")


def main(argv: list[str]) -> int:
    """Time pairs of builds with a warm daemon, each after an edit of the same line; then one pair without an edit."""
    options = arguments(__doc__ or "", argv)
    rounds = 3 if options.quick else 5
    figures = Figures("an Android build with probes, compared with the plain one")
    launcher, home = gradles().get(_GRADLE), sdk()
    if launcher is None or home is None:
        print(f"left out: no Gradle {_GRADLE} or no Android SDK (`make gradle-homes android-sdk`)")
        return 0
    os.environ["ANDROID_HOME"] = str(home)
    with tempfile.TemporaryDirectory() as folder:
        base = [launcher, "-q", f"-Dorg.gradle.daemon.registry.base={folder}/daemons"]
        plain = [*base, ":app:assembleDemoDebug", ":app:assembleDemoDebugAndroidTest"]
        probed = [
            *base, "--init-script", str(INIT_SCRIPT), f"-Pnavitas.pluginJar={jar('navitas-gradle-plugin.jar')}",
            "-Pnavitas.variant=demoDebug", ":app:navitasReport",
        ]  # fmt: skip
        builds = {name: copy_project("b", Path(folder) / name) for name in ("plain", "probed")}
        commands = {"plain": plain, "probed": probed}
        try:
            for name, project in builds.items():
                _run(commands[name], project)
            taken: dict[str, list[float]] = {"plain": [], "probed": []}
            for number in range(rounds):
                for name, project in builds.items():
                    _edit(project, number)
                    taken[name].append(_run(commands[name], project))
            unchanged = {name: _run(commands[name], project) for name, project in builds.items()}
        finally:
            subprocess.run([*base, "--stop"], cwd=folder, check=False, capture_output=True)
    ratio = statistics.median(ours / theirs for ours, theirs in zip(taken["probed"], taken["plain"], strict=True))
    plain_s = statistics.median(taken["plain"])
    note = compared_with(ratio * plain_s, plain_s, f"the plain build, median of {rounds} pairs")
    figures.add("one file edited", ratio, "×", at_most=2.0, note=note)
    figures.add("nothing edited", unchanged["probed"] / unchanged["plain"], "×", note="no class is instrumented")
    return figures.close(options.check)


def _edit(project: Path, number: int) -> None:
    source = project / _EDITED
    source.write_text(re.sub(r'find\("\w+"\)', f'find("word{number}")', source.read_text()))


def _run(command: Sequence[str], project: Path) -> float:
    begin = time.perf_counter()
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    return time.perf_counter() - begin


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

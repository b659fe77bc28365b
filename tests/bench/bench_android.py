"""The cost of probes for an Android build after an edit of one file (limit: 2 × the plain build), and without an edit.

Builds both APKs of fixture B (Android Gradle Plugin 7.4.2) in pairs: a plain build in one copy, a bundle in another.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
from functools import partial
from pathlib import Path

from build_pairs import build_pairs
from common import Figures, arguments, compared_with
from support.android_projects import copy_project, sdk
from support.gradle_projects import gradles

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
    apks = [":app:assembleDemoDebug", ":app:assembleDemoDebugAndroidTest"]
    bundle = ["-Pnavitas.variant=demoDebug", ":app:navitasReport"]
    with build_pairs(launcher, lambda folder: copy_project("b", folder), {"plain": apks, "probed": bundle}) as pairs:
        taken = [pairs.round(partial(_edit, number=number)) for number in range(rounds)]
        unchanged = pairs.round(None)
    ratio = statistics.median(each["probed"] / each["plain"] for each in taken)
    plain_s = statistics.median(each["plain"] for each in taken)
    note = compared_with(ratio * plain_s, plain_s, f"the plain build, median of {rounds} pairs")
    figures.add("one file edited", ratio, "×", at_most=2.0, note=note)
    figures.add("nothing edited", unchanged["probed"] / unchanged["plain"], "×", note="no class is instrumented")
    return figures.close(options.check)


def _edit(project: Path, number: int) -> None:
    source = project / _EDITED
    source.write_text(re.sub(r'find\("\w+"\)', f'find("word{number}")', source.read_text()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

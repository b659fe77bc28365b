"""Builds of an app of 2,400 classes with probes, after an edit that adds a method, compared with plain builds.

Three generations of the Android Gradle Plugin: 3.1.4, 7.4.2 (with a library module) and 8.4.2. `make android-bench`
runs it; it takes about ten minutes.
"""

from __future__ import annotations

import os
import statistics
import sys
from functools import partial

from build_pairs import build_pairs
from common import Figures, arguments, compared_with
from support.android_projects import sdk
from support.gradle_projects import gradles
from support.large_app import add_method, large_app

_CLASSES = 2400
_WARM = 2
_FIXTURES = {
    "a": ("3.1.4", "path", ["assembleDebug"]),
    "b": ("7.4.2", "7.6.4", [":app:assembleDemoDebug"]),
    "c": ("8.4.2", "8.11.1", ["assembleDebug"]),
}


def main(argv: list[str]) -> int:
    """Time builds in turn; each adds a method to the class whose name is the first."""
    options = arguments(__doc__ or "", argv, list(_FIXTURES))
    rounds = 4 if options.quick else 8
    figures = Figures("an edit of one file in an app of 2,400 classes, with probes")
    home = sdk()
    if home is None:
        print("left out: no Android SDK (`make android-sdk`)")
        return 0
    os.environ["ANDROID_HOME"] = str(home)
    for name in options.parts or _FIXTURES:
        version, gradle, tasks = _FIXTURES[name]
        if (launcher := gradles().get(gradle)) is None:
            print(f"left out: {version}, no Gradle {gradle} (`make gradle-homes`)")
            continue
        builds = {"plain": tasks, "probed": tasks}
        with build_pairs(launcher, partial(large_app, name, classes=_CLASSES), builds) as pairs:
            taken = [pairs.round(partial(add_method, number=number)) for number in range(1, rounds + _WARM + 1)]
            unchanged = pairs.round(None)
            clean = pairs.clean_s
        taken = taken[_WARM:]
        plain_s, probed_s = (statistics.median(each[kind] for each in taken) for kind in ("plain", "probed"))
        ratio = statistics.median(each["probed"] / each["plain"] for each in taken)
        note = f"{compared_with(probed_s, plain_s, 'the plain build')}, median of {rounds} pairs"
        figures.add(f"{version}: a method added", ratio, "×", at_most=1.3, note=note)
        figures.add(f"{version}: nothing edited", unchanged["probed"] / unchanged["plain"], "×")
        figures.add(f"{version}: first build", clean["probed"] / clean["plain"], "×", note="the plain build starts the daemon")
    return figures.close(options.check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

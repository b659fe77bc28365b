"""No work is repeated: task inputs, the build cache (also of another checkout) and the configuration cache."""

from __future__ import annotations

import shutil
from pathlib import Path

from support.gradle_builds import Build, contents
from support.gradle_projects import main_class, single, write

PROPERTIES = """\
org.gradle.caching=true
org.gradle.parallel=true
org.gradle.unsafe.configuration-cache=true
org.gradle.configuration-cache=true
"""


def test_outputs_come_from_the_caches(tmp_path: Path, gradle: str) -> None:
    cache = f"buildCache.local.directory = new File('{tmp_path / 'cache'}')\n"
    project = single(tmp_path / "größe a" / "demo", "test { workingDir = file('src') }\n")
    write(project, {"settings.gradle": f"rootProject.name = 'demo'\n{cache}", "gradle.properties": PROPERTIES})
    first = Build(project, gradle)
    (bundle,) = first.bundles
    files = contents(bundle)
    assert first.outcome(":navitasBundle") == ""
    assert bundle.working_dir == project / "src"

    shutil.rmtree(project / "build")
    second = Build(project, gradle)
    assert second.outcome(":navitasInstrument") == second.outcome(":navitasBundle") == "FROM-CACHE"
    assert contents(second.bundles[0]) == files
    knows_configurations = any("onfiguration cache entry stored" in line for line in first.lines)
    assert any("Reusing configuration cache" in line for line in second.lines) == knows_configurations

    elsewhere = tmp_path / "another checkout"
    shutil.copytree(project, elsewhere, ignore=shutil.ignore_patterns("build", ".gradle"))
    third = Build(elsewhere, gradle)
    assert third.outcome(":navitasInstrument") == third.outcome(":navitasBundle") == "FROM-CACHE"
    assert contents(third.bundles[0]) == files
    assert third.bundles[0].working_dir == elsewhere / "src"

    write(elsewhere, {"src/main/java/p/A.java": main_class("A", "return 3;")})
    assert contents(Build(elsewhere, gradle).bundles[0])["classes/p/A.class"] != files["classes/p/A.class"]

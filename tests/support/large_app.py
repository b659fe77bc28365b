"""Android apps with thousands of classes, made of a fixture, and which of their outputs an edit changes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from support.android_projects import build_file, copy_project
from support.gradle_projects import write

_IN_PACKAGE = 40
_SOURCES = "src/main/java"
MAP = "org/navitas/map/NavitasMap"
# The folders of an app's classes with probes, and of its dex files.
_OUTPUTS = {
    "a": ("build/intermediates/transforms/navitas/debug", "build/intermediates/transforms/dexBuilder/debug"),
    "b": ("app/build/navitas/demoDebug", "app/build/intermediates/project_dex_archive/demoDebug"),
    "c": ("build/navitas/debug/App", "build/intermediates/project_dex_archive/debug"),
}


def large_app(fixture: str, into: Path, classes: int) -> Path:
    """Copy a fixture and add classes `p000.C000` … to its app, and a third of them to its library if it has one."""
    project = copy_project(fixture, into)
    library = project / "text"
    of_library = classes // 3 if library.is_dir() else 0
    write(build_file(project).parent / _SOURCES, _sources("p", classes - of_library))
    write(library / _SOURCES, _sources("q", of_library))
    return project


def add_method(project: Path, number: int) -> None:
    """Give the first added class another method. A number that is larger by one adds one method more."""
    path = build_file(project).parent / _SOURCES / "p000/C000.java"
    head, marker, _ = path.read_text().partition("  // added\n")
    if not marker:
        head = head.rstrip().removesuffix("}")
    methods = "".join(f"  public int added{each}(int n) {{ return n * {each + 3} + {number}; }}\n" for each in range(number))
    path.write_text(f"{head}  // added\n{methods}}}\n")


class Outputs:
    """Hashes of an app's classes with probes, of its dex files and of its libraries' dex files, by their path without folders."""

    def __init__(self, project: Path) -> None:
        folders = [project / folder for folder in _OUTPUTS[project.name]]
        self.classes, self.dex, self.jars = (_hashes(folders[kind != ".class"], kind) for kind in (".class", ".dex", ".jar"))

    def check_one_class_changed(self, before: Outputs) -> None:
        """Assert that `add_method` changed nothing but its class and the class with the map's id since then."""
        edited = {"p000/C000", MAP}
        assert edited <= before.classes.keys() and len(before.classes) > 40
        assert edited <= before.dex.keys() and len(before.dex) > 40
        assert changed(before.classes, self.classes) == edited
        assert changed(before.dex, self.dex) == edited
        assert changed(before.jars, self.jars) == set(), "libraries are dexed only once"


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Return the names of outputs that were added, changed or removed."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def _hashes(folder: Path, suffix: str) -> dict[str, str]:
    """Return hashes of the files of an output by their path from the root of packages."""
    found = {}
    for path in folder.rglob(f"*{suffix}"):
        name = path.relative_to(folder).as_posix().removesuffix(suffix)
        starts = [name.find(root) for root in ("p0", "q0", "org/") if root in name]
        found[name[min(starts) :] if starts else name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _sources(prefix: str, count: int) -> dict[str, str]:
    """Classes that call the next one, with a nested class each, as apps have them."""
    files = {}
    for number in range(count // 2):
        package, name = f"{prefix}{number // _IN_PACKAGE:03}", f"C{number:03}"
        after = (number + 1) % (count // 2)
        other = f"{prefix}{after // _IN_PACKAGE:03}.C{after:03}"
        files[f"{package}/{name}.java"] = (
            f"package {package};\n\npublic class {name} {{\n"
            f"  private final int[] values = new int[{number % 7 + 1}];\n"
            "  static class Part {\n    private long sum;\n"
            "    void add(int n) { for (int i = 0; i < n; i++) { sum += i % 3; } }\n    long sum() { return sum; }\n  }\n"
            "  public int step(int n) { return n * 31 + values.length; }\n"
            f"  public int next(int n) {{ return n <= 0 ? step(n) : new {other}().next(n - 1); }}\n"
            "  public long total(int n) { Part part = new Part(); part.add(step(n)); return part.sum(); }\n"
            f'  public String text(int n) {{ return "{name} " + n + " " + total(n); }}\n'
            "  public int search(int n) {\n    int found = 0;\n    for (int i = 0; i < values.length; i++) {\n"
            "      if (values[i] == n) {\n        found++;\n      } else {\n        values[i] = step(i);\n      }\n    }\n"
            "    return found;\n  }\n}\n"
        )
    return files

"""Android apps with thousands of classes, made of a fixture."""

from __future__ import annotations

from pathlib import Path

from support.android_projects import build_file, copy_project
from support.gradle_projects import write

_IN_PACKAGE = 40
_SOURCES = "src/main/java"


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

"""Large Gradle builds: many modules, many tests."""

from __future__ import annotations

from pathlib import Path

from support.gradle_projects import JUNIT, java_project, write

_LAYER = 15


def many_modules(root: Path, count: int) -> Path:
    """Write modules `m000` … in layers of 15. Each depends on three of the layer below and has two classes with a test each."""
    files = {
        "settings.gradle": f"rootProject.name = 'many'\n(0..<{count}).each {{ include String.format('m%03d', it) }}\n",
        "build.gradle": f"subprojects {{ apply plugin: 'java'\n{JUNIT} }}\n",
    }
    for number in range(count):
        name, below = f"m{number:03}", (number // _LAYER - 1) * _LAYER
        needed = [f"m{below + (number + step) % _LAYER:03}" for step in range(3)] if below >= 0 else []
        files[f"{name}/build.gradle"] = "".join(f"dependencies {{ implementation project(':{one}') }}\n" for one in needed)
        calls = " + ".join(["1", *(f"new {one}.Part().work()" for one in needed[:1])])
        files |= {
            f"{name}/src/main/java/{name}/Part.java": (
                f"package {name}; public class Part {{ public int work() {{ return {calls}; }} }}"
            ),
            f"{name}/src/main/java/Main.java": "public class Main { public int run() { return 1; } }",
            f"{name}/src/test/java/MainTest.java": (
                "public class MainTest { @org.junit.Test public void runs() { new Main().run(); } "
                f"@org.junit.Test public void works() {{ new {name}.Part().work(); }} }}"
            ),
        }
    return write(root, files)


def many_tests(root: Path, classes: int, methods: int) -> Path:
    """Write a library with `classes` × `methods` tests. Each test calls a method of the library."""
    sources = {}
    for number in range(classes):
        name = f"Part{number:03}"
        body = "int sum = n; for (int i = 0; i < 1000; i++) sum = step(sum); return sum;"
        sources[name] = (
            f"package p; public class {name} {{ public int work(int n) {{ {body} }} int step(int n) {{ return n * 31 + 7; }} }}"
        )
        tests = " ".join(f"@org.junit.Test public void t{one}() {{ new {name}().work({one}); }}" for one in range(methods))
        sources[f"{name}Test"] = f"package p; public class {name}Test {{ {tests} }}"
    return java_project(root, sources)

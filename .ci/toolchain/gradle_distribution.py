"""Make a Gradle for tests from the jars of `dev.gradleplugins:gradle-api`.

Usage: gradle_distribution.py VERSION OUT --api JAR --javac JAR [--launcher CLASSES] LIBRARY...

--api is gradle-api's jar of that version. --javac is the jar of 7.6.4, since 8.11.1's lacks the compiler plugin. --launcher is
a folder of classes that replace the modules gradle-gradle-cli and gradle-daemon-main (8.11.1). Each LIBRARY is a jar of Groovy or
Kotlin. This is a test fixture, not an official Gradle: `test` tasks run JUnit 4 and 5, and .kts build scripts do not work.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from class_file import with_texts

_RELOCATED = "org/gradle/internal/impldep/"
_COMPILER_PLUGIN = "org/gradle/internal/compiler/java/"
_BEACON = "org/gradle/internal/installation/beacon/InstallationBeacon"
# Gradle's own classes for tests. They must use the build's JUnit, not the relocated one.
_TEST_FRAMEWORK = (
    "org/gradle/api/internal/tasks/testing/",
    "org/gradle/api/testing/toolchains/",
    "org/gradle/api/plugins/jvm/internal/",
)
_TEST_LIBRARIES = (
    "org/junit",
    "org/hamcrest",
    "org/opentest4j",
    "org/apiguardian",
    "junit/framework",
    "junit/extensions",
    "junit/runner",
    "org/testng",
)
_OPENED = (
    "java.util",
    "java.lang",
    "java.lang.invoke",
    "java.net",
    "java.nio.charset",
    "java.time",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
)
# Modules of the distribution that gradle-api's jar does not list.
_MORE_MODULES = (
    "gradle-installation-beacon",
    "gradle-runtime-api-info",
    "gradle-worker-main",
    "gradle-kotlin-dsl",
    "gradle-kotlin-dsl-provider-plugins",
    "gradle-kotlin-dsl-tooling-builders",
    "gradle-kotlin-dsl-tooling-models",
    "gradle-instrumentation-agent",
    "gradle-workers",
    "gradle-daemon-main",
)


@dataclass(frozen=True, slots=True)
class Release:
    """Settings that differ between the versions."""

    worker_module: str
    """The module whose jar contains all code. It is on the class path of worker processes."""
    kotlin_versions: str
    memory: str
    has_cli: bool
    """Whether gradle-api's jar lacks the command line and the tables of plugins (8.11.1)."""


RELEASES = {
    "7.6.4": Release("gradle-core", "provider=2.3.3\nkotlin=1.7.10\n", "512m", has_cli=True),
    "8.11.1": Release("gradle-worker-main", "provider=5.1.2\nkotlin=2.0.20\n", "2g", has_cli=False),
}


@dataclass(frozen=True, slots=True)
class Module:
    """A module of Gradle: the modules that it needs, and its libraries."""

    projects: list[str] = field(default_factory=list)
    runtime: list[str] = field(default_factory=list)
    optional: list[str] = field(default_factory=list)


def _properties(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def _names(value: str) -> list[str]:
    return [name for name in value.split(",") if name]


def modules_of(api: zipfile.ZipFile, release: Release) -> dict[str, Module]:
    """Return all modules of the distribution by name."""
    found: dict[str, Module] = {}
    for name in api.namelist():
        if match := re.fullmatch(r"(gradle-.*)-classpath\.properties", name):
            table = _properties(api.read(name).decode())
            found[match[1]] = Module(*(_names(table.get(key, "")) for key in ("projects", "runtime", "optional")))
    for name in _MORE_MODULES:
        found.setdefault(name, Module())
    if not release.has_cli:
        for file in ("gradle-plugins.properties", "gradle-implementation-plugins.properties"):
            for name in _names(_properties(api.read(file).decode()).get("plugins", "")):
                found.setdefault(name, Module())
        others = [name for name in found if name not in ("gradle-gradle-cli", "gradle-language-groovy", "gradle-daemon-main")]
        found["gradle-gradle-cli"] = Module(projects=others)
        for module in list(found.values()):
            for name in (*module.projects, *module.optional):
                found.setdefault(name, Module())
    return found


def write_jar(path: Path, entries: Mapping[str, str | bytes], class_path: str = "") -> None:
    """Write a jar with a manifest. Its lines have at most 70 characters."""
    manifest = "Manifest-Version: 1.0\n"
    if class_path:
        line = f"Class-Path: {class_path}"
        manifest += line[:70] + "\n" + "".join(f" {line[i : i + 69]}\n" for i in range(70, len(line), 69))
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", manifest + "\n")
        for name, data in entries.items():
            jar.writestr(name, data)


def patched_classes(api: zipfile.ZipFile, release: Release) -> dict[str, bytes]:
    """Return repaired copies of the classes whose texts the relocation of libraries broke."""
    names = set(api.namelist())
    patched = {}
    for name in names:
        if not name.endswith(".class") or name.startswith(_RELOCATED):
            continue
        code = old = api.read(name)
        # The configuration cache needs relocated descriptors in `$deserializeLambda$`, which compares them as texts.
        if not release.has_cli and b"$deserializeLambda$" in code:
            code = with_texts(code, lambda text: _relocated(text, names))
        if name.startswith(_TEST_FRAMEWORK):
            code = with_texts(code, _not_relocated)
        if code != old:
            patched[name] = code
    return patched


def _relocated(text: bytes, names: set[str]) -> bytes:
    if text[:1] != b"(" or b"L" not in text:
        return text

    def moved(match: re.Match[bytes]) -> bytes:
        is_library = f"{_RELOCATED}{match[1].decode()}.class" in names
        return b"L" + _RELOCATED.encode() + match[1] + b";" if is_library else match[0]

    return re.sub(rb"L([^;<]+);", moved, text)


def _not_relocated(text: bytes) -> bytes:
    for library in _TEST_LIBRARIES:
        moved = _RELOCATED + library
        text = text.replace(moved.encode(), library.encode())
        text = text.replace(moved.replace("/", ".").encode(), library.replace("/", ".").encode())
    return text


def make_main_jar(api: Path, path: Path, release: Release) -> None:
    """Write gradle-api's jar in the form that the distribution needs."""
    shutil.copy(api, path)
    # Without this marker, Gradle uses its normal hierarchy of class loaders.
    removed = [
        "META-INF/.gradle-runtime-shaded",
        *([] if release.has_cli else ["META-INF/services/java.nio.file.spi.FileSystemProvider"]),
    ]
    subprocess.run(["zip", "-q", "-d", path, *removed], check=True)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(api) as classes:
        for name, code in patched_classes(classes, release).items():
            target = Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(code)
        subprocess.run(["zip", "-q", "-r", path.resolve(), "."], cwd=folder, check=True)


def beacon_class() -> bytes:
    """Return the class that Gradle uses to find its installation."""
    package, _, name = _BEACON.rpartition("/")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, f"{name}.java")
        source.write_text(f"package {package.replace('/', '.')}; public class {name} {{}}\n")
        subprocess.run(["javac", "--release", "8", "-nowarn", "-Xlint:-options", "-d", folder, source], check=True)
        return Path(folder, f"{_BEACON}.class").read_bytes()


def make(version: str, out: Path, *, api_jar: Path, javac_jar: Path, launcher: Path | None, libraries: list[Path]) -> None:
    """Make the distribution in the folder `out`."""
    release = RELEASES[version]
    lib = out / "lib"
    (lib / "plugins").mkdir(parents=True)
    (out / "bin").mkdir()
    main = f"{release.worker_module}-{version}.jar"
    make_main_jar(api_jar, lib / main, release)
    for library in libraries:
        shutil.copy(library, lib)
    carried = [main, *(library.name for library in libraries)]
    wanted: set[str] = set()
    with zipfile.ZipFile(api_jar) as api, zipfile.ZipFile(javac_jar) as javac:
        for name, module in modules_of(api, release).items():
            wanted.update(module.runtime)
            jar = lib / f"{name}-{version}.jar"
            if name == release.worker_module:
                continue
            if name == "gradle-language-groovy":
                jar.hardlink_to(lib / main)
                continue
            projects = list(module.projects)
            if name in ("gradle-launcher", "gradle-gradle-cli-main", "gradle-core-api"):
                projects.append("gradle-installation-beacon")
            entries: dict[str, str | bytes] = {
                f"{name}-classpath.properties": f"projects={','.join(projects)}\nruntime={','.join(carried)}\n"
            }
            class_path = ""
            if name in ("gradle-launcher", "gradle-daemon-main"):
                class_path = " ".join([f"gradle-installation-beacon-{version}.jar", *carried])
            if name == "gradle-launcher":
                entries["gradle-kotlin-dsl-versions.properties"] = release.kotlin_versions
            if name == "gradle-java-compiler-plugin":  # only this module's jar is loaded with javac
                compiler = [
                    entry for entry in javac.namelist() if entry.startswith(_COMPILER_PLUGIN) and entry.endswith(".class")
                ]
                entries.update({entry: javac.read(entry) for entry in compiler})
            if name in ("gradle-gradle-cli", "gradle-daemon-main") and launcher is not None:
                files = [path for path in launcher.rglob("*") if path.is_file()]
                entries.update({path.relative_to(launcher).as_posix(): path.read_bytes() for path in files})
            if name == "gradle-installation-beacon":
                entries[f"{_BEACON}.class"] = beacon_class()
            write_jar(jar, entries, class_path)
    for name in sorted(wanted):
        if not (lib / name).exists() and not name.startswith("gradle-"):
            write_jar(lib / name, {})
    _write_launcher(out / "bin" / "gradle", version, main, release)


def _write_launcher(path: Path, version: str, main: str, release: Release) -> None:
    opens = " ".join(f"--add-opens java.base/{package}=ALL-UNNAMED" for package in _OPENED)
    jars = ":".join(
        f"$home/lib/{jar}" for jar in (f"gradle-installation-beacon-{version}.jar", f"gradle-launcher-{version}.jar", main)
    )
    path.write_text(
        f"""#!/bin/sh
home=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
exec "${{JAVA_HOME:+$JAVA_HOME/bin/}}java" -Xmx{release.memory} {opens} $GRADLE_OPTS \\
  -classpath "{jars}" org.gradle.launcher.GradleMain "$@"
"""
    )
    path.chmod(0o755)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", choices=sorted(RELEASES))
    parser.add_argument("out", type=Path)
    parser.add_argument("--api", type=Path, required=True)
    parser.add_argument("--javac", type=Path, required=True)
    parser.add_argument("--launcher", type=Path)
    parser.add_argument("libraries", type=Path, nargs="+")
    given = parser.parse_args()
    make(
        given.version,
        given.out,
        api_jar=given.api,
        javac_jar=given.javac,
        launcher=given.launcher,
        libraries=given.libraries,
    )

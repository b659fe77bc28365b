"""Android apps that tests build: the plugin in their builds, and the content of their APKs."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from click.testing import CliRunner

from navitas.capture.bundle.reader import Bundle
from navitas.cli.instrument.plugin import command as plugin_command
from support.android_projects import build_file

_INVOKE_STATIC = 0x71
_PROBE = ("Lorg/navitas/runtime/Probe;", "enter")


def apply_plugin(project: Path, repository: Path) -> None:
    """Install the plugin in a repository, and apply it in a fixture's app with the lines that `navitas plugin` prints."""
    printed = CliRunner().invoke(plugin_command, ["--repository", str(repository)]).stdout
    (place,) = re.findall(r"^ *maven .*$", printed, re.MULTILINE)
    (plugin,) = re.findall(r"^ *id 'org\.navitas' version .*$", printed.partition("com.android.application")[2], re.MULTILINE)
    settings, build = project / "settings.gradle", build_file(project)
    if project.name == "a":  # without any configuration block
        settings.write_text(f"pluginManagement {{ repositories {{\n{place}\n}} }}\n{settings.read_text()}")
        build.write_text(build.read_text().replace("\nrepositories", f"\nplugins {{\n{plugin}\n}}\nrepositories", 1))
    else:
        settings.write_text(settings.read_text().replace("repositories {", f"repositories {{\n{place}", 1))
        build.write_text(build.read_text().replace("plugins {", f"plugins {{\n{plugin}", 1))


def extract_apk(bundle: Bundle, name: str = "app.apk") -> Path:
    """Extract an APK of a bundle, and verify its signature and its dex files."""
    path = bundle.extract(name, bundle.path.with_suffix(f".{name}"))
    subprocess.run(["apksigner", "verify", "--min-sdk-version", "21", str(path)], check=True, capture_output=True)
    check_dex_files(path)
    return path


def probed_methods(apk: Path) -> set[str]:
    """Return `package/Class.method` of all methods in an APK whose code calls `Probe.enter`."""
    return {method for dex in _dex_files(apk) for method in dex.callers(*_PROBE)}


def classes(apk: Path) -> set[str]:
    """Return the names of the classes in an APK, with slashes."""
    return {kind[1:-1] for dex in _dex_files(apk) for kind in dex.class_names()}


def _dex_files(apk: Path) -> Iterator[_Dex]:
    with zipfile.ZipFile(apk) as archive:
        for name in archive.namelist():
            if name.startswith("classes") and name.endswith(".dex"):
                yield _Dex(archive.read(name))


def check_dex_files(apk: Path) -> None:
    """Let dexdump verify and disassemble the dex files of an APK, if it is installed (`make test-programs`)."""
    if (dexdump := shutil.which("dexdump")) is not None:
        done = subprocess.run([dexdump, "-d", "-o", os.devnull, str(apk)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


class _Dex:
    """The part of the dex format (source.android.com, "Dalvik executable format") that is needed to find calls."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        counts = struct.unpack_from("<14I", data, 56)  # string, type, proto, field, method, class: size and offset each
        self.strings, self.types, self.methods, self.class_defs = (counts[i : i + 2] for i in (0, 2, 8, 10))

    def class_names(self) -> list[str]:
        size, at = self.class_defs
        return [self._type(self._u4(at + 32 * i)) for i in range(size)]

    def callers(self, class_name: str, method: str) -> set[str]:
        size, at = self.methods
        named = [struct.unpack_from("<HHI", self.data, at + 8 * i) for i in range(size)]
        wanted = {
            i for i, (owner, _, name) in enumerate(named) if (self._type(owner), self._string(name)) == (class_name, method)
        }
        found = set()
        for index, code in self._codes():
            units = struct.unpack_from(f"<{self._u4(code + 12)}H", self.data, code + 16)
            if any(unit & 0xFF == _INVOKE_STATIC and target in wanted for unit, target in pairwise(units)):
                owner, _, name = named[index]
                found.add(f"{self._type(owner)[1:-1]}.{self._string(name)}")
        return found

    def _codes(self) -> list[tuple[int, int]]:
        """Yield index and code of each method that has code."""
        codes = []
        size, start = self.class_defs
        for i in range(size):
            at = self._u4(start + 32 * i + 24)
            if not at:
                continue
            counts = []
            for _ in range(4):
                count, at = self._leb(at)
                counts.append(count)
            for _ in range(2 * (counts[0] + counts[1])):
                _, at = self._leb(at)
            for count in counts[2:]:
                index = 0
                for _ in range(count):
                    step, at = self._leb(at)
                    _, at = self._leb(at)
                    code, at = self._leb(at)
                    index += step
                    if code:
                        codes.append((index, code))
        return codes

    def _type(self, index: int) -> str:
        return self._string(self._u4(self.types[1] + 4 * index))

    def _string(self, index: int) -> str:
        _, at = self._leb(self._u4(self.strings[1] + 4 * index))
        return self.data[at : self.data.index(b"\0", at)].decode("utf-8", "surrogatepass")

    def _u4(self, at: int) -> int:
        value: int = struct.unpack_from("<I", self.data, at)[0]
        return value

    def _leb(self, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = self.data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value, at

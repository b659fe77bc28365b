"""What goes into an app: classes that any build can dex, for any Android, without desugaring."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator

import pytest

from navitas.capture.build.java import JARS

# Jars that the Gradle plugin lays out for APKs (RuntimeJarsTask).
INTO_APPS = ("navitas-runtime.jar", "navitas-runtime-junit.jar", "navitas-hooks.jar")
_JAVA_8 = 52
_UTF8 = 1
_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
# JVM specification, table 4.4-A. Before Android 8 (API 26), or 9 (API 28), dex code has none of them.
_NEEDS_DESUGARING = {15: "method handle", 16: "method type", 17: "dynamic constant", 18: "invokedynamic"}
_WIDE = (5, 6)
_INTERFACE, _ABSTRACT = 0x0200, 0x0400


def faults(data: bytes) -> Iterator[str]:
    """What a dexer cannot take without desugaring."""
    magic, _, version, count = struct.unpack_from(">IHHH", data)
    assert magic == 0xCAFEBABE
    if version > _JAVA_8:
        yield f"class file version {version}"
    at, index, texts = 10, 1, {}
    while index < count:
        tag = data[at]
        if tag == _UTF8:
            (length,) = struct.unpack_from(">H", data, at + 1)
            texts[index] = data[at + 3 : at + 3 + length].decode("utf-8", "replace")
            at += 3 + length
        else:
            at += 1 + _SIZES[tag]
        if tag in _NEEDS_DESUGARING:
            yield _NEEDS_DESUGARING[tag]
        index += 2 if tag in _WIDE else 1
    flags, _, _, interfaces = struct.unpack_from(">HHHH", data, at)
    at += 8 + 2 * interfaces
    for is_method in (False, True):
        (members,) = struct.unpack_from(">H", data, at)
        at += 2
        for _ in range(members):
            access, name, _, attributes = struct.unpack_from(">HHHH", data, at)
            at += 8
            for _ in range(attributes):
                at += 6 + struct.unpack_from(">I", data, at + 2)[0]
            if is_method and flags & _INTERFACE and not access & _ABSTRACT and texts[name] != "<clinit>":
                yield f"default or static interface method {texts[name]}"


@pytest.mark.parametrize("name", INTO_APPS)
def test_classes_for_apps_need_no_desugaring(name: str) -> None:
    jar = JARS / name
    if not jar.is_file():
        pytest.skip(f"{name} is not built: make jars")
    with zipfile.ZipFile(jar) as archive:
        classes = [entry for entry in archive.namelist() if entry.endswith(".class")]
        found = {entry: kinds for entry in classes if (kinds := sorted(set(faults(archive.read(entry)))))}
    assert classes and not found


def test_the_check_sees_what_needs_desugaring() -> None:
    """Of classes of our own that run on a JVM alone, some use lambdas, and interfaces with static methods."""
    jar = JARS / "navitas-phone.jar"
    if not jar.is_file():
        pytest.skip("navitas-phone.jar is not built: make jars")
    with zipfile.ZipFile(jar) as archive:
        found = {kind for entry in archive.namelist() if entry.endswith(".class") for kind in faults(archive.read(entry))}
    assert "invokedynamic" in found

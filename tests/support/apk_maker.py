"""Generate small real APKs: a binary manifest, any entries, and signatures by apksig."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ANDROID = "http://schemas.android.com/apk/res/android"
_OWN = "http://schemas.android.com/apk/res-auto"
_IDS = {
    "label": 0x01010001, "name": 0x01010003, "permission": 0x01010006, "debuggable": 0x0101000F, "exported": 0x01010010,
    "process": 0x01010011, "targetPackage": 0x01010021,
    "minSdkVersion": 0x0101020C, "versionCode": 0x0101021B, "versionName": 0x0101021C, "targetSdkVersion": 0x01010270,
    "testOnly": 0x01010272, "targetProcesses": 0x01010541,
    "app:name": 0x7F010001,
}  # fmt: skip
_NONE = 0xFFFFFFFF
_PASSWORD = "navitas"
_SIGN = """
import com.android.apksig.ApkSigner;
import java.io.*;
import java.nio.file.*;
import java.security.*;
import java.security.cert.X509Certificate;
import java.util.*;
public class Sign {
    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Paths.get(arguments[0]))) {
            String[] words = line.split("\\t"); // from, to, key store, schemes
            KeyStore store = KeyStore.getInstance(new File(words[2]), "navitas".toCharArray());
            PrivateKey key = (PrivateKey) store.getKey("key", "navitas".toCharArray());
            List<X509Certificate> chain = List.of((X509Certificate) store.getCertificate("key"));
            new ApkSigner.Builder(List.of(new ApkSigner.SignerConfig.Builder("KEY", key, chain).build()))
                .setInputApk(new File(words[0])).setOutputApk(new File(words[1])).setMinSdkVersion(21)
                .setV1SigningEnabled(words[3].contains("1")).setV2SigningEnabled(words[3].contains("2"))
                .setV3SigningEnabled(words[3].contains("3")).setV4SigningEnabled(false).build().sign();
        }
    }
}
"""


@dataclass(frozen=True, slots=True)
class Tag:
    """An element. Values of attributes are strings, numbers or booleans.

    Attributes with a name of the android namespace belong to it, and `app:name` to the app's own.
    """

    name: str
    attributes: Mapping[str, str | int | bool]
    children: tuple[Tag, ...] = ()


def manifest(
    package: str, *children: Tag, application: Mapping[str, str | int | bool] | None = None,
    version: int = 1, min_sdk: int = 21, target_sdk: int = 33, outside: Sequence[Tag] = (),
) -> Tag:  # fmt: skip
    """Return a manifest with one application, debuggable by default."""
    sdk = Tag("uses-sdk", {"minSdkVersion": min_sdk, "targetSdkVersion": target_sdk})
    app = Tag("application", {"debuggable": True, **(application or {})}, children)
    return Tag("manifest", {"package": package, "versionCode": version, "versionName": f"1.{version}"}, (sdk, *outside, app))


def activity(name: str, *, launcher: bool = False, **attributes: str | bool) -> Tag:
    """Return an activity, optionally the one that a launcher shows."""
    action = Tag("action", {"name": "android.intent.action.MAIN"})
    category = Tag("category", {"name": "android.intent.category.LAUNCHER"})
    shown = (Tag("intent-filter", {}, (action, category)),) if launcher else ()
    return Tag("activity", {"name": name, "exported": True, **attributes}, shown)


def instrumentation(target: str, name: str = "androidx.test.runner.AndroidJUnitRunner") -> Tag:
    """Return the runner of a test APK."""
    return Tag("instrumentation", {"name": name, "targetPackage": target})


def binary_xml(root: Tag) -> bytes:
    """Return a document in aapt2's format: string pool (UTF-16), resource ids of attributes, then the elements."""
    strings = [name.removeprefix("app:") for name in _IDS]

    def index(text: str) -> int:
        if text not in strings:
            strings.append(text)
        return strings.index(text)

    body = b"".join(_elements(root, index))
    namespace = struct.pack("<HHIIIII", 0x100, 16, 24, 1, _NONE, index("android"), index(ANDROID))
    body = namespace + body + struct.pack("<HHIIIII", 0x101, 16, 24, 1, _NONE, index("android"), index(ANDROID))
    ids = struct.pack(f"<HHI{len(_IDS)}I", 0x180, 8, 8 + 4 * len(_IDS), *_IDS.values())
    content = _pool(strings) + ids + body
    return struct.pack("<HHI", 3, 8, 8 + len(content)) + content


def _elements(tag: Tag, index: Callable[[str], int]) -> list[bytes]:
    name = index(tag.name)
    ordered = sorted(tag.attributes.items(), key=lambda pair: _IDS.get(pair[0], _NONE))
    attributes = b"".join(_attribute(key, value, index) for key, value in ordered)
    head = struct.pack("<IIHHHHHH", _NONE, name, 20, 20, len(ordered), 0, 0, 0)
    start = struct.pack("<HHIII", 0x102, 16, 16 + len(head) + len(attributes), 1, _NONE) + head + attributes
    end = struct.pack("<HHIIIII", 0x103, 16, 24, 1, _NONE, _NONE, name)
    return [start, *(piece for child in tag.children for piece in _elements(child, index)), end]


def _attribute(key: str, value: str | int | bool, index: Callable[[str], int]) -> bytes:
    namespace = _NONE if key not in _IDS else index(_OWN if key.startswith("app:") else ANDROID)
    name = list(_IDS).index(key) if key in _IDS else index(key)
    if isinstance(value, bool):
        return struct.pack("<IIIHBBI", namespace, name, _NONE, 8, 0, 0x12, _NONE if value else 0)
    if isinstance(value, int):
        return struct.pack("<IIIHBBI", namespace, name, _NONE, 8, 0, 0x10, value)
    return struct.pack("<IIIHBBI", namespace, name, index(value), 8, 0, 0x03, index(value))


def _pool(strings: list[str]) -> bytes:
    offsets, data = [], b""
    for text in strings:
        offsets.append(len(data))
        data += struct.pack("<H", len(text)) + text.encode("utf-16-le") + b"\0\0"
    data += bytes(-len(data) % 4)
    start = 28 + 4 * len(strings)
    header = struct.pack("<HHIIIIII", 1, 28, start + len(data), len(strings), 0, 0, start, 0)
    return header + struct.pack(f"<{len(strings)}I", *offsets) + data


def write(path: Path, root: Tag | bytes, entries: Mapping[str, bytes] | None = None) -> Path:
    """Write an unsigned APK."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("AndroidManifest.xml", root if isinstance(root, bytes) else binary_xml(root))
        for name, content in (entries or {}).items():
            archive.writestr(name, content)
    return path


class Signer:
    """Signs APKs with its own keys, several in one JVM."""

    def __init__(self, folder: Path, jar: Path) -> None:
        self._folder = folder
        self._jar = jar
        self._jobs: list[str] = []

    def add(self, unsigned: Path, signed: Path, *, key: str = "a", schemes: str = "12") -> Path:
        """Queue an APK. `run` writes it to `signed`."""
        self._jobs.append("\t".join(map(str, (unsigned, signed, self._key_store(key), schemes))))
        return signed

    def run(self) -> None:
        """Sign all queued APKs."""
        (self._folder / "Sign.java").write_text(_SIGN)
        (self._folder / "jobs").write_text("\n".join(self._jobs) + "\n")
        command = ["java", "-cp", str(self._jar), str(self._folder / "Sign.java"), str(self._folder / "jobs")]
        subprocess.run(command, check=True)

    def _key_store(self, key: str) -> Path:
        store = self._folder / f"{key}.p12"
        if not store.exists():
            keytool = shutil.which("keytool")
            assert keytool is not None
            options = {"-alias": "key", "-keyalg": "EC", "-dname": f"CN={key}", "-storetype": "PKCS12", "-validity": "9999"}
            words = [word for pair in options.items() for word in pair]
            passwords = ["-storepass", _PASSWORD, "-keypass", _PASSWORD]
            subprocess.run([keytool, "-genkeypair", "-keystore", str(store), *words, *passwords], check=True)
        return store

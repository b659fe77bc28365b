"""The framework for Android apps: Robolectric, JUnit and Android 13's classes, in the user's cache.

Navitas does not ship them. A Gradle build (the user's own, or a separate one) fetches them and passes the files to `provide`.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from navitas.base.errors import DeviceError
from navitas.base.owned_folder import owned_folder
from navitas.base.user_folders import cache_folder, make_folder
from navitas.base.zip_errors import UNREADABLE_ZIP
from navitas.virtual_phone.host_java import StartError, start_errors

NAME = "robolectric-4.16.1-android-13"
SDK = 33
"""The API level of the framework's Android."""
COORDINATES = (
    "org.robolectric:robolectric:4.16.1",
    "org.robolectric:android-all-instrumented:13-robolectric-9030017-i7",
    "junit:junit:4.13.2",  # Robolectric does not work with 4.12, which apps may have; an app without tests has none
)
_ANDROID = "android-all-instrumented-13-robolectric-9030017-i7.jar"
_NEEDED = ("robolectric-4.16.1.jar", "sandbox-4.16.1.jar", "shadows-framework-4.16.1.jar", "junit-4.13.2.jar", _ANDROID)
_HAMCREST = "hamcrest-"
_NEEDED_PREFIXES = ("monitor-", "guava-", "asm-", _HAMCREST)
_LIST = "files.json"
_MAX_CLASSES_BYTES = 256 << 20
_REMEDY = "run navitas profile once, online, on an Android project: its build fetches " + " and ".join(COORDINATES)


@dataclass(frozen=True, slots=True)
class Firmware:
    """The framework's files. On the class path, `jars` come before the app's entries, and `last` after them.

    `android` contains the framework's classes and is the last entry of all.
    """

    folder: Path
    jars: tuple[Path, ...]
    last: tuple[Path, ...]
    android: Path


def folder() -> Path:
    """Return the framework's folder, which may not exist yet."""
    return cache_folder() / "framework" / NAME


def find() -> Firmware:
    """Return the framework if all its files are unchanged. Raises `StartError`."""
    with start_errors():
        place = folder()
    try:
        sizes: dict[str, int] = json.loads((place / _LIST).read_text())
        whole = not _missing([*sizes]) and all((place / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError, TypeError):
        whole = False
    if not whole:
        raise StartError(f"Android's framework is not in {place}: {_REMEDY}")
    jars = [place / name for name in sorted(sizes) if name != _ANDROID]
    last = tuple(path for path in jars if path.name.startswith(_HAMCREST))  # tests may bring a newer one
    return Firmware(place, tuple(path for path in jars if path not in last), last, place / _ANDROID)


def is_provided() -> bool:
    """Return whether the framework is in the cache."""
    with suppress(StartError):
        find()
        return True
    return False


def provide(files: Sequence[Path]) -> None:
    """Put the framework's files (jars, and the classes of AARs) into the cache, all or none.

    Raises `DeviceError` if some are missing or if there is no space.
    """
    missing = _missing([file.name for file in files])
    if missing:
        raise DeviceError(f"the build did not provide Android's framework: {', '.join(missing)} missing", _REMEDY)
    place = folder()
    try:
        make_folder(place.parent)
        with owned_folder(".part-", place.parent) as part:
            made = part / NAME
            made.mkdir()
            for file in files:
                _take(file, made)
            (made / _LIST).write_text(json.dumps({path.name: path.stat().st_size for path in sorted(made.iterdir())}))
            if place.exists():
                place.replace(part / "old")
            made.replace(place)
    except (OSError, KeyError, *UNREADABLE_ZIP) as error:
        if not is_provided():  # another process may have been faster
            raise DeviceError(f"Android's framework cannot be stored in {place}: {error}", "free space there") from None


def _missing(names: Sequence[str]) -> list[str]:
    missing = [name for name in _NEEDED if name not in names]
    return missing + [f"{prefix}*" for prefix in _NEEDED_PREFIXES if not any(name.startswith(prefix) for name in names)]


def _take(file: Path, into: Path) -> None:
    if file.suffix == ".aar":
        with zipfile.ZipFile(file) as archive, (into / f"{file.stem}.jar").open("wb") as classes:
            entry = archive.getinfo("classes.jar")
            if entry.file_size > _MAX_CLASSES_BYTES:
                raise zipfile.BadZipFile(f"{file.name}: classes.jar has {entry.file_size:,} bytes")
            with archive.open(entry) as source:
                shutil.copyfileobj(source, classes)
    elif file.suffix == ".jar":
        try:
            os.link(file.resolve(), into / file.name)
        except OSError:  # another file system
            shutil.copyfile(file, into / file.name)

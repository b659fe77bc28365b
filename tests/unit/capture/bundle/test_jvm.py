"""jvm.zip: the classes that a virtual phone runs an Android app's tests from."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from navitas.capture.bundle.archive import open_jvm
from navitas.capture.bundle.manifest import InvalidBundle

DOCUMENT = {
    "schema_version": 1, "package": "a.b", "test_package": "a.b.test", "class_path": ["app/000-x.jar", "test/000-y.jar"],
}  # fmt: skip


def made(document: object, entries: tuple[str, ...] = ("app/000-x.jar", "test/000-y.jar")) -> io.BytesIO:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("jvm.json", document if isinstance(document, str) else json.dumps(document))
        for name in entries:
            archive.writestr(name, b"")
    return data


def test_tests_are_searched_for_in_the_test_apk_s_own_classes() -> None:
    with open_jvm(made(DOCUMENT)) as (_, manifest):
        assert manifest.test_roots == ["test/000-y.jar"]


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (io.BytesIO(b"PK"), "not a readable zip"),
        (made("{"), "not JSON"),
        (made({**DOCUMENT, "class_path": ["../x.jar"]}), "leaves the bundle"),
        (made({**DOCUMENT, "class_path": []}), "class_path"),
        (made({**DOCUMENT, "schema_version": 2}), "jvm.json of schema_version 2"),
        (made(DOCUMENT, ("../evil.jar",)), "leaves the bundle"),
    ],
)
def test_what_is_unsafe_or_broken_is_refused(file: io.BytesIO, reason: str) -> None:
    with pytest.raises(InvalidBundle, match=reason), open_jvm(file):
        pass

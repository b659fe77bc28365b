"""The model of `bundle.json`, which checks each field."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import PurePosixPath
from typing import Annotated, ClassVar, Literal, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from navitas.base.model_defects import first_defect
from navitas.base.unknown_parts import find_unknown
from navitas.base.untrusted_text import printable

M = TypeVar("M", bound=BaseModel)
_VERSION = 1
_NAMED, _LONGEST_NAME, _LONGEST_PLACE = 5, 60, 200
NEWER = "Use a newer Navitas."
_DRIVE = re.compile(r"^[A-Za-z]:")


class InvalidBundle(Exception):
    """A bundle is unusable. The message gives the reason, `remedy` what to do."""

    def __init__(self, reason: str, remedy: str = "Delete the file and build the project again.") -> None:
        super().__init__(reason)
        self.remedy = remedy


def inside(name: str) -> str:
    """Return `name` if it is a relative path that stays inside the bundle, else raise `ValueError`."""
    parts = PurePosixPath(name).parts
    if not parts or "\0" in name or "\\" in name or name.startswith("/") or ".." in parts or _DRIVE.match(name):
        raise ValueError(f"{quoted(name)} leaves the bundle")
    return name


def quoted(text: object) -> str:
    """Text from a bundle in quotes, shortened and printable."""
    return f"'{printable(str(text), _LONGEST_NAME)}'"


def _absolute(name: str) -> str:
    if not PurePosixPath(name).is_absolute() or "\0" in name:
        raise ValueError(f"{quoted(name)} is not an absolute path")
    return name


Inside = Annotated[str, AfterValidator(inside)]
Absolute = Annotated[str, AfterValidator(_absolute)]
PackageName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$", max_length=240)]
Line = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
MapId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^[^\x00=]+$")]


Probes = Literal["methods", "blocks", "none"]
"""The kind of probes of a build: calls of methods, counters of executions of basic blocks, or none."""
Framework = Literal["junit4", "junit-platform", "testng"]


class TestTask(BaseModel):
    """The test task's tests and framework: the patterns of its `filter { }`, the classes in the test roots that it excludes,
    and for the JUnit Platform its engines and tags (of `useJUnitPlatform { }`)."""

    __test__: ClassVar[bool] = False  # not a test case
    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str = "test"
    enabled: bool = True
    scan_for_test_classes: bool = True
    fork_every: Annotated[int, Field(ge=0)] = 0
    """The number of test classes in one process; 0: all of them."""
    include: list[str] = []
    exclude: list[str] = []
    left_out: list[str] = []
    framework: Framework = "junit4"
    include_engines: list[Line] = []
    exclude_engines: list[Line] = []
    include_tags: list[Line] = []
    exclude_tags: list[Line] = []


class CommonManifest(BaseModel):
    """The fields of all bundles."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    schema_version: Literal[1]
    package: PackageName
    module: str = Field(pattern=r"^:")
    project: str = Field(min_length=1)
    map_id: MapId
    warnings: list[Line]
    unused_excludes: dict[Line, Line] = {}
    """A sentence about each exclude pattern that matches nothing in this module."""
    test_task: TestTask = TestTask()
    hooks: bool | None = None
    """Whether calls of APIs are hooked; None if the bundle does not say so."""
    probes: Probes = "methods"


class BundleManifest(CommonManifest):
    """The contents of a bundle of Java code, and the settings of the project's `test` task for its JVM."""

    class_path: list[Inside] = Field(min_length=1)
    probed_classes: Inside | None = None
    """The classes with probes, if the class path has those that the build made, because the tests look at class files."""
    test_roots: list[Inside] = Field(min_length=1)
    working_dir: Annotated[str, StringConstraints(pattern=r"^[^\x00]+$")]
    """Absolute, or relative to the folder of the bundle, so that builds in different checkouts make the same bundle."""
    jvm_args: list[Line]
    system_properties: dict[VariableName, Line]
    environment: dict[VariableName, Line]
    removed_variables: list[VariableName] = []
    """Inherited variables that the build removes."""
    java_home: Absolute | None


class Apk(BaseModel):
    """An APK of the app: the only one, or that for an ABI."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    file: Inside
    abi: Line | None


class Apks(BaseModel):
    """The APKs in a bundle. A library has no app's APK, because its tests include it. An app may have no tests."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    app: list[Apk]
    test: Inside | None


class AndroidManifest(CommonManifest):
    """The contents of a bundle of one variant of an Android module. `package` is the app's application id.

    For a library, `package` equals `test_package`, and there is no app's APK. An app without tests has no test APK and no
    `runner`, and `test_package` equals `package`.
    """

    kind: Literal["android"]
    variant: Line
    test_package: PackageName
    runner: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.$]+$")] | None
    runner_arguments: dict[VariableName, Line]
    orchestrator: bool
    clear_package_data: bool
    debuggable: bool
    minified: bool
    min_sdk: int = Field(ge=1)
    agp_version: Line
    includes_map_ids: list[MapId]
    """Earlier maps whose ids are valid in this one: the tests' map extends the app's."""
    apks: Apks
    mapping: Inside | None
    jvm: Inside | None

    def files(self) -> list[str]:
        """Return the names of all entries that the manifest refers to."""
        return [*(apk.file for apk in self.apks.app), *filter(None, (self.apks.test, self.mapping, self.jvm))]


AnyManifest = BundleManifest | AndroidManifest


def java_manifest(manifest: AnyManifest) -> BundleManifest:
    """Return the manifest of a bundle that is installed as a whole. Raises `InvalidBundle` for an Android module's."""
    if isinstance(manifest, AndroidManifest):
        raise InvalidBundle("a bundle of an Android module", "Install the APKs in it.")
    return manifest


def parse_manifest(raw: bytes) -> AnyManifest:
    """Check the text of `bundle.json`. Raises `InvalidBundle`, also for a newer schema version."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidBundle(f"bundle.json is not JSON ({error})") from error
    check_version(document, "bundle")
    kind = document.get("kind") if isinstance(document, dict) else None
    if kind not in (None, "android"):
        raise InvalidBundle(f"a bundle of kind {quoted(kind)}, which this Navitas does not know", NEWER)
    task = document.get("test_task") if isinstance(document, dict) else None
    framework = task.get("framework") if isinstance(task, dict) else None
    if isinstance(framework, str) and framework not in get_args(Framework):
        raise InvalidBundle(f"its tests use the framework {quoted(framework)}, which this Navitas does not know", NEWER)
    is_android, file = kind == "android", "bundle.json"
    manifest = validated(document, AndroidManifest, file) if is_android else validated(document, BundleManifest, file)
    unknown = Counter(part.place for part in find_unknown(document, type(manifest)))
    if not unknown:
        return manifest
    names = [f"{quoted(place)}{f' ({count} times)' if count > 1 else ''}" for place, count in unknown.items()]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    listed = ", ".join(names[:_NAMED])
    warning = f"the bundle has fields that this version of Navitas does not know: {listed}{more}; they are not used"
    return manifest.model_copy(update={"warnings": [*manifest.warnings, warning]})


def validated(document: object, model: type[M], file: str) -> M:
    """Return a JSON document as its model. Raises `InvalidBundle` that names the file in the bundle and the first defect."""
    try:
        return model.model_validate(document)
    except ValidationError as error:
        place, defect = first_defect(error)
        raise InvalidBundle(f"{file}: {printable(place or 'document', _LONGEST_PLACE)}: {defect}") from error


def check_version(document: object, what: str) -> None:
    """Raise `InvalidBundle` if a JSON document has a newer major version."""
    version = document.get("schema_version") if isinstance(document, dict) else None
    if isinstance(version, int) and version > _VERSION:
        raise InvalidBundle(
            f"{what} of schema_version {printable(str(version), _LONGEST_NAME)}; this Navitas reads version {_VERSION}", NEWER
        )

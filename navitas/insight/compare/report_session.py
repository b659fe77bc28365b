"""Reads the session of a JSON report."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection
from typing import Annotated, Any, Literal, NoReturn, NotRequired

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from navitas.base.errors import NavitasError, RecordingError, UsageError
from navitas.base.model_defects import first_defect
from navitas.base.untrusted_text import printable_line
from navitas.insight.compare.session import SCHEDULE, Joules, Origin, Session, TestRun, qualified_name, recorded_conditions
from navitas.insight.compare.source_place import SourcePlace
from navitas.insight.compare.subject import Energy, Subject

_ByComponent = Annotated[dict[str, Joules], Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Device(_Part):
    kind: str
    identity: str = ""
    model: str
    fingerprint: str = ""


# A dictionary, since reports have many: objects take four times as long.
_Method = TypedDict(
    "_Method",
    {
        "module": str, "class": str, "name": str, "descriptor": str,
        "exclusive_j": Annotated[Joules, Field(strict=True)] | None,
        "inclusive_j": NotRequired[Annotated[Joules, Field(strict=True)] | None],
        "calls": NotRequired[Annotated[int, Field(strict=True, ge=0)]],
    },
)  # fmt: skip


class _Source(_Part):
    """A method over all tests."""

    module: str
    class_: str = Field(alias="class")
    name: str
    file: str | None = None
    line: int | None = None


class _Thread(_Part):
    name: str
    role: str
    energy_j: Joules | None
    methods: list[_Method] = []


class _Test(_Part):
    module: str
    class_: str = Field(alias="class")
    method: str
    repeat: Annotated[int, Field(ge=0)]
    status: str
    unfit: list[str] = []
    components: _ByComponent
    app_components: _ByComponent | None = None
    base_components: _ByComponent | None = None
    wall_ns: Annotated[int, Field(ge=0)] | None = None
    threads: list[_Thread]

    @property
    def name(self) -> str:
        return qualified_name(self.module, f"{self.class_}#{self.method}")


class _Warning(_Part):
    code: str
    message: str


class _Level(_Part):
    level: str


class _Evidence(_Part):
    time: str = ""
    components: dict[str, _Level]


class _PowerProfile(_Part):
    sha256: str


class _Git(_Part):
    revision: Annotated[str, Field(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
    dirty: bool | None = None


class _Java(_Part):
    tests: list[str] = []
    build: str | None = None


class _Provenance(_Part):
    navitas_version: str = ""
    git: _Git | None = None
    java: _Java = _Java()


class _Report(_Part):
    schema_version: Literal[2]
    project: str = ""
    created_utc: str = ""
    provenance: _Provenance = _Provenance()
    device: _Device
    power_profile: _PowerProfile
    evidence: _Evidence
    settings: dict[str, Any] = {}
    methods: list[_Source] = []
    tests: list[_Test]
    warnings: list[_Warning] = []


def parse_session(text: str | bytes, name: str) -> Session:
    """Return the session of a JSON report. Repeats with a test that was cut, or whose run is unfit, do not count.

    If no repeat is fit, all that were not cut count.

    Raises an error that names `name`: `UsageError` if it is not a JSON report, or has no repeat that counts, and
    `RecordingError` if it is damaged.
    """
    try:
        report = _Report.model_validate_json(text)
    except ValidationError as error:
        _check_kind(text, name)
        place, message = first_defect(error)
        where = f" at {printable_line(place, 100)}" if place else ""
        _refuse(name, f"is damaged{where}: {printable_line(message, 200)}", RecordingError)
    # A run that recorded nothing has passed tests that took no time.
    lost = {test.repeat for test in report.tests if test.status == "cut" or (test.status == "passed" and test.wall_ns == 0)}
    repeats = {test.repeat for test in report.tests} - lost
    if not repeats:
        _refuse(name, "has no repeat whose tests all ran to their end")
    unfit = {test.repeat for test in report.tests if test.unfit}
    warmups = {test.repeat for test in report.tests if "warmup" in test.unfit}
    is_fit = bool(repeats - unfit)
    repeats = repeats - unfit or repeats - warmups or repeats
    counted = [test for test in report.tests if test.repeat in repeats]
    tests: dict[str, dict[int, TestRun]] = defaultdict(dict)
    for test in counted:
        if test.repeat in tests[test.name]:
            _refuse(name, f"has {printable_line(test.name, 200)} twice in repeat {test.repeat}", RecordingError)
        if test.status == "passed":
            tests[test.name][test.repeat] = _run(test)
    tests = {test: runs for test, runs in tests.items() if len(runs) == len(repeats)}
    device = report.device
    return Session(
        name=name,
        created_utc=report.created_utc,
        device=device.identity or f"{device.kind} {device.model}",
        power_profile=report.power_profile.sha256,
        conditions=_conditions(report),
        repeats=tuple(sorted(repeats)),
        tests=tests,
        session=session if isinstance(session := report.settings.get("session"), str) else "",
        is_fit=is_fit,
        not_passed=frozenset(test.name for test in counted if test.status != "passed"),
        origin=_origin(report),
        failed=frozenset(test.name for test in report.tests if test.status == "failed"),
        places={
            qualified_name(source.module, f"{source.class_}.{source.name}"): SourcePlace(
                source.class_, source.name, source.file, source.line or 0
            )
            for source in report.methods
            if source.file
        },
        warnings=tuple((warning.code, warning.message) for warning in report.warnings),
        busy=_busy(report, unfit - repeats - warmups - lost, tests),
    )


def _busy(report: _Report, repeats: Collection[int], tests: Collection[str]) -> dict[int, dict[str, TestRun]]:
    """Return the runs of some repeats, if all `tests` passed in the repeat."""
    found: dict[int, dict[str, TestRun]] = {repeat: {} for repeat in sorted(repeats)}
    for test in report.tests:
        if test.repeat in found and test.status == "passed" and test.name in tests:
            found[test.repeat][test.name] = _run(test)
    return {repeat: runs for repeat, runs in found.items() if len(runs) == len(tests)}


def _run(test: _Test) -> TestRun:
    threads: dict[str, float] = defaultdict(float)
    methods: dict[str, float] = defaultdict(float)
    inclusive: dict[str, float] = defaultdict(float)
    calls: dict[str, int] = defaultdict(int)
    unknown: set[Subject] = set()
    has_calls = has_inclusive = True
    for thread in test.threads:
        if thread.energy_j is None:
            unknown.add(Subject("thread", thread.name, ""))
        elif thread.role == "app":
            threads[thread.name] += thread.energy_j
        for method in thread.methods:
            name = qualified_name(method["module"], f"{method['class']}.{method['name']}{method['descriptor']}")
            if method["exclusive_j"] is None:
                unknown.add(Subject("method", name, ""))
            else:
                methods[name] += method["exclusive_j"]
                has_inclusive &= method.get("inclusive_j") is not None
                inclusive[name] += method.get("inclusive_j") or 0.0
            has_calls &= "calls" in method
            calls[name] += method.get("calls", 0)
    known: tuple[tuple[Energy, dict[str, float] | None], ...] = (
        ("app", test.app_components),
        ("base", test.base_components),
        ("total", test.components),
    )
    energies = {energy: components for energy, components in known if components is not None}
    wall_s = None if test.wall_ns is None else test.wall_ns / 1e9
    return TestRun(
        energies,
        dict(threads),
        dict(methods),
        frozenset(unknown),
        dict(inclusive) if has_inclusive else None,
        dict(calls) if has_calls else None,
        wall_s,
    )


def _origin(report: _Report) -> Origin:
    git = report.provenance.git
    settings = json.dumps({name: value for name, value in report.settings.items() if name not in SCHEDULE}, sort_keys=True)
    digest = hashlib.sha256(settings.encode("utf-8", "surrogatepass")).hexdigest()
    revision, dirty = ("", None) if git is None else (git.revision, git.dirty)
    return Origin(report.project, revision, dirty, digest, report.provenance.navitas_version)


def _conditions(report: _Report) -> dict[str, str]:
    java, evidence = report.provenance.java, report.evidence
    levels = {component: level.level for component, level in evidence.components.items()}
    found = recorded_conditions(levels, evidence.time, report.settings, report.project, report.device.fingerprint)
    found |= {"Java of the tests": ", ".join(java.tests), "compiler (Java of the build)": java.build or ""}
    return found | {"Navitas": report.provenance.navitas_version}


def _check_kind(text: str | bytes, name: str) -> None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        _refuse(name, "is not JSON")
    if not isinstance(document, dict) or "schema_version" not in document or "tests" not in document:
        _refuse(name, "is not a JSON report")
    if document["schema_version"] != 2:
        version = printable_line(str(document["schema_version"]), 20)
        _refuse(name, f"has version {version} of the JSON report, and this Navitas compares version 2")


def _refuse(name: str, problem: str, kind: type[NavitasError] = UsageError) -> NoReturn:
    raise kind(f"{name} {problem}", "Give recordings, or JSON reports of `navitas report RECORDING -o FILE.json`.")

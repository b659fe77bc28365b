"""The figures of one session: the runs of one recording, from its JSON report."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, NoReturn, NotRequired

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from navitas.base.errors import NavitasError, RecordingError, UsageError
from navitas.base.model_defects import first_defect
from navitas.base.untrusted_text import printable_line
from navitas.insight.compare.source_place import SourcePlace
from navitas.insight.compare.subject import ALL_TESTS, Energy, Kind, Subject

Joules = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class TestRun:
    """Joules of one run of a test: of each energy by component, of the app's threads by name, and of methods without callees.

    Reports and histories of older versions have only the energy `total`. `unknown` are threads and methods whose energy is not
    known, or only a part of it.
    """

    __test__ = False  # for pytest

    energies: dict[Energy, dict[str, float]]
    threads: dict[str, float]
    methods: dict[str, float]
    unknown: frozenset[Subject] = frozenset()
    inclusive: dict[str, float] | None = None
    """Joules of methods with callees. None if they were not kept, as in a history."""
    calls: dict[str, int] | None = None
    """Calls of methods. None if they were not kept."""
    wall_s: float | None = None
    """How long the test ran. None if that was not kept."""
    operations: int | None = None
    """How many operations of a census ran. None without a census."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What was measured: the project, its git revision (empty if unknown; `dirty`: with changes), and how.

    `settings` is a digest of the recording's options, `navitas_version` the version that recorded.
    """

    project: str = ""
    revision: str = ""
    dirty: bool | None = None
    settings: str = ""
    navitas_version: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """The runs of one recording. `tests` has those that passed, by test and repeat, of `repeats` that count.

    `conditions` can differ with a warning only: evidence, project, settings, system.
    """

    name: str
    created_utc: str
    device: str
    power_profile: str
    conditions: dict[str, str]
    repeats: tuple[int, ...]
    tests: dict[str, dict[int, TestRun]]
    not_passed: frozenset[str]
    session: str = ""
    """The same for versions that ran in turns; empty if there was one version."""
    is_fit: bool = True
    """Whether the repeats that count are fit. Otherwise the device was busy or hot in all repeats."""
    origin: Origin = Origin()
    failed: frozenset[str] = frozenset()
    """The tests that failed in some run."""
    places: Mapping[str, SourcePlace] = field(default_factory=dict)
    """Where methods begin in the source code, by the name of the method without its descriptor, as far as known."""
    warnings: tuple[tuple[str, str], ...] = ()
    """The codes and messages of the report's warnings. A history does not keep them."""
    busy: Mapping[int, Mapping[str, TestRun]] = field(default_factory=dict)
    """By repeat, the runs of `tests` that do not count because the device was busy or hot. A history does not keep them."""

    def with_busy_runs(self) -> Session:
        """Return the session with its busy runs, which are as good as others for what does not depend on time."""
        tests = {
            test: {**runs, **{repeat: busy[test] for repeat, busy in self.busy.items()}} for test, runs in self.tests.items()
        }
        return replace(self, repeats=(*self.repeats, *self.busy), tests=tests, busy={})

    @property
    def unknown(self) -> frozenset[Subject]:
        """Threads and methods without energy in any run, because a thread's CPU time is unknown."""
        return frozenset[Subject]().union(*(run.unknown for runs in self.tests.values() for run in runs.values()))

    @property
    def choice(self) -> str:
        """Which tests were chosen, by the options that the recording keeps."""
        chosen = ((name, self.conditions.get(f"setting {name}")) for name in ("tests", "module"))
        return ", ".join(f"--{name} {value}" for name, value in chosen if value) or "all tests"

    def has(self, energy: Energy) -> bool:
        """Whether all runs have this energy."""
        return all(energy in run.energies for runs in self.tests.values() for run in runs.values())

    def joules(self, tests: Iterable[str]) -> dict[Subject, np.ndarray]:
        """Return the figures of some tests, which passed in all repeats: an array by repeat each."""
        places = {repeat: place for place, repeat in enumerate(self.repeats)}
        sums: dict[tuple[Kind, Energy | Literal[""]], dict[str, list[float]]] = defaultdict(
            lambda: defaultdict(lambda: [0.0] * len(places))
        )
        for test in tests:
            for repeat, run in self.tests[test].items():
                place = places[repeat]
                for energy, components in run.energies.items():
                    whole, of_test, by_component = (
                        sums["all", energy][ALL_TESTS],
                        sums["test", energy][test],
                        sums["component", energy],
                    )
                    for name, energy_j in components.items():
                        whole[place] += energy_j
                        of_test[place] += energy_j
                        by_component[name][place] += energy_j
                threads, methods = sums["thread", ""], sums["method", ""]
                for name, energy_j in run.threads.items():
                    threads[name][place] += energy_j
                for name, energy_j in run.methods.items():
                    methods[name][place] += energy_j
        subjects = [Subject(kind, name, energy) for (kind, energy), by_name in sums.items() for name in by_name]
        rows = np.array([row for by_name in sums.values() for row in by_name.values()])
        return dict(zip(subjects, rows, strict=True))


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


def in_shared_sessions(before: Sequence[Session], after: Sequence[Session]) -> list[Session] | None:
    """Return the sessions after in the order of those before, if the versions ran in turns in the same sessions."""
    known = {one.session: one for one in after}
    ids = [one.session for one in before]
    is_shared = all(ids) and len(set(ids)) == len(ids) == len(after) and known.keys() == set(ids)
    return [known[each] for each in ids] if is_shared else None


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
    settings = json.dumps({name: value for name, value in report.settings.items() if name not in _SCHEDULE}, sort_keys=True)
    digest = hashlib.sha256(settings.encode("utf-8", "surrogatepass")).hexdigest()
    revision, dirty = ("", None) if git is None else (git.revision, git.dirty)
    return Origin(report.project, revision, dirty, digest, report.provenance.navitas_version)


def _conditions(report: _Report) -> dict[str, str]:
    java, evidence = report.provenance.java, report.evidence
    levels = {component: level.level for component, level in evidence.components.items()}
    found = recorded_conditions(levels, evidence.time, report.settings, report.project, report.device.fingerprint)
    found |= {"Java of the tests": ", ".join(java.tests), "compiler (Java of the build)": java.build or ""}
    return found | {"Navitas": report.provenance.navitas_version}


def recorded_conditions(
    levels: Mapping[str, str], time: str, settings: Mapping[str, object], project: str, system: str
) -> dict[str, str]:
    """Return what else than code can change a recording's energy, by name.

    `levels` are the levels of evidence by component, and `time` is the evidence of the times of calls.
    """
    found = {f"evidence of {component}": level for component, level in levels.items()}
    found |= {f"setting {name}": str(value) for name, value in settings.items() if name not in _SCHEDULE}
    return found | {"evidence of time": time, "project": project, "system": system}


_SCHEDULE = ("repeat", "warmup", "until_percent", "max_repeat", "seed", "session")
"""Settings of how often and in which order tests run."""


def qualified_name(module: str, name: str) -> str:
    """Return the name of a test or method with its Gradle module, except in the root project."""
    return name if module in ("", ":") else f"{module}:{name}"


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

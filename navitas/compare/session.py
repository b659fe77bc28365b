"""The figures of one session: the runs of one recording, from its JSON report."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, NoReturn

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from navitas.errors import UsageError
from navitas.model_defects import first_defect
from navitas.untrusted_text import printable_line

Kind = Literal["total", "component", "test", "thread", "method"]
Joules = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]


class Subject(NamedTuple):
    """What is compared: all tests together, or one component, test, thread (by name) or method."""

    kind: Kind
    name: str


@dataclass(frozen=True, slots=True)
class Session:
    """The runs of one recording. `joules` has a value for each run that counts."""

    name: str
    device: str
    power_profile: str
    evidence: dict[str, str]
    joules: dict[Subject, np.ndarray]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Device(_Part):
    kind: str
    model: str


class _Thread(_Part):
    name: str
    role: str
    energy_j: Joules


class _Test(_Part):
    module: str
    class_: str = Field(alias="class")
    method: str
    repeat: Annotated[int, Field(ge=0)]
    status: str
    energy_j: Joules
    components: dict[str, Joules]
    threads: list[_Thread]


class _Values(_Part):
    values: list[Joules]


class _Method(_Part):
    module: str
    class_: str = Field(alias="class")
    name: str
    descriptor: str
    exclusive_j: _Values


class _Level(_Part):
    level: str


class _Evidence(_Part):
    components: dict[str, _Level]


class _PowerProfile(_Part):
    sha256: str


class _Report(_Part):
    schema_version: Literal[2]
    device: _Device
    power_profile: _PowerProfile
    evidence: _Evidence
    tests: list[_Test]
    methods: list[_Method]


def parse_session(text: str | bytes, name: str) -> Session:
    """Return the session of a JSON report. Runs that were cut, and their repeats of other figures, do not count.

    Raises `UsageError` that names `name` if it is not a JSON report, or has no run that counts.
    """
    try:
        report = _Report.model_validate_json(text)
    except ValidationError as error:
        _check_kind(text, name)
        place, message = first_defect(error)
        _refuse(name, f"is damaged at {printable_line(place, 100)}: {printable_line(message, 200)}")
    whole = _whole_repeats(report)
    if not whole:
        _refuse(name, "has no repeat whose tests all ran to their end")
    sums: dict[Subject, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for test in report.tests:
        if test.repeat in whole:
            sums[Subject("total", "all tests")][test.repeat] += test.energy_j
            sums[Subject("test", _named(test.module, f"{test.class_}#{test.method}"))][test.repeat] += test.energy_j
            for component, energy_j in test.components.items():
                sums[Subject("component", component)][test.repeat] += energy_j
            for thread in test.threads:
                if thread.role == "app":
                    sums[Subject("thread", thread.name)][test.repeat] += thread.energy_j
    for method in report.methods:
        subject = Subject("method", _named(method.module, f"{method.class_}.{method.name}{method.descriptor}"))
        for repeat, energy_j in enumerate(method.exclusive_j.values):
            if repeat in whole:
                sums[subject][repeat] += energy_j
    order = sorted(whole)
    joules = {subject: np.array([values.get(repeat, 0.0) for repeat in order]) for subject, values in sums.items()}
    evidence = {component: level.level for component, level in report.evidence.components.items()}
    return Session(name, f"{report.device.kind} {report.device.model}", report.power_profile.sha256, evidence, joules)


def _whole_repeats(report: _Report) -> set[int]:
    found = {test.repeat for test in report.tests}
    return found - {test.repeat for test in report.tests if test.status == "cut"}


def _named(module: str, name: str) -> str:
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


def _refuse(name: str, problem: str) -> NoReturn:
    raise UsageError(f"{name} {problem}", "Give recordings, or JSON reports of `navitas report RECORDING -o FILE.json`.")

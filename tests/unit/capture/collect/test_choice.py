"""Choosing tests over several bundles, on a device that only lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from navitas.base.errors import UsageError
from navitas.capture.bundle.manifest import BundleManifest, TestTask
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.runs.choice import choose
from navitas.capture.collect.runs.target import RunnerError
from navitas.capture.device.base import Device, DeviceInfo, ShellResult


@dataclass
class ListingDevice:
    """Tests by package; a package without an entry cannot be listed. Named classes are looked up in `hidden`."""

    tests: dict[str, list[str]]
    hidden: dict[str, list[str]] = field(default_factory=dict)

    @property
    def info(self) -> DeviceInfo:
        return DeviceInfo("virtual", "serial-1", "", "", 33)

    def shell(self, command: str, *, timeout_s: float | None = None) -> ShellResult:
        if command == "pm list instrumentation":
            packages = [*self.tests, "broken", "cut"]
            return self._said("".join(f"instrumentation:{name}/R (target={name})\n" for name in packages))
        package = command.rpartition(" ")[2].removesuffix("/R")
        if package == "broken":
            return self._said("INSTRUMENTATION_RESULT: shortMsg=no JUnit\nINSTRUMENTATION_CODE: 0\n")
        if package == "cut":
            return self._said(self._status("p.CutTest#first"))
        if "-e class " in command:
            wanted = command.partition("-e class ")[2].split()[0].split(",")
            tests = [test for name in wanted for test in self.hidden.get(name, [f"{name}#initializationError"])]
        else:
            tests = self.tests[package]
        return self._said("".join(self._status(test) for test in tests) + "INSTRUMENTATION_CODE: -1\n")

    @staticmethod
    def _status(test: str) -> str:
        name, _, method = test.removesuffix(" container").partition("#")
        container = str(test.endswith(" container")).lower()
        fields = {"class": name, "current": 1, "navitas.container": container, "numtests": 1, "test": method}
        values = "".join(f"INSTRUMENTATION_STATUS: {key}={value}\n" for key, value in fields.items())
        return f"{values}INSTRUMENTATION_STATUS_CODE: 1\n{values}INSTRUMENTATION_STATUS_CODE: 0\n"

    @staticmethod
    def _said(text: str) -> ShellResult:
        return ShellResult(0, text.encode(), b"")


def bundle(package: str, **task: object) -> Bundle:
    manifest = BundleManifest(
        schema_version=1,
        package=package,
        module=f":{package}",
        project="p",
        map_id="0" * 16,
        class_path=["classes"],
        test_roots=["test-classes"],
        working_dir="/",
        jvm_args=[],
        system_properties={},
        environment={},
        java_home=None,
        warnings=[],
        test_task=TestTask.model_validate(task),
    )
    return Bundle(Path("x"), manifest, b"", Path("/"))


def chosen(device: ListingDevice, bundles: list[Bundle], *patterns: str) -> dict[str, tuple[str, ...]]:
    choices = choose(cast(Device, device), bundles, patterns, lambda *_: None)
    return {choice.bundle.manifest.package: choice.class_arguments for choice in choices}


DEVICE = ListingDevice(
    {"a": ["MainTest#t", "MainTest#u"], "b": ["MainTest#t"], "c": ["OtherTest#t"], "d": []},
    hidden={"p.SlowTest": ["p.SlowTest#slow"]},
)


def test_what_the_build_would_run_runs() -> None:
    bundles = [bundle("a", exclude=["MainTest.u"]), bundle("b", enabled=False), bundle("c"), bundle("d")]
    assert chosen(DEVICE, bundles) == {"a": ("MainTest#t",), "c": ("",)}


def test_a_pattern_takes_what_is_left_out_only_when_it_names_nothing_else() -> None:
    bundles = [bundle("a", exclude=["MainTest.u"]), bundle("b", enabled=False), bundle("d", left_out=["p.SlowTest", "p.Help"])]
    assert chosen(DEVICE, bundles, "MainTest") == {"a": ("MainTest#t",)}
    assert chosen(DEVICE, bundles, "MainTest#u") == {"a": ("MainTest#u",)}
    assert chosen(DEVICE, bundles, "SlowTest") == {"d": ("p.SlowTest",)}
    assert chosen(DEVICE, bundles, "p.*", "MainTest#t") == {"a": ("MainTest#t",), "d": ("p.SlowTest",)}
    with pytest.raises(UsageError, match="Help"):
        chosen(DEVICE, bundles, "Help")


def test_without_any_test_to_run_the_reason_is_reported() -> None:
    with pytest.raises(UsageError, match=r":b: no test would run: the build's task `test` is disabled"):
        chosen(DEVICE, [bundle("b", enabled=False)])
    with pytest.raises(UsageError, match=r":d: .* leaves them out"):
        chosen(DEVICE, [bundle("d", left_out=["p.SlowTest"])])
    with pytest.raises(UsageError, match="no runnable JUnit test"):
        chosen(DEVICE, [bundle("d")])


def test_a_bundle_that_cannot_be_listed_does_not_stop_the_others() -> None:
    warnings: list[tuple[str, ...]] = []
    bundles = [bundle("broken"), bundle("absent"), bundle("c")]
    choices = choose(cast(Device, DEVICE), bundles, (), lambda *words: warnings.append(words))
    assert [choice.bundle.manifest.package for choice in choices] == ["c"]
    codes, messages, remedies = zip(*warnings, strict=True)
    assert set(codes) == {"tests_not_listed"} and all(remedies)
    assert messages == (
        ":broken is left out: broken: its tests cannot be listed: no JUnit",
        ":absent is left out: device serial-1: no instrumentation for absent is installed",
    )
    with pytest.raises(RunnerError):
        chosen(DEVICE, [bundle("broken")])


def test_a_list_that_was_cut_off_does_not_pass_for_all() -> None:
    with pytest.raises(RunnerError, match="ended without a result"):
        chosen(DEVICE, [bundle("cut")])


def test_an_invocation_of_a_container_can_be_named() -> None:
    device = ListingDevice({"a": ["p.CalcTest#squares container", "p.CalcTest#adds"], "b": ["p.CalcTest#other"]})
    bundles = [bundle("a", framework="junit-platform"), bundle("b")]
    assert chosen(device, bundles, "CalcTest#squares[2]") == {"a": ("p.CalcTest#squares[2]",)}
    assert chosen(device, bundles, "CalcTest#squares[2]", "CalcTest#adds") == {"a": ("p.CalcTest#adds,p.CalcTest#squares[2]",)}
    with pytest.raises(UsageError, match=r"CalcTest#adds\[2\]"):
        chosen(device, bundles, "CalcTest#adds[2]")


def test_modules_with_testng_are_left_out_and_reported() -> None:
    warnings: list[str] = []
    bundles = [bundle("a", framework="testng"), bundle("c")]
    choices = choose(cast(Device, DEVICE), bundles, (), lambda _code, message, _remedy: warnings.append(message))
    assert [choice.bundle.manifest.package for choice in choices] == ["c"]
    assert warnings == [":a is left out: its tests use TestNG, which is not supported"]
    with pytest.raises(RunnerError, match="TestNG"):
        chosen(DEVICE, bundles[:1])


def test_as_many_test_classes_share_a_process_as_the_build_says() -> None:
    tests = ["p.ATest#a", "p.ATest#b", "p.BTest#c", "p.BTest$Inner#d", "p.CTest#e"]
    device = ListingDevice({"a": tests})
    assert chosen(device, [bundle("a", fork_every=0)]) == {"a": ("",)}
    assert chosen(device, [bundle("a", fork_every=3)]) == {"a": ("p.ATest,p.BTest,p.BTest$Inner", "p.CTest")}
    assert chosen(device, [bundle("a", fork_every=9)]) == {"a": ("",)}
    each = chosen(device, [bundle("a", fork_every=1)])["a"]
    assert each == ("p.ATest", "p.BTest#c", "p.BTest$Inner", "p.CTest")
    platform = bundle("a", fork_every=1, framework="junit-platform")
    assert chosen(device, [platform])["a"] == ("p.ATest", "p.BTest,p.BTest$Inner", "p.CTest")

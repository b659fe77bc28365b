"""A recording says what it cannot have of a bundle: calls of APIs that it has not hooked, and what R8 changes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.bundle_maker import ANDROID_MANIFEST, MANIFEST

from navitas.capture.bundle.manifest import AndroidManifest, BundleManifest, CommonManifest
from navitas.capture.collect.opened import Opened
from navitas.capture.collect.options import Granularity, ProfileOptions, Record


def warned(build: CommonManifest, options: ProfileOptions, kind: str = "virtual") -> list[tuple[str, ...]]:
    """The warnings of a recording of a bundle."""
    warnings: list[tuple[str, ...]] = []
    writer = SimpleNamespace(warn=lambda *words: warnings.append(words))
    device, unused = SimpleNamespace(info=SimpleNamespace(kind=kind)), cast(Any, None)
    Opened(cast(Any, writer), unused, cast(Any, device), unused).warn_of_build(build, options)
    return warnings


def java(hooks: bool | None) -> BundleManifest:
    """A bundle of Java code; None: of a build that does not say whether it has hooks."""
    return BundleManifest.model_validate(MANIFEST | ({} if hooks is None else {"hooks": hooks}))


@pytest.mark.parametrize("record", ["sampling", "hooks", "both"])
def test_a_bundle_without_hooks_is_named_with_the_remedy(record: Record) -> None:
    ((code, message, remedy),) = warned(java(hooks=False), ProfileOptions(record=record))
    assert code == "no_hooks"
    assert "org.example.sample" in message and f"--record {record}" in message
    assert "-Pnavitas.hooks=true" in remedy
    assert warned(AndroidManifest.model_validate(ANDROID_MANIFEST | {"hooks": False}), ProfileOptions(record=record))


@pytest.mark.parametrize("hooks", [True, None])
def test_a_bundle_that_has_or_may_have_hooks_has_no_warning(hooks: bool | None) -> None:
    assert warned(java(hooks), ProfileOptions(record="hooks")) == []


@pytest.mark.parametrize(("record", "granularity"), [("none", "method"), ("hooks", "test"), ("hooks", "class")])
def test_a_recording_without_calls_needs_no_hooks(record: Record, granularity: Granularity) -> None:
    assert warned(java(hooks=False), ProfileOptions(record=record, granularity=granularity)) == []


def test_the_builds_warnings_are_in_the_recording() -> None:
    build = java(hooks=False).model_copy(update={"warnings": ["an old Gradle", "no debug information"]})
    found = [(code, message) for code, message, _ in warned(build, ProfileOptions(record="hooks"))]
    assert found[:2] == [("build", "an old Gradle"), ("build", "no debug information")] and found[2][0] == "no_hooks"


def test_a_virtual_phone_does_not_run_what_r8_makes() -> None:
    minified = AndroidManifest.model_validate(ANDROID_MANIFEST | {"minified": True})
    ((code, message, remedy),) = warned(minified, ProfileOptions())
    assert code == "build" and ":app: a virtual phone runs demoDebug" in message and "on a phone" in remedy
    assert warned(minified, ProfileOptions(), kind="phone") == []
    assert warned(AndroidManifest.model_validate(ANDROID_MANIFEST), ProfileOptions()) == []

"""The command line of the JVM of plain Java tests."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.bundle_maker import MANIFEST

from navitas.capture.bundle.manifest import BundleManifest
from navitas.virtual_phone import am_instrument
from navitas.virtual_phone.package import Package


@pytest.mark.parametrize("probed", [None, "probed.zip"])
def test_the_agent_with_probes_starts_before_those_of_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, probed: str | None
) -> None:
    monkeypatch.setattr(am_instrument, "jar", lambda name: Path("/jars") / name)
    monkeypatch.setattr(am_instrument, "choose_java", lambda home, allowed: ("java", ""))
    manifest = BundleManifest.model_validate({**MANIFEST, "jvm_args": ["-javaagent:own.jar"], "probed_classes": probed})
    package = Package(manifest, 10_000, tmp_path / "code", tmp_path / "data")
    files, stacks = SimpleNamespace(root=tmp_path), SimpleNamespace(agent=lambda _: [])
    host = SimpleNamespace(files=files, log_address=tmp_path / "log", jdks=None, stacks=stacks)
    argv = am_instrument.launch_java(cast(Any, host), package, manifest, []).argv("stream")
    agent = [f"-javaagent:/jars/navitas-phone.jar={tmp_path}/code/probed.zip"] if probed else []
    assert [word for word in argv if word.startswith("-javaagent:")] == [*agent, "-javaagent:own.jar"]

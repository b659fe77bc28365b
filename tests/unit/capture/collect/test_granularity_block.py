"""`--granularity block`: the runtime's settings, the builds that fit, and the warning of its report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.bundle_maker import FILES, MANIFEST, make
from support.capture import Capture
from support.golden import GOLDEN

import navitas
from navitas.base.errors import ExitCode
from navitas.capture.bundle.manifest import parse_manifest
from navitas.capture.collect.options import Granularity, ProfileOptions, probes_of
from navitas.capture.collect.runs.runtime_config import properties
from navitas.cli.main import run
from navitas.energy.analyze.notices import notices


def test_the_runtime_counts_executions_and_records_no_calls() -> None:
    lines = properties(ProfileOptions(granularity="block"), [], "/out", 0, probes=False).decode().splitlines()
    assert "blocks=true" in lines and "mode=none" in lines
    assert b"blocks" not in properties(ProfileOptions(), [], "/out", 0)


@pytest.mark.parametrize(
    ("granularity", "probes"), [("test", "methods"), ("class", "methods"), ("method", "methods"), ("block", "blocks")]
)
def test_each_granularity_has_its_build(granularity: Granularity, probes: str) -> None:
    assert probes_of(granularity) == probes


def test_a_bundle_without_a_kind_has_the_probes_of_methods() -> None:
    assert parse_manifest(json.dumps(MANIFEST).encode()).probes == "methods"
    assert parse_manifest(json.dumps(MANIFEST | {"probes": "blocks"}).encode()).probes == "blocks"


@pytest.mark.parametrize(
    ("probes", "granularity", "remedy"),
    [
        ("blocks", "method", "-Pnavitas.probes=methods, or use --granularity block"),
        ("blocks", "test", "-Pnavitas.probes=methods, or use --granularity block"),
        ("methods", "block", "-Pnavitas.probes=blocks, or use --granularity method"),
        ("none", "method", "-Pnavitas.probes=methods, or use --granularity test"),
    ],
)
def test_a_bundle_of_another_build_is_refused(
    probes: str, granularity: str, remedy: str, tmp_path: Path, capsys: Capture
) -> None:
    bundle = make(tmp_path / "a.bundle.zip", FILES | {"bundle.json": json.dumps(MANIFEST | {"probes": probes})})
    assert run(["profile", "--bundle", str(bundle), "--granularity", granularity]) == ExitCode.USAGE
    said = " ".join(capsys.readouterr().err.split())
    assert f"probes of kind '{probes}'" in said and remedy in said


def test_the_report_says_that_counters_cost_time() -> None:
    profile = navitas.load(GOLDEN)
    assert "block_counters" not in {each.code for each in notices(profile)}
    profile.about = replace(profile.about, settings={"granularity": "block"})
    assert "block_counters" in {each.code for each in notices(profile)}

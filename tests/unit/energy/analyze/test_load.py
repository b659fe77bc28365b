"""`navitas.load` reads a recording for scripts."""

from __future__ import annotations

import io
import json
from os import PathLike
from pathlib import Path
from typing import IO

import pytest
from support.golden import GOLDEN
from support.reports import data_of

import navitas
from navitas.base.errors import PowerProfileError, RecordingError
from navitas.cli.main import run
from navitas.energy.analyze.conserve import check
from navitas.report import json_report


def test_the_golden_recording() -> None:
    profile = navitas.load(GOLDEN)
    assert isinstance(profile, navitas.Profile)
    assert check(profile) == []
    assert not [notice for notice in profile.warnings if notice.code == "not_conserved"]
    assert profile.components == ("cpu",) and profile.evidence[0].component == "cpu"
    manifest = json.loads((GOLDEN / "manifest.json").read_text())
    assert profile.about.project == profile.project == manifest["project"]["name"]
    assert profile.about.created_utc == manifest["created_utc"] != ""
    assert profile.tests and all(test.energy_j > 0 for test in profile.tests if test.wall_ns)
    assert profile.method_totals() and profile.thread_totals()
    assert profile.totals.energy_j == pytest.approx(sum(test.energy_j for test in profile.tests) + profile.totals.outside_tests_j)
    assert profile.tests[0].alternative_j is None


def test_a_recording_can_be_a_string_or_a_path(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    assert run(["report", str(GOLDEN), "--json", str(target)]) == 0
    assert data_of(json_report.write, navitas.load(str(GOLDEN))) == json.loads(target.read_text("utf-8"))


def test_an_alternative_model_changes_no_other_figure() -> None:
    plain, both = navitas.load(GOLDEN), navitas.load(GOLDEN, alternative="paper1")
    assert both.totals == plain.totals
    assert both.ledger.alternative == "paper1"
    for test, before in zip(both.tests, plain.tests, strict=True):
        assert test.energy_j == before.energy_j
        assert test.alternative_j is not None and (test.alternative_j > 0) == (test.wall_ns > 0)


@pytest.mark.parametrize(
    ("warned", "lost", "named"),
    [
        ([0], [0, 1], ["runs/1: 5 × rail_readings lost"]),
        ([0], [None], ["5 × rail_readings lost"]),
        ([0, 1], [0, 1], []),
        ([None], [0, 1, None], []),
        ([], [0, None], ["runs/0: 5 × rail_readings lost", "5 × rail_readings lost"]),
    ],
)
def test_a_loss_has_a_warning_unless_its_run_has_one(
    recording: Path, warned: list[int | None], lost: list[int | None], named: list[str]
) -> None:
    path = recording / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["schema_minor"] = 1
    manifest["warnings"] = [{"code": "rail_readings", "message": "readings are missing", "run": run} for run in warned]
    manifest["losses"] = [{"what": "rail_readings", "count": 5, "run": run} for run in lost]
    path.write_text(json.dumps(manifest), "utf-8")
    assert [notice.message for notice in navitas.load(path.parent).warnings if notice.code == "loss"] == named


def test_a_missing_power_profile_has_a_remedy(recording: Path) -> None:
    (recording / "power_profile.xml").unlink()
    with pytest.raises(PowerProfileError) as caught:
        navitas.load(recording)
    assert str(recording / "power_profile.xml") in caught.value.message
    assert "Copy the recording again" in caught.value.remedy and "--power-profile" in caught.value.remedy


def test_other_folders_and_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError) as caught:
        navitas.load(tmp_path)
    assert str(tmp_path) in caught.value.message and caught.value.remedy


def test_a_parquet_file_is_written_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    profile, target, link = navitas.load(GOLDEN), tmp_path / "energy.parquet", tmp_path / "link.parquet"
    link.symlink_to(target.name)
    profile.write_parquet(str(link))
    assert link.is_symlink() and parquet.read_table(target).num_rows == len(profile.ledger.energy)
    whole = target.read_bytes()

    def fails(table: object, out: IO[bytes] | str | PathLike[str]) -> None:
        if isinstance(out, str | PathLike):
            Path(out).write_bytes(b"half")
        else:
            out.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(parquet, "write_table", fails)
    with pytest.raises(OSError, match="disk full"):
        profile.write_parquet(target)
    assert target.read_bytes() == whole and sorted(tmp_path.iterdir()) == [target, link]


def test_parquet_goes_to_a_stream() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    profile, out = navitas.load(GOLDEN), io.BytesIO()
    profile.write_parquet(out)
    assert parquet.read_table(io.BytesIO(out.getvalue())).num_rows == len(profile.ledger.energy)

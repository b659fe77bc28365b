"""Damaged recordings give a report that conserves energy and counts losses, or an error that names a file."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from random import Random

import pytest
from damage import chunks_of, damage, missing_of
from damaged_recordings import conservation
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import made_samples
from support import chunk_writer as cw

import navitas
from navitas.base.errors import NavitasError, PowerProfileError, RecordingError
from navitas.energy.analyze.conserve import check


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return made_samples(tmp_path_factory.mktemp("samples"))


@pytest.fixture
def recording(samples: list[Path], tmp_path: Path) -> Path:
    """A copy of the plain one."""
    return shutil.copytree(next(sample for sample in samples if sample.name == "plain"), tmp_path / "r")


@settings(max_examples=60)
@given(number=st.integers(0, 100), random=st.integers(0, 1 << 32).map(Random))
def test_a_damaged_recording_gives_a_report_or_an_error_with_a_file(samples: list[Path], number: int, random: Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "recording"
        shutil.copytree(samples[number % len(samples)], recording)
        done = damage(recording, random)
        try:
            made = navitas.load(recording)
        except NavitasError as error:
            assert str(recording) in error.message and error.remedy
            assert not done.is_plain_loss, done
            return
    assert check(made) == []
    if done.missing_log is not None:
        assert sum(lost.count for lost in made.losses if lost.what == "logcat_chunks") == done.missing_log
    elif done.missing is not None:
        assert sum(lost.count for lost in made.losses if lost.what == "chunks") == done.missing
        assert all(lost.serial is not None for lost in made.losses if lost.what == "chunks")


def test_lost_chunks_are_counted_by_thread(recording: Path) -> None:
    path = next((recording / "runs" / "0").glob("*.nvch"))
    chunks = chunks_of(path.read_bytes())
    calls = [(number, chunk.head) for number, chunk in enumerate(chunks)]
    workers = [number for number, head in calls if head["type"] == 1 and head["serial"] == 2][1:8:2]
    kept = [chunk for number, chunk in enumerate(chunks) if number not in workers]
    path.write_bytes(b"".join(chunk.data for chunk in kept))
    made = navitas.load(recording)
    lost = [(one.what, one.count, one.run, one.serial, one.thread) for one in made.losses]
    assert lost == [("chunks", missing_of(kept), 0, 2, "worker-1")]
    assert any(f"(worker-1: {len(workers)})" in warning.message for warning in made.warnings)


def test_zeroed_bytes_are_counted_by_file(recording: Path) -> None:
    path = next((recording / "runs" / "0").glob("*.nvch"))
    data = bytearray(path.read_bytes())
    at = data.index(b"worker-2")
    data[at : at + 700] = bytes(700)
    path.write_bytes(data)
    made = navitas.load(recording)
    (damaged,) = (lost for lost in made.losses if lost.what == "damaged_bytes")
    assert damaged.file == f"runs/0/{path.name}" and damaged.count >= 700
    assert sum(lost.count for lost in made.losses if lost.what == "chunks") > 0
    assert check(made) == []


def test_errors_of_analysis_name_the_recordings_files(recording: Path) -> None:
    path = next((recording / "runs" / "0").glob("*.nvch"))
    whole = path.read_bytes()
    path.write_bytes(whole + cw.chunk(cw.ANCHORS, cw.anchors_payload([(1 << 61, 1)]), 1, serial=99))
    with pytest.raises(RecordingError, match=f"{recording}: .* days apart"):
        navitas.load(recording)
    path.write_bytes(whole)
    profile = recording / "power_profile.xml"
    profile.write_bytes(profile.read_bytes().replace(b"core_speeds", b"core_rates"))
    with pytest.raises(PowerProfileError, match=str(profile)):
        navitas.load(recording)


def test_the_harness_detects_energy_that_is_not_conserved() -> None:
    totals = dict.fromkeys(("threads_j", "other_processes_j", "base_j", "unattributed_j"), 1.0)
    report = {"totals": {**totals, "energy_j": 5.0, "outside_tests_j": 5.0}, "tests": [], "warnings": []}
    assert list(conservation(report)) == ["totals: 4.0 J, not 5.0 J"]

"""The device's shell behaves as recorded from mksh and toybox: quoting, expansion, traps, exit codes, messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.shell_transcripts import Recorder, Transcript, load, missing_programs, text

from navitas.capture.device.base import Device

FOLDER = "/data/local/tmp/navitas-transcript"
TRANSCRIPTS = load()


def _name(transcript: Transcript) -> str:
    return f"{transcript.section}: {transcript.script.splitlines()[0][:50]}"


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=_name)
def test_the_devices_shell_matches_the_transcripts(device: Device, transcript: Transcript) -> None:
    # A shell stops reading a script at an invalid line, so the folder must exist before.
    device.shell(f"rm -rf {FOLDER}; mkdir -p {FOLDER}")
    found = device.shell(f"cd {FOLDER}; {transcript.script}")
    assert (found.exit_code, text(found.stdout), text(found.stderr)) == (transcript.status, transcript.stdout, transcript.stderr)


def test_the_transcripts_match_mksh_and_toybox(tmp_path: Path) -> None:
    """With mksh and toybox installed, each script gives the recorded output."""
    if missing := missing_programs():
        pytest.skip(f"not installed: {missing} (make test-programs)")
    recorder = Recorder(tmp_path)

    def is_same(known: Transcript) -> bool:
        # On a busy machine, the order of background jobs may differ.
        return any(recorder.record(known.section, known.script) == known for _ in range(3))

    assert [known for known in TRANSCRIPTS if not is_same(known)] == []

"""The device's shell does what mksh and toybox did when they were recorded: quoting, expansion, traps, exit codes, messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.shell_transcripts import Recorder, Transcript, load, missing_programs, text

from navitas.device.base import Device

FOLDER = "/data/local/tmp/navitas-transcript"
TRANSCRIPTS = load()


def _name(transcript: Transcript) -> str:
    return f"{transcript.section}: {transcript.script.splitlines()[0][:50]}"


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=_name)
def test_the_device_does_the_same(device: Device, transcript: Transcript) -> None:
    # A script with a wrong line is read no further than that: the folder has to be there before.
    device.shell(f"rm -rf {FOLDER}; mkdir -p {FOLDER}")
    found = device.shell(f"cd {FOLDER}; {transcript.script}")
    assert (found.exit_code, text(found.stdout), text(found.stderr)) == (
        transcript.status,
        transcript.stdout,
        transcript.stderr,
    )


def test_the_transcripts_are_what_the_programs_do(tmp_path: Path) -> None:
    """Where mksh and toybox are installed, each script gives what is recorded."""
    if missing := missing_programs():
        pytest.skip(f"not installed: {missing} (apt install mksh toybox)")
    recorder = Recorder(tmp_path)

    def is_same(known: Transcript) -> bool:
        # Scripts with background jobs may be overtaken on a busy machine.
        return any(recorder.record(known.section, known.script) == known for _ in range(3))

    assert [known for known in TRANSCRIPTS if not is_same(known)] == []

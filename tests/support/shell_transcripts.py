"""Results of scripts in Android's own shell programs: mksh (its /system/bin/sh) and toybox (its other programs).

`tests/contract/transcripts/shell.json` has scripts and their results on Linux with mksh R59 and toybox 0.8.9 from Debian 12,
releases from the time of Android 14. `python tests/support/shell_transcripts.py` records all of them again.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.interruptible import interruptible

TRANSCRIPTS = Path(__file__).parents[1] / "contract" / "transcripts" / "shell.json"
_OWN_PREFIX = re.compile(r"^[EW]: (?=/system/bin/sh)|^(?:Killed|Terminated) *\n", re.MULTILINE)


@dataclass(frozen=True)
class Transcript:
    """A script and its result. Undecodable bytes are surrogates."""

    section: str
    script: str
    status: int
    stdout: str
    stderr: str


def load() -> list[Transcript]:
    """All recorded transcripts."""
    return [Transcript(**entry) for entry in json.loads(TRANSCRIPTS.read_text("utf-8"))]


def text(data: bytes) -> str:
    """Return output as in a transcript, without the prefix that only Debian's mksh adds to messages."""
    return _OWN_PREFIX.sub("", data.decode("utf-8", "surrogateescape"))


def missing_programs() -> str:
    """Return the programs that recording needs and this machine lacks."""
    return ", ".join(name for name in ("mksh", "toybox") if shutil.which(name) is None)


class Recorder:
    """Runs scripts with only mksh and toybox, in a separate folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mksh = shutil.which("mksh") or ""
        toybox = Path(shutil.which("toybox") or "")
        self._programs = folder / "programs"
        self._programs.mkdir()
        for name in subprocess.run([toybox], capture_output=True, check=True, text=True).stdout.split():
            (self._programs / name).symlink_to(toybox)
        (self._programs / "sh").symlink_to(self._mksh)

    def record(self, section: str, script: str) -> Transcript:
        """Run one script as adbd runs it, in an empty folder."""
        place = Path(tempfile.mkdtemp(dir=self._folder))
        environment = {"PATH": str(self._programs), "HOME": "/", "TMPDIR": str(place), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        with interruptible():
            done = subprocess.run(
                ["/system/bin/sh", "-c", script],
                executable=self._mksh,
                cwd=place,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                umask=0,
                start_new_session=True,
            )
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return Transcript(section, script, status, text(done.stdout), text(done.stderr))


def main() -> None:
    """Record all scripts again."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder))
        entries = [asdict(recorder.record(known.section, known.script)) for known in load()]
    TRANSCRIPTS.write_text(json.dumps(entries, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

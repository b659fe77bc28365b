"""Damages traces, logs and stack samples of each form in thousands of ways, and imports each (`make damage`).

Each import must end with a recording, or with an error that names a file. None may end with a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import re
import shutil
import sys
import tempfile
import traceback
import zlib
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "unit/recording/importing"))
from damage import damage_file
from other_forms import LOGS, MESSAGES, log_of, studio_file
from stack_files import FORMS, sampled_file
from support.art_writer import art_trace, streamed
from support.ftrace_writer import Form, comments

from navitas.cli.main import run

PROFILE = """<device name="Android"><item name="cpu.idle">0</item>
<array name="cpu.clusters.cores"><value>2</value></array><item name="cpu.cluster_power.cluster0">0</item>
<array name="cpu.core_speeds.cluster0"><value>500000</value><value>1000000</value></array>
<array name="cpu.core_power.cluster0"><value>20</value><value>100</value></array></device>"""
_MS = 1_000_000
_BEGIN_NS = 5_000_000_000
_LINE = re.compile(r"^ *(.*)-(\d+) +\[(\d+)\] (\S+) +(\d+)\.(\d+): (\w+)", re.MULTILINE)
_ENDS = (0, 2, 4)


class Input(NamedTuple):
    """An undamaged input: a file, and others of which one at a time is the value of an option."""

    path: Path
    option: str = ""
    others: tuple[Path, ...] = ()

    @property
    def kind(self) -> str:
        """The ways in which the file can be damaged."""
        suffix = self.path.suffix
        return "lines" if suffix in (".txt", ".html") else "json" if suffix in (".json", ".logcat") else "bytes"


def samples(folder: Path) -> list[Input]:
    """Write undamaged inputs."""
    form, draw, t_ns = Form(), Random(1), _BEGIN_NS
    text, events = comments(), []
    for number in range(80):
        t_ns += draw.randrange(_MS, 9 * _MS)
        end_ns = t_ns + draw.randrange(_MS, 5 * _MS)
        text += form.frequency(0, t_ns - 1000, draw.choice((500_000, 1_000_000)))
        text += form.switch(0, t_ns, ("swapper/0", 0, "R"), ("main", 100)) + form.switch(0, end_ns, ("main", 100, "S"), ("x", 0))
        events += [(1, 4 + number % 2 * 4, action, 0, (at - _BEGIN_NS) // 1000) for at, action in ((t_ns, 0), (end_ns, 1))]
        t_ns = end_ns
    traces = {
        "kernel.txt": text.encode(),
        "perf.txt": _LINE.sub(r"\1 \2 [\3] \5.\6: sched:\7", text).encode(),
        "latency.txt": _LINE.sub(lambda line: f"{line[1]}-{line[2]} 0{line[4]} {line[5]}{line[6]}us : {line[7]}", text).encode(),
        "atrace-z.txt": b"TRACE:\n" + zlib.compress(text.encode()),
        "trace.json": json.dumps({"traceEvents": [], "systemTraceEvents": text}).encode(),
        "page.html": f'<!DOCTYPE html>\n<script class="trace-data">\n{text}</script>\n'.encode(),
        "trace.txt.gz": gzip.compress(text.encode()),
    }
    logs = {f"log-{name.replace(' ', '-')}.txt": log_of(name, MESSAGES).encode() for name in LOGS}
    logs |= {"studio.logcat": studio_file(MESSAGES).encode(), "log.txt.gz": gzip.compress(log_of("long", MESSAGES).encode())}
    for name, data in (traces | logs).items():
        (folder / name).write_bytes(data)
    methods = folder / "app.trace", folder / "streamed.trace"
    for path, write in zip(methods, (art_trace, streamed), strict=True):
        path.write_bytes(write(events, {1: "main"}, start_us=_BEGIN_NS // 1000))
    stacks = [folder / f"samples.{form}" for form in FORMS]
    for path in stacks:
        path.write_bytes(sampled_file(path.name, _BEGIN_NS, 100))
    (folder / "profile.xml").write_text(PROFILE)
    *files, trace = stacks
    of_traces = [Input(folder / name, "--methods", methods) for name in traces]
    return [*of_traces, *(Input(folder / name) for name in logs), Input(trace), Input(trace, "--stacks", tuple(files))]


def examine(sample: Input, random: Random, folder: Path) -> tuple[int, str]:
    """Import a damaged copy. Returns the exit code, and what the command said."""
    other = [random.choice(sample.others)] if sample.others else []
    copies = [Path(shutil.copy(path, folder)) for path in (sample.path, *other)]
    done = damage_file(*random.choice([(sample.kind, copies[0]), ("bytes", copies[-1])]), random)
    options = ["-o", str(folder / "rec"), "--power-profile", str(sample.path.parent / "profile.xml"), "--year", "2021"]
    options += [sample.option, str(copies[1])] if other else []
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = run(["import", str(copies[0]), *options])
        except BaseException:
            traceback.print_exc()
            code = 70
    return code, f"{done}\n{said.getvalue()}"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="so many damaged inputs")
    parser.add_argument("--seed", type=int, default=0, help="the first one's seed; the others follow it")
    arguments = parser.parse_args()
    ended, failed = Counter[int](), 0
    with tempfile.TemporaryDirectory() as temporary:
        (made := Path(temporary) / "made").mkdir()
        inputs = samples(made)
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            with tempfile.TemporaryDirectory(dir=temporary) as folder:
                sample = inputs[seed % len(inputs)]
                code, said = examine(sample, Random(seed), Path(folder))
            ended[code] += 1
            if code not in _ENDS or (code and not re.search(r"error: .*\.(?:\w+)", said)):
                failed += 1
                print(f"seed {seed}, {sample.path.name}, ended with {code}: {said}", flush=True)
    print(f"{arguments.count} damaged inputs of imports: {dict(ended)}, {failed} not as they should be")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

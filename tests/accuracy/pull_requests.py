"""Twenty pull requests of a sample project, judged by `navitas check --against --measure` on the virtual phone.

Ten are refactorings that do the same work. Ten add 8 to 30 % to the work of one method; `--seed` draws which one, and how much.
Exit code 1: a refactoring is called above its limit, fewer than nine costs are found with their method, or more than one cost
stays unknown. Needs a quiet computer: runs on a busy one do not count.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.git_repository import git
from support.seeded_history import METHODS, ROUNDS, seeded_history

SEED = 20_261_129
LOWEST, HIGHEST = 8, 30
BUDGETS = '[[check]]\nmethod = "org.example.*"\nat-most-change = 4\n'
MAIN = "import sys; from navitas.cli.main import main; main()"
LOOP = "for (int round = 0; round < ROUNDS; round++) {"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """Replaced text of a class. `method`: the one that does more work, empty for a refactoring."""

    title: str
    class_name: str
    replaced: Sequence[tuple[str, str]]
    method: str = ""

    def apply(self, project: Path) -> None:
        """Change the class. The text must be there."""
        path = project / f"src/main/java/org/example/{self.class_name}.java"
        text = path.read_text("utf-8")
        for old, new in self.replaced:
            assert old in text, (self.title, old)
            text = text.replace(old, new)
        path.write_text(text, "utf-8")


REFACTORINGS = (
    PullRequest("rename a local variable", "Hasher", [("sum", "digest")]),
    PullRequest("while instead of for", "Scrambler", [(LOOP, "int round = 0;\n    while (round++ < ROUNDS) {")]),
    PullRequest("count down", "Encoder", [(LOOP, "for (int round = ROUNDS; round > 0; round--) {")]),
    PullRequest("rename a constant", "Hasher", [("ROUNDS", "REPEATS")]),
    PullRequest("extract a method", "Scrambler", [
        ("    long sum = 0;", "    return sumOf(seed);\n  }\n\n  private static long sumOf(long seed) {\n    long sum = 0;"),
    ]),
    PullRequest("a final parameter", "Encoder", [("(long seed) {", "(final long first) {\n    long seed = first;")]),
    PullRequest("a literal becomes a constant", "Hasher", [
        ("1099511628211L", "PRIME"), ("  public long", "  private static final long PRIME = 1099511628211L;\n\n  public long"),
    ]),
    PullRequest("an unused overload", "Scrambler", [
        ("  public long", "  public long scramble() {\n    return scramble(1L);\n  }\n\n  public long"),
    ]),
    PullRequest("a factory", "Encoder", [
        ("  public long", "  public static Encoder create() {\n    return new Encoder();\n  }\n\n  public long"),
    ]),
    PullRequest("a return variable", "Hasher", [("return sum;", "final long result = sum;\n    return result;")]),
)  # fmt: skip


def costs(seed: int) -> list[PullRequest]:
    """Return ten seeded costs."""
    chance = random.Random(seed)
    drawn = [(chance.choice(sorted(METHODS)), chance.randint(LOWEST, HIGHEST)) for _ in range(10)]
    return [
        PullRequest(
            f"+{percent} % of {name}", name, [(f"ROUNDS = {ROUNDS};", f"ROUNDS = {ROUNDS * (100 + percent) // 100};")],
            f"org.example.{name}.{METHODS[name]}",
        )
        for name, percent in drawn
    ]  # fmt: skip


def judged(request: PullRequest, folder: Path, seed: int, minutes: float) -> tuple[int, dict[str, Any]]:
    """Return the exit code and the JSON of a check; an empty one if it judged nothing."""
    project = seeded_history(folder / "pipeline", seed, count=1, percent=0).project
    (project / "navitas.toml").write_text(BUDGETS, "utf-8")
    git(project, "add", ".")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "budgets")
    git(project, "tag", "base")
    request.apply(project)
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", request.title)
    result = folder / "check.json"
    command = [
        *(sys.executable, "-c", MAIN, "check", str(project), "--against", "base", "--measure", "--max-minutes", str(minutes)),
        *("--output", str(folder / "recordings"), "--json", str(result)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not result.exists():
        print(done.stderr, file=sys.stderr)
        return done.returncode, {}
    return done.returncode, json.loads(result.read_text("utf-8"))


def above_in(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the judgements *above* of a check."""
    return [judgement for judgement in result.get("judgements", []) if judgement["verdict"] == "above"]


def answer_of(request: PullRequest, exit_code: int, result: dict[str, Any]) -> str:
    """Return *alarm*, *caught*, *wrong method*, *quiet* or *unknown*."""
    verdict = result.get("verdict", "not enough data")
    above = [judgement["name"].split("(")[0] for judgement in above_in(result)]
    if exit_code == 1 and verdict == "above":
        if not request.method:
            return "alarm"
        return "caught" if above == [request.method] else "wrong method"
    return "quiet" if verdict == "within" else "unknown"


def main() -> int:
    """Print a row for each pull request. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--max-minutes", type=float, default=15.0, help="for each pull request (15)")
    parser.add_argument("--only", type=int, action="append", help="only the pull request with this number, from 1; repeatable")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the costs and of the sample project ({SEED})")
    arguments = parser.parse_args()
    requests = [*REFACTORINGS, *costs(arguments.seed)]
    answers: dict[int, str] = {}
    print("| pull request | answer | above, or why unknown | exit code | minutes |\n|---|---|---|---|---|")
    for number in arguments.only or range(1, len(requests) + 1):
        request, begin = requests[number - 1], time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            exit_code, result = judged(request, Path(folder), arguments.seed, arguments.max_minutes)
        answers[number] = answer_of(request, exit_code, result)
        above = [
            f"{judgement['name']} {judgement['value']:+.1f} % ({judgement['low']:+.1f} to {judgement['high']:+.1f})"
            for judgement in above_in(result)
        ]
        above += sorted({judgement["reason"] for judgement in result.get("judgements", []) if judgement["reason"]})
        minutes = (time.monotonic() - begin) / 60
        print(f"| {number} {request.title} | {answers[number]} | {', '.join(above)} | {exit_code} | {minutes:.1f} |", flush=True)
    alarms = sum(answer == "alarm" for answer in answers.values())
    of_costs = [answer for number, answer in answers.items() if requests[number - 1].method]
    caught, unknown = of_costs.count("caught"), of_costs.count("unknown")
    print(f"false alarms: {alarms} of {len(answers) - len(of_costs)}; caught with the right method: {caught} of {len(of_costs)}; "
          f"unknown: {unknown}")  # fmt: skip
    return 1 if alarms or len(of_costs) - caught > 1 or unknown > 1 else 0


if __name__ == "__main__":
    sys.exit(main())

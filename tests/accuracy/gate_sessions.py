"""Real sessions for the simulator of `navitas check` (gate.py), and JSON reports of them, also of changed ones.

`python tests/accuracy/gate_sessions.py NAME REPORT…` replaces a project's sessions in data/gate_sessions.json by those of JSON
reports, one for each session. Warm-ups are left out, and methods with less than 0.5 % of the app energy.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.field_data import FIELD_DATA

DATA = Path(__file__).parent / "data" / "gate_sessions.json"
MONSOON = FIELD_DATA / "monsoon" / "nexus5x_monsoon.csv"
LEAST_SHARE = 0.005


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a test: energies in joules, self energy of methods by the thread that ran them."""

    test: str
    app_j: float
    base_j: float
    wall_ns: int
    threads_j: Mapping[str, float]
    methods_j: Mapping[tuple[str, str], float]
    """By thread and method (`Class.method()V`)."""

    def with_method(self, method: str, factor: float) -> Run:
        """Return the run with another energy of a method, also in its threads and the test."""
        more_j = {key: (factor - 1) * energy_j for key, energy_j in self.methods_j.items() if key[1] == method}
        threads_j = dict(self.threads_j)
        for (thread, _), energy_j in more_j.items():
            threads_j[thread] += energy_j
        methods_j = {key: energy_j + more_j.get(key, 0.0) for key, energy_j in self.methods_j.items()}
        return replace(self, app_j=self.app_j + sum(more_j.values()), threads_j=threads_j, methods_j=methods_j)

    def with_total(self, factor: float) -> Run:
        """Return the run with another energy of the app: of each of its methods and threads."""
        return replace(
            self,
            app_j=self.app_j * factor,
            threads_j={key: energy_j * factor for key, energy_j in self.threads_j.items()},
            methods_j={key: energy_j * factor for key, energy_j in self.methods_j.items()},
        )


@dataclass(frozen=True, slots=True)
class RealSession:
    """A session: for each repeat, a run of each test."""

    repeats: tuple[tuple[Run, ...], ...]


@dataclass(frozen=True, slots=True)
class RealProject:
    """A project's sessions. `methods_j`: mean self energy of each method in a repeat."""

    name: str
    sessions: tuple[RealSession, ...]
    methods_j: Mapping[str, float] = field(init=False)

    def __post_init__(self) -> None:
        sums: defaultdict[str, float] = defaultdict(float)
        repeats = [repeat for session in self.sessions for repeat in session.repeats]
        for repeat in repeats:
            for run in repeat:
                for (_, method), energy_j in run.methods_j.items():
                    sums[method] += energy_j / len(repeats)
        object.__setattr__(self, "methods_j", sums)

    def main_methods(self, least_share: float) -> list[str]:
        """Methods with at least this share of the app energy."""
        repeats = [repeat for session in self.sessions for repeat in session.repeats]
        app_j = sum(run.app_j for repeat in repeats for run in repeat) / len(repeats)
        return sorted(method for method, energy_j in self.methods_j.items() if energy_j >= least_share * app_j)


def projects() -> list[RealProject]:
    """Return the recorded projects, and the power meter's sessions if there are any."""
    recorded = [_recorded(name, content) for name, content in json.loads(DATA.read_text("utf-8")).items()]
    return [*([_monsoon()] if MONSOON.is_file() else []), *recorded]


def _monsoon() -> RealProject:
    """Benchmark apps on a Nexus 5X: each as a test whose energy is that of one method."""
    rows: dict[int, dict[int, list[Run]]] = defaultdict(lambda: defaultdict(list))
    with MONSOON.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name = "_".join(filter(None, (row["app"], row["intensity"]))).replace(" ", "_")
            energy_j = float(row["energy_j"])
            run = Run(
                f"org.bench.{name}#runs",
                energy_j,
                0.0,
                int(row["duration_ms"]) * 1_000_000,
                {"main": energy_j},
                {("main", f"org.bench.{name}.run()V"): energy_j},
            )
            rows[int(row["session_index"])][int(row["run"])].append(run)
    sessions = [RealSession(tuple(tuple(runs) for _, runs in sorted(repeats.items()))) for _, repeats in sorted(rows.items())]
    return RealProject("monsoon", tuple(sessions))


def _recorded(name: str, content: Mapping[str, Any]) -> RealProject:
    methods, threads, tests = content["methods"], content["threads"], content["tests"]

    def run_of(row: Mapping[str, Any]) -> Run:
        return Run(
            tests[row["test"]],
            row["app_j"],
            row["base_j"],
            row["wall_ns"],
            {threads[thread]: energy_j for thread, energy_j in row["threads_j"]},
            {(threads[thread], methods[method]): energy_j for thread, method, energy_j in row["methods_j"]},
        )

    sessions = [RealSession(tuple(tuple(map(run_of, repeat)) for repeat in repeats)) for repeats in content["sessions"]]
    return RealProject(name, tuple(sessions))


def report(project: str, session: RealSession, created_utc: str) -> dict[str, Any]:
    """Return a session's JSON report (docs/json-report.md) with the fields that comparisons of energy need."""
    return {
        "schema_version": 2,
        "project": project,
        "created_utc": created_utc,
        "provenance": {"navitas_version": "0"},
        "device": {"kind": "phone", "model": "made", "identity": "made"},
        "evidence": {"time": "exact", "components": {}},
        "power_profile": {"sha256": "0"},
        "tests": [_test(repeat, run) for repeat, runs in enumerate(session.repeats) for run in runs],
    }


def _test(repeat: int, run: Run) -> dict[str, Any]:
    class_name, method = run.test.split("#")
    by_thread: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for (thread, name), energy_j in run.methods_j.items():
        owner, rest = name[: name.index("(")].rsplit(".", 1)
        figures = {"calls": 1, "exclusive_j": energy_j, "inclusive_j": energy_j}
        by_thread[thread].append({"module": ":", "class": owner, "name": rest, "descriptor": name[name.index("(") :], **figures})
    return {
        "module": ":",
        "class": class_name,
        "method": method,
        "repeat": repeat,
        "status": "passed",
        "wall_ns": run.wall_ns,
        "energy_j": run.app_j + run.base_j,
        "app_j": run.app_j,
        "components": {"cpu": run.app_j + run.base_j},
        "app_components": {"cpu": run.app_j},
        "base_components": {"cpu": run.base_j},
        "threads": [
            {"name": thread, "role": "app", "energy_j": energy_j, "methods": by_thread[thread]}
            for thread, energy_j in run.threads_j.items()
        ],
    }


def _figures(reports: Sequence[Path]) -> dict[str, Any]:
    """Return the sessions of JSON reports as columns of names and rows of figures. App threads only."""
    names: dict[str, dict[str, int]] = {"tests": {}, "threads": {}, "methods": {}}

    def number(kind: str, name: str) -> int:
        return names[kind].setdefault(name, len(names[kind]))

    contents = [json.loads(path.read_text("utf-8")) for path in reports]
    shares: defaultdict[str, float] = defaultdict(float)
    for content in contents:
        app_j = sum(test["app_j"] for test in content["tests"])
        for method in (method for test in content["tests"] for thread in test["threads"] for method in thread["methods"]):
            shares[_method_name(method)] += (method["exclusive_j"] or 0) / app_j / len(contents)
    sessions = []
    for content in contents:
        repeats: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
        for test in content["tests"]:
            if "warmup" in test.get("unfit", ()):
                continue
            threads_j: defaultdict[int, float] = defaultdict(float)
            methods_j: defaultdict[tuple[int, int], float] = defaultdict(float)
            for thread in filter(_is_of_app, test["threads"]):
                serial = number("threads", thread["name"])
                threads_j[serial] += thread["energy_j"] - thread["probes_j"]
                for method in thread["methods"]:
                    if shares[name := _method_name(method)] >= LEAST_SHARE:
                        methods_j[serial, number("methods", name)] += method["exclusive_j"]
            repeats[test["repeat"]].append({
                "test": number("tests", f"{test['class']}#{test['method']}"),
                "app_j": _short(test["app_j"]),
                "base_j": _short(test["energy_j"] - test["app_j"]),
                "wall_ns": test["wall_ns"] // 1_000_000 * 1_000_000,
                "threads_j": [[thread, _short(energy_j)] for thread, energy_j in threads_j.items()],
                "methods_j": [[*key, _short(energy_j)] for key, energy_j in methods_j.items() if energy_j > 0],
            })  # fmt: skip
        sessions.append([runs for _, runs in sorted(repeats.items())])
    return {kind: list(numbers) for kind, numbers in names.items()} | {"sessions": sessions}


def _is_of_app(thread: Mapping[str, Any]) -> bool:
    return thread["role"] == "app" and bool(thread["energy_j"])


def _method_name(method: Mapping[str, Any]) -> str:
    return f"{method['class']}.{method['name']}{method['descriptor']}"


def _short(energy_j: float) -> float:
    return float(f"{energy_j:.5g}")


def main() -> None:
    """Replace a project's sessions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("reports", nargs="+", type=Path)
    arguments = parser.parse_args()
    content = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    content[arguments.name] = _figures(arguments.reports)
    DATA.parent.mkdir(exist_ok=True)
    DATA.write_text(json.dumps(content, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""Virtual threads of a real JVM: their calls have energy, and it is conserved."""

from __future__ import annotations

from pathlib import Path

from support.command_line import Run
from support.virtual_threads import java_with_virtual_threads, spinning_project

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import load, load_tables


def test_calls_on_virtual_threads_have_energy(gradle: str, navitas: Run, tmp_path: Path) -> None:
    java_home = java_with_virtual_threads()
    project = spinning_project(tmp_path / "spinning", java_home, 2_000_000)
    done = navitas("profile", project, "--gradle", gradle, "-o", "rec")
    assert done.code == 0, done.err
    profile = load(tmp_path / "rec")
    assert not check(profile)
    assert {"no_thread_cpu_time", "not_conserved"}.isdisjoint(notice.code for notice in profile.warnings)
    totals = {total.method.name: total for total in profile.method_totals()}
    for name in ("handle", "work", "spin"):
        assert totals[name].measured_calls == totals[name].calls
        assert totals[name].cpu_ns > 0 and totals[name].exclusive_j > 0
    assert totals["handle"].calls == 1_000
    (run,) = load_tables(tmp_path / "rec").parsed.runs
    assert run.cpu.mounts is not None
    names = [run.threads[place].name for place in sorted(set(run.cpu.mounts.thread.tolist()))]
    assert len(names) == 1_004 and set(names) == {"VirtualThread"}, "each is followed"
    mounted = {thread.name: thread for thread in profile.thread_totals()}["VirtualThread"]
    assert mounted.cpu_ns > 0 and mounted.count == 1_004

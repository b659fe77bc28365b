"""The example apps `modules` and `wakeups`: the graph of a use has exactly the communications of its script.

The expected edges were written from the apps' code and scripts, before the first run.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.android_projects import sdk
from support.example_apps import EXAMPLES, build_example, make_example
from support.gradle_projects import gradles
from support.maven import NotFetchedError
from support.no_progress import NoProgress

import navitas
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs.app_use import Use, record
from navitas.capture.device.adb import AdbDevice
from navitas.cli.report.maps import map_ids
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.module_graph import SYSTEM, ModuleGraph

pytestmark = pytest.mark.extended
LAUNCHER = "android.intent.action.MAIN"


def graph_of(name: str, bundle: Bundle, phone: AdbDevice, folder: Path) -> ModuleGraph:
    """Record an example while its script uses it, and return its graph."""
    script = (EXAMPLES / name / "use.sh").read_text()
    use = Use(bundle.manifest.package, script, lambda: None, map_ids, bundle)
    done = record(phone, use, ProfileOptions(record="hooks"), folder / "recording", NoProgress())
    assert not done.crashed and not done.troubles
    return module_graph(navitas.load(done.recording))


def edges_of(graph: ModuleGraph, package: str) -> set[tuple[str, str, str, int]]:
    """Source, target, kind and count of each edge, without the package."""
    prefix = f"{package}."
    return {
        (edge.sender.removeprefix(prefix), edge.receiver.removeprefix(prefix), str(edge.kind.value), edge.count)
        for edge in graph.edges
    }


def unmatched_of(graph: ModuleGraph, package: str) -> set[tuple[str, str, str, str, int]]:
    return {
        (each.module.removeprefix(f"{package}."), each.kind, each.action, each.reason, each.count) for each in graph.unmatched
    }


@pytest.fixture(scope="module")
def modules(jvm: str, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> ModuleGraph:
    folder = tmp_path_factory.mktemp("modules")
    try:
        bundle = make_example(EXAMPLES / "modules", folder, target_sdk=23)
    except NotFetchedError as error:
        pytest.skip(str(error))
    return graph_of("modules", bundle, phone, folder)


MODULES = {
    ("MainActivity", "SecondActivity", "normal", 3),
    ("MainActivity", "ThirdActivity", "normal", 1),
    ("SecondActivity", "MainActivity", "normal", 2),
    ("SecondActivity", "ThirdActivity", "normal", 2),
    ("ThirdActivity", "MainActivity", "normal", 2),
    ("ThirdActivity", "SecondActivity", "normal", 1),
    ("SecondActivity", "MyService", "normal", 3),
    ("MainActivity", "MyService", "normal", 1),
    ("ThirdActivity", "MyService2", "periodic", 10),
    ("MainActivity", "MyService3", "bind", 1),
    ("SecondActivity", "MyService3", "bind", 1),
    ("MyService", "MyReceiver", "broadcast", 4),
    ("MyService2", "MyReceiver", "broadcast", 10),
    ("MyService3", "MyReceiver", "broadcast", 1),
    (SYSTEM, "MyReceiver", "system_broadcast", 5),
}


def test_the_papers_app_has_exactly_its_communications(modules: ModuleGraph) -> None:
    assert edges_of(modules, "org.example.modules") == MODULES
    assert unmatched_of(modules, "org.example.modules") == {("MainActivity", "activity_intent", LAUNCHER, "no_identity", 1)}


def test_broadcasts_of_the_system_and_periods_are_known(modules: ModuleGraph) -> None:
    edges = {(edge.sender.rpartition(".")[2], edge.receiver.rpartition(".")[2]): edge for edge in modules.edges}
    system = next(edge for edge in modules.edges if edge.sender == SYSTEM)
    assert set(system.actions) == {
        "android.intent.action.BOOT_COMPLETED",
        "android.net.conn.CONNECTIVITY_CHANGE",
        "android.intent.action.BATTERY_LOW",
        "android.intent.action.ACTION_POWER_CONNECTED",
    }
    assert edges["ThirdActivity", "MyService2"].period_ms == 60_000
    energies = {node.name.rpartition(".")[2]: node.energy_j for node in modules.nodes}
    assert all(energies[name] > 0 for name in ("MyService", "MyService2", "MyService3", "MyReceiver", "MainActivity"))


@pytest.fixture(scope="module")
def wakeups(daemons: None, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> ModuleGraph:
    """Its libraries have resources and a manifest of their own, so Gradle builds it."""
    launcher, home = gradles().get("8.11.1"), sdk()
    if launcher is None or home is None:
        pytest.skip("no Gradle 8.11.1 or no Android SDK, which build the example: make gradle-homes android-sdk")
    folder = tmp_path_factory.mktemp("wakeups")
    bundle = build_example("wakeups", folder, launcher)
    return graph_of("wakeups", bundle, phone, folder)


WAKEUPS = {
    ("MainActivity", "UploadService", "normal", 2),
    ("MainActivity", "ReminderReceiver", "periodic", 1),
    ("ReminderReceiver", "ReminderReceiver", "periodic", 5),
    ("ReminderReceiver", "UploadService", "normal", 6),
    ("UploadService", "MainActivity", "normal", 6),
    (SYSTEM, "SystemReceiver", "system_broadcast", 1),
    ("SystemReceiver", "SyncJob", "periodic", 1),
    ("MainActivity", "SyncJob", "periodic", 6),
    ("SyncJob", "SyncedReceiver", "broadcast", 7),
    ("MainActivity", "BackupWorker", "periodic", 5),
    ("BackupWorker", "VerifyWorker", "periodic", 5),
}


def test_a_modern_app_has_exactly_its_communications(wakeups: ModuleGraph) -> None:
    package = "org.example.wakeups"
    assert edges_of(wakeups, package) == WAKEUPS
    assert unmatched_of(wakeups, package) == {
        ("MainActivity", "activity_intent", LAUNCHER, "no_identity", 1),
        ("ReminderReceiver", "set_alarm", f"{package}.ReminderReceiver", "not_received", 1),
    }

"""Android apps: their instrumentation tests and they alone, on the framework, recorded as on a phone.

A small app is compiled, instrumented and made into APKs here; the virtual phone runs its classes from a jvm.zip.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.apk_maker import Signer, Tag, activity, instrumentation, manifest, write
from support.framework import NotFetchedError, provide
from support.maven import fetch

from navitas.build.instrument import instrument
from navitas.build.jars import JARS
from navitas.device.adb import AdbDevice

APP, TESTS = "org.example.notes", "org.example.notes.test"
RUNNER = f"{TESTS}/androidx.test.runner.AndroidJUnitRunner"
PUSHED = "/data/local/tmp/navitas"
_WOVEN = "org.robolectric.internal.bytecode"
LISTENER = "-e listener org.navitas.runtime.junit.NavitasListener"
APP_SOURCES = {
    "Main": """
public class Main extends android.app.Activity {
    static int clicks, result = -1;
    @Override protected void onCreate(android.os.Bundle state) {
        super.onCreate(state);
        android.util.Log.i("Notes", "created on " + Thread.currentThread().getName());
        android.widget.Button button = new android.widget.Button(this);
        button.setId(7);
        button.setOnClickListener(view -> clicked());
        setContentView(button);
    }
    void clicked() { clicks++; startActivityForResult(new android.content.Intent(this, Detail.class), 5); }
    @Override protected void onActivityResult(int request, int code, android.content.Intent data) {
        result = request * 100 + code;
    }
}""",
    "Detail": """
public class Detail extends android.app.Activity {
    static Detail shown;
    @Override protected void onResume() { super.onResume(); shown = this; setResult(42); }
    @Override protected void onDestroy() { super.onDestroy(); shown = null; }
}""",
    "Sync": """
public class Sync extends android.app.Service {
    static final java.util.List<String> STEPS = new java.util.concurrent.CopyOnWriteArrayList<>();
    @Override public void onCreate() { STEPS.add("create " + Thread.currentThread().getName()); }
    @Override public int onStartCommand(android.content.Intent intent, int flags, int id) {
        STEPS.add("start " + intent.getStringExtra("what"));
        new Thread(() -> { work(); stopSelf(id); }, "sync worker").start();
        return START_NOT_STICKY;
    }
    static long work() {
        long sum = 0;
        for (long end = System.nanoTime() + 50_000_000; System.nanoTime() < end; ) sum++;
        STEPS.add("worked");
        return sum;
    }
    @Override public void onDestroy() { STEPS.add("destroy"); }
    @Override public android.os.IBinder onBind(android.content.Intent intent) { return new android.os.Binder(); }
}""",
}
TEST_SOURCES = {
    "NotesTest": """
import static org.junit.Assert.*;
import android.app.*;
import android.content.*;
import android.os.*;
import androidx.test.platform.app.InstrumentationRegistry;
import java.util.concurrent.*;
import org.junit.*;
import org.junit.runners.MethodSorters;
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class NotesTest {
    private final Instrumentation phone = InstrumentationRegistry.getInstrumentation();
    private final Context app = phone.getTargetContext();
    private static void eventually(Callable<Boolean> what) throws Exception {
        for (int i = 0; i < 500 && !what.call(); i++) Thread.sleep(10);
        assertTrue(what.call());
    }
    @Test public void aProcess() throws Exception {
        assertEquals("org.example.notes", app.getPackageName());
        assertEquals(ProcessHandle.current().pid(), android.os.Process.myPid());
        assertEquals(app.getApplicationInfo().uid, android.os.Process.myUid());
        assertTrue(android.os.Process.myUid() >= 10000);
        assertEquals(33, app.getApplicationInfo().targetSdkVersion);
        assertEquals("blue", InstrumentationRegistry.getArguments().getString("colour"));
        assertEquals("Instr: androidx.test.runner.AndroidJUnitRunner", Thread.currentThread().getName());
        try (java.io.FileOutputStream out = app.openFileOutput("note.txt", 0)) { out.write("kept".getBytes()); }
        app.getSharedPreferences("p", 0).edit().putInt("n", 3).commit();
    }
    @Test public void bTimeRuns() throws Exception {
        long wall = System.nanoTime(), up = SystemClock.uptimeMillis();
        CountDownLatch latch = new CountDownLatch(1);
        String[] thread = new String[1];
        new Handler(Looper.getMainLooper()).postDelayed(() -> {
            thread[0] = Thread.currentThread().getName();
            latch.countDown();
        }, 200);
        assertTrue(latch.await(20, TimeUnit.SECONDS));
        assertEquals("main", thread[0]);
        assertTrue(System.nanoTime() - wall >= 199_000_000L && SystemClock.uptimeMillis() - up >= 199);
        HandlerThread worker = new HandlerThread("worker");
        worker.start();
        CountDownLatch twice = new CountDownLatch(2);
        new Handler(worker.getLooper()).post(twice::countDown);
        new Handler(worker.getLooper()).postDelayed(twice::countDown, 50);
        assertTrue(twice.await(20, TimeUnit.SECONDS));
    }
    @Test public void cActivities() throws Exception {
        Activity main = phone.startActivitySync(new Intent(app, Main.class).setFlags(Intent.FLAG_ACTIVITY_NEW_TASK));
        phone.runOnMainSync(() -> main.findViewById(7).performClick());
        eventually(() -> Detail.shown != null);
        assertEquals(1, Main.clicks);
        phone.runOnMainSync(() -> Detail.shown.finish());
        eventually(() -> Detail.shown == null);
        assertEquals(542, Main.result);
    }
    @Test public void dServices() throws Exception {
        app.startService(new Intent(app, Sync.class).putExtra("what", "all"));
        eventually(() -> Sync.STEPS.contains("destroy"));
        assertEquals("[create main, start all, worked, destroy]", Sync.STEPS.toString());
        CountDownLatch bound = new CountDownLatch(1);
        ServiceConnection connection = new ServiceConnection() {
            public void onServiceConnected(ComponentName name, IBinder binder) { bound.countDown(); }
            public void onServiceDisconnected(ComponentName name) { }
        };
        assertTrue(app.bindService(new Intent(app, Sync.class), connection, Context.BIND_AUTO_CREATE));
        assertTrue(bound.await(20, TimeUnit.SECONDS));
        app.unbindService(connection);
        eventually(() -> Sync.STEPS.size() == 6);
    }
    @Test public void eAnimationsTakeTheirTime() throws Exception {
        int[] frames = new int[1];
        long[] took = {0, System.nanoTime()};
        phone.runOnMainSync(() -> {
            android.animation.ValueAnimator animator = android.animation.ValueAnimator.ofInt(0, 100).setDuration(300);
            animator.addUpdateListener(one -> frames[0]++);
            animator.addListener(new android.animation.AnimatorListenerAdapter() {
                @Override public void onAnimationEnd(android.animation.Animator one) { took[0] = System.nanoTime() - took[1]; }
            });
            animator.start();
        });
        eventually(() -> took[0] > 0);
        assertTrue(took[0] / 1e6 + " ms, " + frames[0] + " frames", took[0] >= 250_000_000L && frames[0] < 100);
    }
}""",
    "CrashTest": """
import org.junit.*;
public class CrashTest {
    @Test public void inTheMainThread() throws Exception {
        new android.os.Handler(android.os.Looper.getMainLooper()).post(() -> { throw new IllegalStateException("boom"); });
        Thread.sleep(60_000);
    }
}""",
}


@dataclass(frozen=True, slots=True)
class Made:
    """The app's files."""

    apks: list[Path]
    jvm: Path


@pytest.fixture(scope="module")
def made(virtual: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The app, instrumented, and its tests."""
    jar = JARS / "navitas-phone-android.jar"
    if shutil.which("javac") is None or shutil.which("keytool") is None or not jar.is_file():
        pytest.skip("no JDK, or the jars are not built: make jars")
    folder = tmp_path_factory.mktemp("notes")
    try:
        framework = provide()
        libraries = sorted(fetch(["junit:junit:4.13.2"], folder / "lib", transitive=True).glob("*.jar"))
    except NotFetchedError as error:
        pytest.skip(str(error))
    # The framework's own classes are woven for Robolectric: with this interface empty, subclasses compile as on Android.
    woven = compiled(folder / "woven", {"ShadowedObject": "public interface ShadowedObject {}"}, [], _WOVEN)
    class_path = [woven, framework.android, *libraries, *framework.jars]
    app = compiled(folder / "app", APP_SOURCES, class_path)
    instrument([app], folder / "instrumented", folder / "map.json")
    tests = compiled(folder / "tests", TEST_SOURCES, [*class_path, app])
    app_jar = packed(folder / "app.jar", folder / "instrumented", json.loads((folder / "map.json").read_text())["map_id"])
    signer = Signer(folder, JARS / "navitas-phone-install.jar")
    parts = (activity(".Main", launcher=True), activity(".Detail"), Tag("service", {"name": ".Sync"}))
    apks = [
        signer.add(write(folder / "app.raw", manifest(APP, *parts)), folder / "app.apk"),
        signer.add(write(folder / "tests.raw", manifest(TESTS, outside=(instrumentation(APP),))), folder / "tests.apk"),
    ]
    signer.run()
    entries = {"app/000-app.jar": app_jar, "app/001-runtime.jar": JARS / "navitas-runtime.jar"}
    entries |= {"test/000-tests.jar": packed(folder / "tests.jar", tests)}
    entries |= {"test/001-listener.jar": JARS / "navitas-runtime-junit.jar"}
    entries |= {f"test/{number:03}-{file.name}": file for number, file in enumerate(libraries, 2)}
    with zipfile.ZipFile(folder / "jvm.zip", "w") as archive:
        document = {"schema_version": 1, "package": APP, "test_package": TESTS, "class_path": [*entries]}
        archive.writestr("jvm.json", json.dumps(document))
        for name, file in entries.items():
            archive.write(file, name)
    return Made(apks, folder / "jvm.zip")


def compiled(folder: Path, sources: dict[str, str], class_path: list[Path], package: str = APP) -> Path:
    """Folder of the classes, all in one package."""
    folder.mkdir()
    files = []
    for name, text in sources.items():
        files.append(folder / f"{name}.java")
        files[-1].write_text(f"package {package};\n{text}")
    command = [
        "javac",
        "-nowarn",
        "-cp",
        ":".join(map(str, [folder, *class_path])),
        "-d",
        str(folder / "classes"),
        *map(str, files),
    ]
    subprocess.run(command, check=True, timeout=200)
    return folder / "classes"


def packed(jar: Path, classes: Path, map_id: str | None = None) -> Path:
    with zipfile.ZipFile(jar, "w") as archive:
        root = next(iter(classes.rglob("org"))).parent
        for found in root.rglob("*.class"):
            archive.write(found, str(found.relative_to(root)))
        if map_id is not None:
            archive.writestr("META-INF/navitas/map.properties", f"map_id={map_id}\n")
    return jar


@pytest.fixture
def phone(virtual: AdbDevice, made: Made) -> Iterator[AdbDevice]:
    """The phone with app, tests, classes, and the settings of a recording."""
    virtual.install(made.apks)
    virtual.shell(f"mkdir -p {PUSHED}; run-as {APP} mkdir -p files/navitas; logcat -c")
    virtual.push(made.jvm, f"{PUSHED}/{TESTS}.jvm.zip")
    virtual.push(f"out=/data/data/{APP}/files/navitas\nflushIntervalMs=50\n".encode(), f"{PUSHED}/{APP}.properties")
    yield virtual
    for package in (TESTS, APP):
        virtual.uninstall(package)
    virtual.shell(f"rm -f {PUSHED}/*")


def recorded(phone: AdbDevice) -> bytes:
    """All events that the app's process wrote."""
    return b"".join(phone.exec_out(f"run-as {APP} sh -c 'cat files/navitas/events-*.nvch'"))


def test_instrumentation_tests_run_and_are_recorded(phone: AdbDevice) -> None:
    found = phone.shell(f"am instrument -w -r -e class {APP}.NotesTest -e colour blue {LISTENER} {RUNNER}", timeout_s=240)
    tests = re.findall(r"STATUS: stack=(.*)|STATUS: test=(\w+)\nINSTRUMENTATION_STATUS_CODE: (-?\d)", found.text)
    names = ("aProcess", "bTimeRuns", "cActivities", "dServices", "eAnimationsTakeTheirTime")
    assert [test[1:] for test in tests] == [(name, code) for name in names for code in ("1", "0")], found.text
    assert found.text.rstrip().endswith("OK (5 tests)\n\n\nINSTRUMENTATION_CODE: -1")
    events = recorded(phone)
    for what in (b"main", b"sync worker", f"{APP}.NotesTest#dServices".encode()):
        assert what in events, what
    assert phone.shell(f"run-as {APP} cat files/note.txt").text == "kept"
    assert "p.xml" in phone.shell(f"run-as {APP} ls shared_prefs").text
    assert "I/Notes   : created on main\n" in phone.shell("logcat -d -v tag -s Notes").text
    assert phone.shell(f"pidof {APP}").exit_code == 1


def test_a_crash_of_the_main_thread_ends_the_run(phone: AdbDevice) -> None:
    found = phone.shell(f"am instrument -w -r -e class {APP}.CrashTest {RUNNER}", timeout_s=240)
    assert found.text.endswith("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"), found.text
    log = phone.shell("logcat -d -v tag -s AndroidRuntime").text
    assert "E/AndroidRuntime: FATAL EXCEPTION: main\n" in log
    assert (
        f"E/AndroidRuntime: Process: {APP}, PID: " in log and "E/AndroidRuntime: java.lang.IllegalStateException: boom\n" in log
    )


def test_an_app_alone_runs_until_it_is_stopped(phone: AdbDevice) -> None:
    started = phone.shell(f"am start -W -n {APP}/.Main", timeout_s=240)
    assert started.text.startswith(f"Starting: Intent {{ cmp={APP}/.Main }}\nStatus: ok\nLaunchState: COLD\n"), started
    pid = phone.shell(f"pidof {APP}").text
    runs = [phone.shell(f"monkey -p {APP} -s 5 -v 30", timeout_s=120) for _ in range(2)]
    assert all(run.exit_code == 0 and "Events injected: 30\n" in run.text for run in runs), phone.shell("logcat -d").text
    assert "click Button 7" in runs[0].text
    assert phone.shell(f"am startservice {APP}/.Sync").text.startswith("Starting service: Intent { cmp=")
    assert phone.shell(f"pidof {APP}").text == pid
    phone.shell("sleep 0.5")
    events = recorded(phone)
    assert b"main" in events and b"sync worker" in events
    phone.shell(f"am force-stop {APP}")
    assert phone.shell(f"sleep 0.3; pidof {APP}").exit_code == 1

package org.navitas.runtime;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.Permission;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;

/**
 * The processes of {@link StartTest}. Each must end, with a recording unless it prevents one. A probe that waits for its own
 * thread waits until the start is given up, so it leaves no recording.
 */
public final class StartScenarios {
    static final int THREADS = 20;

    private StartScenarios() {}

    public static void main(String[] arguments) throws Exception {
        StartScenarios.class.getDeclaredMethod(arguments[0]).invoke(null);
    }

    /** What instrumented code calls. Its classes can be loaded by a loader of a scenario. */
    public static final class Code implements Runnable {
        @Override
        public void run() {
            call(1);
        }

        /** Uses everything that instrumented code calls. */
        @Override
        public int hashCode() {
            use();
            return 0;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        /** Returns whether the process is recorded, after the first probe. */
        @Override
        public String toString() {
            Recorder recorder = Start.recorder();
            if (recorder != null) {
                recorder.run();
            }
            return "" + (recorder != null);
        }
    }

    static void call(int method) {
        Probe.enter(method);
        Probe.exit(method);
    }

    private static void check(boolean isTrue, String otherwise) {
        if (!isTrue) {
            throw new AssertionError(otherwise);
        }
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static void secure(SecurityManager manager) {
        System.setSecurityManager(manager);
    }

    /** As StrictMode on Android's main thread. */
    @SuppressWarnings({"deprecation", "removal"})
    static void files() {
        Thread main = Thread.currentThread();
        secure(new Manager() {
            @Override
            public void checkRead(String file) {
                if (!file.equals("/proc/thread-self/stat")) { // the thread's id; on Android, it is not read from a file
                    check();
                }
            }

            @Override
            public void checkWrite(String file) {
                check();
            }

            private void check() {
                if (Thread.currentThread() == main && !isLoadingAClass()) {
                    new Throwable("a file on the main thread").printStackTrace();
                    Runtime.getRuntime().halt(1);
                }
            }

            @Override
            public void checkPermission(Permission permission) {}
        });
        call(1);
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static class Manager extends SecurityManager {
        boolean isLoadingAClass() {
            for (Class<?> each : getClassContext()) {
                if (each == ClassLoader.class) {
                    return true;
                }
            }
            return false;
        }
    }

    /** A security manager with probes; without those that load the runtime, since they would need it again. */
    @SuppressWarnings({"deprecation", "removal"})
    static void manager() {
        secure(new Manager() {
            @Override
            public void checkPermission(Permission permission) {
                if (!isLoadingAClass()) {
                    call(7);
                }
            }
        });
        call(1);
    }

    /** A security manager that refuses what the runtime needs. */
    @SuppressWarnings({"deprecation", "removal"})
    static void forbidden() {
        secure(new Manager() {
            @Override
            public void checkPermission(Permission permission) {
                if (!isLoadingAClass()) {
                    throw new SecurityException(permission.toString());
                }
            }
        });
        call(1);
        call(1);
    }

    /** Inherited values that need a lock of the first probe's thread, and have probes. */
    static void inherited() {
        Object lock = new Object();
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<String>() {
            @Override
            protected String childValue(String parents) {
                synchronized (lock) {
                    call(7);
                    return parents;
                }
            }
        };
        synchronized (lock) {
            inherited.set("value");
            call(1);
        }
    }

    /** Loads the runtime itself, and has probes, as the loader of an app can. Not capable of loading in parallel. */
    private static final class Loader extends URLClassLoader {
        volatile Runnable probes;
        /** A class for which the thread of the start finds no memory. */
        volatile String lacking;

        Loader() {
            super(urls(), null);
        }

        private static URL[] urls() {
            try {
                String[] paths = System.getProperty("java.class.path").split(File.pathSeparator);
                URL[] urls = new URL[paths.length];
                for (int i = 0; i < paths.length; i++) {
                    urls[i] = new File(paths[i]).toURI().toURL();
                }
                return urls;
            } catch (java.net.MalformedURLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (probes != null) {
                probes.run();
            }
            if (name.equals(lacking) && Thread.currentThread().getName().equals("navitas-start")) {
                throw new OutOfMemoryError("injected");
            }
            return super.loadClass(name, resolve);
        }

        Runnable code() throws ReflectiveOperationException {
            return (Runnable)
                    loadClass(Code.class.getName()).getDeclaredConstructor().newInstance();
        }
    }

    /** A class loader with probes, which the start needs. */
    static void loader() throws Exception {
        Loader loader = new Loader();
        Runnable code = loader.code();
        Thread main = Thread.currentThread();
        loader.probes = () -> {
            if (Thread.currentThread() != main) {
                code.run();
            }
        };
        code.run();
    }

    /** A class loader in which the first probe is. */
    static void loading() throws Exception {
        Loader loader = new Loader();
        Runnable code = loader.code();
        boolean[] hasRun = new boolean[1];
        loader.probes = () -> {
            if (!hasRun[0]) {
                hasRun[0] = true;
                code.run();
            }
        };
        loader.loadClass("java.lang.Object");
    }

    /** A process without settings needs no module that not each JVM has, and keeps nothing of the thread with the first probe. */
    static void unconfigured() throws Exception {
        System.clearProperty("navitas.out");
        unconfigured(new Loader(), new Object());
        Loader loader = new Loader();
        unconfigured(loader, loader); // the start is on this thread
    }

    private static void unconfigured(Loader loader, Object lock) throws Exception {
        Runnable code = loader.code();
        loader.lacking = "java.lang.management.ManagementFactory";
        InheritableThreadLocal<Object> inherited = new InheritableThreadLocal<>();
        inherited.set(new Object());
        WeakReference<Object> value = new WeakReference<>(inherited.get());
        synchronized (lock) {
            code.run();
        }
        code.hashCode();
        check(code.toString().equals("false"), "it is recorded");
        inherited.remove();
        while (value.get() != null) { // forever, if an inherited value is kept
            System.gc();
            Thread.sleep(10);
        }
    }

    /** A JVM without the module that knows the threads' CPU times, or without memory for it: the start finds that out. */
    static void unmanaged() throws Exception {
        Loader loader = new Loader();
        Runnable code = loader.code();
        loader.lacking = "java.lang.management.ManagementFactory";
        code.run();
        code.hashCode();
        check(code.toString().equals("false"), "it is recorded");
        checkThreadsEnd();
    }

    static void threads() throws Exception {
        CountDownLatch all = new CountDownLatch(THREADS);
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                all.countDown();
                try {
                    all.await();
                } catch (InterruptedException e) {
                    return;
                }
                call(1);
            });
            threads[i].start();
        }
        for (Thread each : threads) {
            each.join();
        }
    }

    static void interrupted() {
        Thread.currentThread().interrupt();
        call(1);
        check(Thread.interrupted(), "no longer interrupted");
    }

    /** Properties as those of a platform that fails; what the runtime reads of them runs {@code reading}. */
    private static final class Failing extends Properties {
        private static final long serialVersionUID = 1;

        private final String property;
        private final transient Runnable reading;

        Failing(String property, Runnable reading) {
            this.property = property;
            this.reading = reading;
            putAll(System.getProperties());
        }

        @Override
        public String getProperty(String key) {
            if (key.equals(property)) {
                reading.run();
            }
            return super.getProperty(key);
        }
    }

    /** An error at a place of the start. */
    static void error() throws InterruptedException {
        String error = System.getProperty("error");
        System.setProperties(new Failing(System.getProperty("property"), () -> {
            if (error.equals("OutOfMemoryError")) {
                throw new OutOfMemoryError("injected");
            } else if (error.equals("StackOverflowError")) {
                throw new StackOverflowError("injected");
            }
            throw new RuntimeException("injected");
        }));
        call(1);
        for (int i = 0; i < 1000; i++) {
            use();
        }
        check(!Hook.records(), "hooks record");
        check(BlockProbe.find(1, 3) == BlockProbe.find(2, 3), "each call needs memory");
        check(BlockProbe.find(3, 8).length >= 8, "too few counters");
        checkThreadsEnd(); // the start prints the error after the first probe has returned
    }

    /** A lack of memory for each class that the start may need. */
    static void classes() throws Exception {
        int needed = 0;
        for (File each : new File(Probe.class.getResource("Probe.class").toURI())
                .getParentFile()
                .listFiles()) {
            Loader loader = new Loader();
            Runnable code = loader.code();
            loader.lacking = "org.navitas.runtime." + each.getName().replace(".class", "");
            code.run();
            code.hashCode();
            code.hashCode();
            needed += code.toString().equals("true") ? 0 : 1;
            checkThreadsEnd();
            System.clearProperty(Format.RECORDING);
        }
        check(needed >= 20, "only " + needed + " are needed");
    }

    private static void checkThreadsEnd() throws InterruptedException {
        Thread[] threads = new Thread[100];
        int count = Thread.enumerate(threads);
        for (int i = 0; i < count; i++) {
            if (threads[i].getName().startsWith("navitas-")) {
                threads[i].join(100_000);
                check(!threads[i].isAlive(), threads[i].getName() + " still runs");
            }
        }
    }

    /** A start that needs a lock of the first probe's thread. */
    static void stuck() {
        Object lock = new Object();
        System.setProperties(new Failing("java.vm.name", () -> {
            synchronized (lock) {
                lock.notifyAll();
            }
        }));
        synchronized (lock) {
            use();
        }
        use();
        check(!Hook.records(), "hooks record");
    }

    /** Uses everything that instrumented code calls. */
    private static void use() {
        call(1);
        Probe.enter(2, 0);
        Probe.thrown(2);
        Probe.enter(2, -1);
        Probe.exit(2);
        Probe.resume(3);
        Probe.exit(3);
        Hook.end(1, Hook.begin(1), Hook.FILE_READ, 0, 1, 1);
        Hook.handedOver(Hook.origin(), Hook.now());
        BlockProbe.find(1, 3)[2]++;
        BlockProbe.find(1, 3)[2]++;
        Recorder.mark(Recorder.TEST_START, Recorder.PASSED, "a.B#c");
        Recorder.flush();
        Recorder.requestFlush();
    }

    /** The first probe at each depth near the end of the stack, in turn: afterwards, another call must be recorded. */
    static void overflow() throws Exception {
        Throwable[] failure = new Throwable[1];
        Thread small = new Thread(
                null,
                () -> {
                    try {
                        int depth = depth(0);
                        int inTime = 0;
                        int tries = 0;
                        for (int end = depth; inTime < 20; end--, tries++) {
                            Loader loader = new Loader();
                            Runnable code = loader.code();
                            if (end % 2 == 0) { // otherwise, to load them needs the stack, too
                                loader.loadClass("org.navitas.runtime.Probe");
                                loader.loadClass("org.navitas.runtime.Start");
                            }
                            boolean isInTime = runs(code, end);
                            inTime = isInTime ? inTime + 1 : 0;
                            code.run();
                            code.run();
                            check(
                                    code.toString().equals("true"),
                                    "not recorded after a probe at depth " + end + " of " + depth);
                            System.clearProperty(Format.RECORDING);
                        }
                        check(tries > 25, "the stack does not overflow");
                    } catch (Throwable e) {
                        failure[0] = e;
                    }
                },
                "small",
                512 << 10);
        small.start();
        small.join();
        if (failure[0] != null) {
            throw new IllegalStateException(failure[0]);
        }
    }

    private static int depth(int from) {
        try {
            return depth(from + 1);
        } catch (StackOverflowError e) {
            return from;
        }
    }

    private static boolean runs(Runnable code, int depth) {
        try {
            descend(code, depth);
            return true;
        } catch (StackOverflowError e) {
            return false;
        }
    }

    private static void descend(Runnable code, int more) {
        if (more > 0) {
            descend(code, more - 1);
        } else {
            code.run();
        }
    }
}

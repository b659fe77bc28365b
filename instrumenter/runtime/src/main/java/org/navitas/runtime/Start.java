package org.navitas.runtime;

/**
 * The start of the recorder, on a thread of its own: the thread of the first probe can be Android's main thread, which must
 * read no file, and its stack can be nearly full. Probes wait for the start, within a limit, so that the first call is
 * recorded. Those on the runtime's own threads, and those of code that the first probe runs, do not: the start can need them.
 *
 * <p>An error in the initializer of a class would make each later use of the class throw. So only the thread of the start
 * initializes classes that have one. Until {@link Probe#ready}, probes and hooks use no such class.
 */
final class Start implements Runnable {
    /** The runtime's own threads, whose probes record nothing; null before the first probe. */
    static ThreadGroup group;
    /** What {@link Running} takes; null if nothing is recorded. */
    static Recorder recorder;
    /** Those of the start, the writer, the ticker, the sampler and the end. */
    private static Start[] places;
    /** The thread that begins the start: its probes meanwhile cannot wait. Then that of the start. Null before. */
    private static volatile Thread first;
    /** Guarded by this class. */
    private static long endNs;
    private static volatile boolean isOver;

    private final Thread thread;
    private Runnable task;

    /** Called on the thread of the first probe, so that the values which threads inherit are made there. */
    private Start(String name) {
        thread = new Thread(group, this, name);
        thread.setDaemon(true);
        thread.setContextClassLoader(Start.class.getClassLoader());
    }

    /** Returns whether {@link Running} can be used. Starts the recorder if that has not been tried. Throws nothing. */
    static boolean isReady() {
        try {
            return Probe.ready || !isOver && await();
        } catch (Throwable e) { // the stack is full, or the memory: the next probe tries again
            return false;
        }
    }

    /** Returns the recorder, or null if nothing is recorded. */
    static Recorder recorder() {
        return isReady() ? Running.RECORDER : null;
    }

    /** Returns one of the runtime's own threads, by its number. */
    static Thread own(int place, Runnable task) {
        places[place].task = task;
        return places[place].thread;
    }

    private static boolean await() {
        Thread thread = Thread.currentThread();
        boolean isFirst;
        synchronized (Start.class) {
            if (thread == first || thread.getThreadGroup() == group) {
                return false;
            }
            isFirst = first == null;
            if (isFirst) {
                first = thread;
                endNs = System.nanoTime() + 1_000_000 * Limits.START_LIMIT_MS;
            }
        }
        if (isFirst) {
            begin();
        }
        boolean isInterrupted = false;
        synchronized (Start.class) {
            for (long leftMs; !isOver && (leftMs = (endNs - System.nanoTime()) / 1_000_000) > 0; ) {
                try {
                    Start.class.wait(leftMs);
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        }
        if (!isOver) {
            end("the start takes too long");
        }
        if (isInterrupted) {
            thread.interrupt();
        }
        return Probe.ready;
    }

    private static void begin() {
        try {
            if (places == null) {
                group = new ThreadGroup("navitas");
                places = new Start[] {
                    new Start("navitas-start"), new Start("navitas-writer"), new Start("navitas-ticker"),
                    new Start("navitas-sampler"), new Start("navitas-end")
                };
            }
            ClassLoader loader = Start.class.getClassLoader();
            if (loader != null && Thread.holdsLock(loader)) {
                places[0].run(); // another thread could load no class
            } else if (places[0].thread.getState() == Thread.State.NEW) {
                places[0].thread.start();
            }
            first = places[0].thread; // if this thread's stack is full while it waits, its next probe waits, too
        } catch (StackOverflowError e) {
            first = null; // the next probe tries again
            throw e;
        } catch (Throwable e) {
            end(e);
        }
    }

    @Override
    public void run() {
        if (task != null) {
            task.run();
            return;
        }
        try {
            recorder = Recorder.start();
            Class.forName("org.navitas.runtime.Running");
            initialize("org.navitas.runtime.BlockRunning");
            initialize("org.navitas.hooks.Tables$Made");
            end(null);
        } catch (Throwable e) {
            end(e);
        }
    }

    /** Initializes a class, unless this app lacks it. */
    private static void initialize(String name) {
        try {
            Class.forName(name);
        } catch (ClassNotFoundException e) {
            return; // nothing uses it
        }
    }

    /** Ends the start once; with a problem, nothing is recorded. */
    private static void end(Object problem) {
        boolean isLate;
        synchronized (Start.class) {
            isLate = isOver;
            isOver = true;
            Probe.ready |= !isLate && problem == null;
            Start.class.notifyAll();
        }
        try {
            if (!isLate && problem != null) {
                Platform.note("not_recording", "nothing is recorded: ", problem);
            } else if (isLate && problem == null && recorder != null) {
                recorder.run();
            }
        } catch (Throwable e) {
            return; // there is no memory for the note
        }
    }
}

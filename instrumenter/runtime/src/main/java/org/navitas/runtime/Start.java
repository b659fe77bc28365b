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
    /** The own threads by number ({@link Limits}); those that can still be started. */
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
            return Probe.ready
                    || (isOver ? Probe.ready : await()); // read again: what is ready is visible only after isOver
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
            isFirst = first == null && !isOver;
            if (isFirst) {
                endNs = System.nanoTime() + 1_000_000 * Limits.START_LIMIT_MS;
                first = thread;
            }
        }
        if (isFirst) {
            try {
                begin();
            } catch (StackOverflowError e) {
                first = null; // the next probe tries again, or a thread that waits
                throw e;
            } catch (Throwable e) {
                end(e);
            }
        }
        boolean isInterrupted = false;
        synchronized (Start.class) {
            while (!isOver && first != null && System.nanoTime() - endNs < 0) {
                try {
                    Start.class.wait(Limits.START_STEP_MS);
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        }
        if (isInterrupted) {
            thread.interrupt();
        }
        if (first == null) {
            return isReady();
        }
        if (!isOver) {
            end("the start takes too long");
        }
        return Probe.ready;
    }

    private static void begin() {
        if (places == null) {
            group = new ThreadGroup("navitas");
            places = new Start[] {
                new Start("navitas-start"),
                new Start("navitas-writer"),
                new Start("navitas-ticker"),
                new Start("navitas-sampler"),
                new Start("navitas-end")
            };
        }
        Start start = places[Limits.START_THREAD];
        if (start == null) {
            return; // an earlier try has ended the start
        }
        ClassLoader loader = Start.class.getClassLoader();
        if (loader != null && Thread.holdsLock(loader)) {
            start.run(); // another thread could load no class
            first = null;
            return;
        }
        if (!start.thread.isAlive()) {
            start.thread.start();
        }
        first = start.thread; // if this thread's stack is full while it waits, its next probe waits, too
    }

    @Override
    public void run() {
        if (task != null) {
            task.run();
            return;
        }
        Object problem = null;
        try {
            recorder = Recorder.create();
            if (recorder != null) {
                recorder.begin();
            }
            Class.forName("org.navitas.runtime.Running");
            initialize("org.navitas.runtime.BlockRunning");
            initialize("org.navitas.hooks.Tables");
        } catch (Throwable e) {
            problem = e;
        }
        end(problem);
    }

    /** Initializes a class, unless this app lacks it. */
    private static void initialize(String name) {
        try {
            Class.forName(name);
        } catch (ClassNotFoundException e) {
            return; // nothing uses it
        }
    }

    /** Ends the start once; with a problem, or later than the limit, nothing is recorded. */
    private static void end(Object problem) {
        boolean isLate;
        synchronized (Start.class) {
            isLate = isOver;
            Probe.ready |= !isLate && problem == null;
            isOver = true; // last: a thread that sees it sees what is ready
            Start.class.notifyAll();
        }
        for (int i = 0; places != null && i < Limits.THREADS; i++) {
            places[i] = null; // a thread that does not run keeps what it has inherited
        }
        try {
            if (recorder != null && !Probe.ready) {
                recorder.stop();
            }
            if (!isLate && problem != null) {
                Platform.note("not_recording", "nothing is recorded: ", problem);
            }
        } catch (Throwable e) {
            return; // there is no memory for the note
        }
    }
}

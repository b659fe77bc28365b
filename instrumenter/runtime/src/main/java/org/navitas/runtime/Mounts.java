package org.navitas.runtime;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * The mounts of one virtual thread (JDK 21 and later): it has no CPU clock, but the threads that carry it do. The JVM runs a
 * virtual thread by a task on a carrier. This object takes the place of that task, and records when it begins and ends.
 *
 * <p>The first probe of a virtual thread finds it mounted already. The end of that first mount is not seen: it is before the
 * carrier's next record. Uses two internals of the JDK. Where it lacks them, or {@code java.lang} is not open to this
 * class (docs/probes.md), the CPU time of virtual threads stays unknown.
 */
final class Mounts implements Runnable {
    /** Both null if there is no access. */
    private static volatile Field taskOfThread;

    private static volatile Method currentCarrier;
    private static volatile boolean isSearched;

    private final ThreadRecorder virtual;
    private final Threads threads;
    private final Runnable task;

    private Mounts(ThreadRecorder virtual, Threads threads, Runnable task) {
        this.virtual = virtual;
        this.threads = threads;
        this.task = task;
    }

    static boolean isVirtual(Thread thread) {
        return thread.getClass().getName().equals("java.lang.VirtualThread");
    }

    /** Records the mounts of the calling virtual thread from now on, if the JVM allows it. */
    static void follow(ThreadRecorder virtual, Threads threads) {
        try {
            if (!isSearched) {
                findInternals();
            }
            if (taskOfThread == null) {
                return;
            }
            Runnable task = (Runnable) taskOfThread.get(virtual.thread);
            taskOfThread.set(virtual.thread, new Mounts(virtual, threads, task));
            for (Thread carrier = carrier(); ; carrier = carrier()) {
                int osTid = virtual.recorder.platform.threadId();
                if (carrier() == carrier) { // waiting for a lock can move this thread to another carrier
                    ThreadRecorder own = threads.ofCarrier(carrier, osTid);
                    virtual.mountOn(own);
                    if (carrier() == carrier) {
                        own.carries(virtual.serial);
                        return;
                    }
                }
            }
        } catch (ReflectiveOperationException | RuntimeException e) { // a JVM in which the field cannot be changed
            taskOfThread = null;
        }
    }

    /** Called on a carrier. */
    @Override
    public void run() {
        ThreadRecorder carrier = null;
        try {
            virtual.mountOn(null);
            ThreadRecorder own = threads.current();
            if (own.thread != null) {
                carrier = own;
                carrier.carries(virtual.serial);
                virtual.mountOn(carrier);
            }
        } catch (Throwable e) { // for lack of memory
            virtual.recorder.failed(e);
        }
        try {
            task.run();
        } finally {
            if (carrier != null) {
                carrier.carries(0); // the virtual thread may run on another carrier by now
            }
        }
    }

    private static Thread carrier() throws ReflectiveOperationException {
        return (Thread) currentCarrier.invoke(null);
    }

    private static void findInternals() {
        try {
            Field task = Class.forName("java.lang.VirtualThread").getDeclaredField("runContinuation");
            Method carrier = Thread.class.getDeclaredMethod("currentCarrierThread");
            task.setAccessible(true);
            carrier.setAccessible(true);
            currentCarrier = carrier;
            taskOfThread = task; // last: a thread that sees it sees both
        } catch (ReflectiveOperationException | RuntimeException e) { // other internals, or java.lang is closed
            taskOfThread = null;
        }
        isSearched = true;
    }
}

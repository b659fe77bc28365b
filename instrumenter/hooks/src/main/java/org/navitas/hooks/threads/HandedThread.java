package org.navitas.hooks.threads;

import org.navitas.runtime.Hook;

/** A thread whose work carries where it was started. */
public class HandedThread extends Thread {
    private long[] origin;

    /** See {@link Thread#Thread()}. */
    public HandedThread() {}

    /** See {@link Thread#Thread(Runnable)}. */
    public HandedThread(Runnable task) {
        super(task);
    }

    /** See {@link Thread#Thread(ThreadGroup, Runnable)}. */
    public HandedThread(ThreadGroup group, Runnable task) {
        super(group, task);
    }

    /** See {@link Thread#Thread(String)}. */
    public HandedThread(String name) {
        super(name);
    }

    /** See {@link Thread#Thread(ThreadGroup, String)}. */
    public HandedThread(ThreadGroup group, String name) {
        super(group, name);
    }

    /** See {@link Thread#Thread(Runnable, String)}. */
    public HandedThread(Runnable task, String name) {
        super(task, name);
    }

    /** See {@link Thread#Thread(ThreadGroup, Runnable, String)}. */
    public HandedThread(ThreadGroup group, Runnable task, String name) {
        super(group, task, name);
    }

    /** See {@link Thread#Thread(ThreadGroup, Runnable, String, long)}. */
    public HandedThread(ThreadGroup group, Runnable task, String name, long stackBytes) {
        super(group, task, name, stackBytes);
    }

    @Override
    public synchronized void start() {
        origin = Hook.origin();
        super.start();
    }

    @Override
    public void run() {
        long start = Hook.now();
        try {
            super.run();
        } finally {
            Hook.handedOver(origin, start);
        }
    }
}

package org.navitas.android;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.navitas.phone.ComponentUse;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowProcess;

/** The real ids and CPU time of the process and its threads, their priorities, and the uid that the package manager assigned. */
@Implements(className = "android.os.Process")
public class ProcessShadow extends ShadowProcess {
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final int KILLED = 137;
    private static final int LEAST_NICE = -20;
    private static final int MOST_NICE = 19;
    private static final long NS_PER_MS = 1_000_000;
    private static final Map<Integer, Integer> NICE = new ConcurrentHashMap<>();
    private static final ThreadLocal<Integer> TID = ThreadLocal.withInitial(ProcessShadow::kernelThreadId);

    @Implementation
    protected static int myPid() {
        return PID;
    }

    @Implementation
    protected static int myTid() {
        return TID.get();
    }

    @Implementation
    protected static int myUid() {
        return Integer.getInteger("navitas.uid");
    }

    @Implementation
    protected static String myProcessName() {
        return System.getProperty("navitas.process");
    }

    @Implementation
    protected static void killProcess(int pid) {
        if (pid == PID) {
            Runtime.getRuntime().halt(KILLED);
        }
    }

    /** From the JVM, whose clock has steps of 10 ms. */
    @Implementation
    protected static long getElapsedCpuTime() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / NS_PER_MS;
    }

    @Implementation
    protected static void setThreadPriority(int priority) {
        setThreadPriority(0, priority);
    }

    /** The phone shows the priority; on the machine, the thread keeps its own. */
    @Implementation
    protected static void setThreadPriority(int tid, int priority) {
        int thread = existing(tid);
        int nice = Math.max(LEAST_NICE, Math.min(MOST_NICE, priority));
        NICE.keySet().removeIf(other -> !isRunning(other));
        Integer before = NICE.put(thread, nice);
        if (nice != (before == null ? 0 : before)) {
            ComponentUse.setNice(thread, nice);
        }
    }

    @Implementation
    protected static int getThreadPriority(int tid) {
        return NICE.getOrDefault(existing(tid), 0);
    }

    /** Returns a thread of this process; the present one for 0. */
    private static int existing(int tid) {
        int thread = tid == 0 ? TID.get() : tid;
        if (thread != TID.get() && !isRunning(thread)) {
            throw new IllegalArgumentException("Given thread " + thread + " does not exist");
        }
        return thread;
    }

    private static boolean isRunning(int tid) {
        return new File("/proc/self/task/" + tid).isDirectory();
    }

    private static int kernelThreadId() {
        try (BufferedReader stat = new BufferedReader(new FileReader("/proc/thread-self/stat"))) {
            return Integer.parseInt(stat.readLine().split(" ", 2)[0]);
        } catch (IOException e) {
            return (int) Thread.currentThread().getId(); // not on Linux
        }
    }
}

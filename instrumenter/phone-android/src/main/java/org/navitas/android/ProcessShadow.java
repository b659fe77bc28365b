package org.navitas.android;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowProcess;

/** The real ids of the process and its threads, and the uid that the package manager assigned. */
@Implements(className = "android.os.Process")
public class ProcessShadow extends ShadowProcess {
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final int KILLED = 137;
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

    private static int kernelThreadId() {
        try (BufferedReader stat = new BufferedReader(new FileReader("/proc/thread-self/stat"))) {
            return Integer.parseInt(stat.readLine().split(" ", 2)[0]);
        } catch (IOException e) {
            return (int) Thread.currentThread().getId(); // not on Linux
        }
    }
}

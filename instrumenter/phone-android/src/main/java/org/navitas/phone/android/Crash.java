package org.navitas.phone.android;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.navitas.phone.LogSocket;

/**
 * Ends the process after an uncaught exception, with Android's entry in the log (RuntimeInit's KillApplicationHandler).
 */
public final class Crash {
    private static final int ERROR = 6;
    private static final int STATUS = 10;

    private Crash() {}

    static void install() {
        Thread.setDefaultUncaughtExceptionHandler(Crash::end);
    }

    /**
     * Logs the exception and ends the process. Never returns: the rest of the process must not continue.
     *
     * @param thread the thread that the exception ended
     * @param error the uncaught exception
     */
    public static void end(Thread thread, Throwable error) {
        try {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace, true));
            LogSocket.write(
                    ERROR,
                    "AndroidRuntime",
                    "FATAL EXCEPTION: " + thread.getName() + "\nProcess: " + System.getProperty("navitas.process")
                            + ", PID: " + ProcessHandle.current().pid() + "\n" + trace);
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }
}

package android.util;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.UnknownHostException;
import org.navitas.phone.LogSocket;

/** Android's log API on the virtual phone: entries go to its log daemon, else (no daemon) to standard error. */
public final class Log {
    public static final int VERBOSE = 2;
    public static final int DEBUG = 3;
    public static final int INFO = 4;
    public static final int WARN = 5;
    public static final int ERROR = 6;
    public static final int ASSERT = 7;

    private Log() {}

    public static int v(String tag, String message) {
        return println(VERBOSE, tag, message);
    }

    public static int v(String tag, String message, Throwable error) {
        return println(VERBOSE, tag, with(message, error));
    }

    public static int d(String tag, String message) {
        return println(DEBUG, tag, message);
    }

    public static int d(String tag, String message, Throwable error) {
        return println(DEBUG, tag, with(message, error));
    }

    public static int i(String tag, String message) {
        return println(INFO, tag, message);
    }

    public static int i(String tag, String message, Throwable error) {
        return println(INFO, tag, with(message, error));
    }

    public static int w(String tag, String message) {
        return println(WARN, tag, message);
    }

    public static int w(String tag, String message, Throwable error) {
        return println(WARN, tag, with(message, error));
    }

    public static int w(String tag, Throwable error) {
        return println(WARN, tag, getStackTraceString(error));
    }

    public static int e(String tag, String message) {
        return println(ERROR, tag, message);
    }

    public static int e(String tag, String message, Throwable error) {
        return println(ERROR, tag, with(message, error));
    }

    public static int wtf(String tag, String message) {
        return println(ASSERT, tag, message);
    }

    public static int wtf(String tag, Throwable error) {
        return println(ASSERT, tag, with(String.valueOf(error.getMessage()), error));
    }

    public static int wtf(String tag, String message, Throwable error) {
        return println(ASSERT, tag, with(message, error));
    }

    /** As on a device without log properties: from INFO on. */
    public static boolean isLoggable(String tag, int level) {
        return level >= INFO;
    }

    /** The trace as text; empty without an error, and where the network's absence is the cause (as on Android). */
    public static String getStackTraceString(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return "";
            }
        }
        if (error == null) {
            return "";
        }
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    /** Returns the bytes written, negative when the entry was lost. */
    public static int println(int priority, String tag, String message) {
        return LogSocket.write(priority, String.valueOf(tag), String.valueOf(message));
    }

    private static String with(String message, Throwable error) {
        return message + '\n' + getStackTraceString(error);
    }
}

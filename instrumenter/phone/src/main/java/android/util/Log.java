package android.util;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.UnknownHostException;
import org.navitas.phone.LogSocket;

/**
 * Android's log API on the virtual phone. Entries go to its log daemon, or to standard error if there is none.
 * Thread-safe.
 */
public final class Log {
    /** The priority of verbose entries. */
    public static final int VERBOSE = 2;
    /** The priority of debug entries. */
    public static final int DEBUG = 3;
    /** The priority of information entries. */
    public static final int INFO = 4;
    /** The priority of warning entries. */
    public static final int WARN = 5;
    /** The priority of error entries. */
    public static final int ERROR = 6;
    /** The priority of assertion entries. */
    public static final int ASSERT = 7;

    private Log() {}

    /**
     * Writes a verbose entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int v(String tag, String message) {
        return println(VERBOSE, tag, message);
    }

    /**
     * Writes a verbose entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @param error the exception to append, or null
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int v(String tag, String message, Throwable error) {
        return println(VERBOSE, tag, with(message, error));
    }

    /**
     * Writes a debug entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int d(String tag, String message) {
        return println(DEBUG, tag, message);
    }

    /**
     * Writes a debug entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @param error the exception to append, or null
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int d(String tag, String message, Throwable error) {
        return println(DEBUG, tag, with(message, error));
    }

    /**
     * Writes an information entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int i(String tag, String message) {
        return println(INFO, tag, message);
    }

    /**
     * Writes an information entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @param error the exception to append, or null
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int i(String tag, String message, Throwable error) {
        return println(INFO, tag, with(message, error));
    }

    /**
     * Writes a warning entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int w(String tag, String message) {
        return println(WARN, tag, message);
    }

    /**
     * Writes a warning entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @param error the exception to append, or null
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int w(String tag, String message, Throwable error) {
        return println(WARN, tag, with(message, error));
    }

    /**
     * Writes a warning entry.
     *
     * @param tag the entry's tag
     * @param error the exception to append, or null
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int w(String tag, Throwable error) {
        return println(WARN, tag, getStackTraceString(error));
    }

    /**
     * Writes an error entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int e(String tag, String message) {
        return println(ERROR, tag, message);
    }

    /**
     * Writes an error entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @param error the exception to append, or null
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int e(String tag, String message, Throwable error) {
        return println(ERROR, tag, with(message, error));
    }

    /**
     * Writes an assertion entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int wtf(String tag, String message) {
        return println(ASSERT, tag, message);
    }

    /**
     * Writes an assertion entry.
     *
     * @param tag the entry's tag
     * @param error the exception to append, or null
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int wtf(String tag, Throwable error) {
        return println(ASSERT, tag, with(String.valueOf(error.getMessage()), error));
    }

    /**
     * Writes an assertion entry.
     *
     * @param tag the entry's tag
     * @param message the text
     * @param error the exception to append, or null
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int wtf(String tag, String message, Throwable error) {
        return println(ASSERT, tag, with(message, error));
    }

    /**
     * Returns whether a level is logged. From INFO on, as on a device without log properties.
     *
     * @param tag ignored
     * @param level a priority, such as {@link #INFO}
     * @return true from {@link #INFO} on
     */
    public static boolean isLoggable(String tag, int level) {
        return level >= INFO;
    }

    /**
     * Returns a stack trace as text.
     *
     * @param error any exception, or null
     * @return the trace; empty for null, and if a missing network is the cause (as on Android)
     */
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

    /**
     * Writes an entry.
     *
     * @param priority such as {@link #INFO}
     * @param tag the entry's tag, or null
     * @param message the text
     * @return the bytes written, or a negative number if the entry was lost
     */
    public static int println(int priority, String tag, String message) {
        return LogSocket.write(priority, String.valueOf(tag), String.valueOf(message));
    }

    private static String with(String message, Throwable error) {
        return message + '\n' + getStackTraceString(error);
    }
}

package org.navitas.android;

import android.util.Log;
import org.navitas.phone.LogSocket;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Android's Log, down to the native call: entries go to the phone's log daemon. */
@Implements(className = "android.util.Log")
public class LogShadow {
    @Implementation
    protected static boolean isLoggable(String tag, int level) {
        return level >= Log.INFO;
    }

    @Implementation
    protected static int println_native(int buffer, int priority, String tag, String message) {
        return LogSocket.write(priority, String.valueOf(tag), String.valueOf(message));
    }

    @Implementation
    protected static int logger_entry_max_payload_native() {
        return 4068;
    }
}

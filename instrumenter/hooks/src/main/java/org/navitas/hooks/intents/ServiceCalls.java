package org.navitas.hooks.intents;

import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import org.navitas.hooks.base.Kind;
import org.navitas.runtime.Hook;

/** Hooks of calls that start, stop, bind and unbind services. */
public final class ServiceCalls {

    private ServiceCalls() {}

    /** Hook of {@link Context#startService}. */
    public static ComponentName startService(Context context, Intent intent) {
        Sent sent = Sent.by(context, intent, Components.SERVICE);
        ComponentName result = context.startService(sent.intent);
        if (result != null) { // else there is no such service
            sent.done(Kind.START_SERVICE);
        }
        return result;
    }

    /** Hook of {@link Context#stopService}. The service does not receive the intent, so it carries nothing. */
    public static boolean stopService(Context context, Intent intent) {
        Sent sent = Sent.by(context, intent, Components.NO_RECEIVER);
        boolean result = context.stopService(intent);
        sent.done(Kind.STOP_SERVICE);
        return result;
    }

    /** Hook of {@link Context#bindService(Intent, ServiceConnection, int)}. */
    public static boolean bindService(Context context, Intent intent, ServiceConnection connection, int flags) {
        Sent sent = Sent.by(context, intent, Components.BINDING);
        boolean result = context.bindService(sent.intent, connection, flags);
        bound(result, connection, sent);
        return result;
    }

    /** Hook of {@link Context#unbindService}. */
    public static void unbindService(Context context, ServiceConnection connection) {
        long start = Hook.now();
        context.unbindService(connection);
        if (start != 0) {
            String target = connection == null ? null : IntentTables.get().bound.remove(connection);
            Hook.communication(
                    start, 0, Kind.UNBIND_SERVICE, 0, Components.moduleOf(context), target == null ? "" : target, "");
        }
    }

    /** Records a binding, unless the system has refused it. */
    static void bound(boolean isBound, ServiceConnection connection, Sent sent) {
        if (isBound) {
            if (connection != null && Hook.records()) {
                IntentTables.get().bound.put(connection, sent.target);
            }
            sent.done(Kind.BIND_SERVICE);
        }
    }
}

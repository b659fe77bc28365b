package org.navitas.android;

import android.content.BroadcastReceiver;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Handler;
import android.os.Looper;
import java.net.URISyntaxException;
import java.util.Map;
import org.navitas.phone.PhoneState;
import org.robolectric.shadow.api.Shadow;

/** The phone's last broadcasts, such as that of the battery, which a new receiver gets at once. */
final class StickyBroadcasts {
    private static final String ACTION = ";action=";

    private StickyBroadcasts() {}

    /**
     * Sends those that a filter matches to a new receiver.
     *
     * @param other a sticky broadcast of the app, or null
     * @param receiver the new receiver, or null
     * @param filter its filter
     * @param scheduler where it runs; null for the main thread
     * @return what registerReceiver returns: one of them, or null
     */
    static Intent send(Intent other, BroadcastReceiver receiver, IntentFilter filter, Handler scheduler) {
        Intent first = other;
        for (Map.Entry<String, String> value : PhoneState.all().entrySet()) {
            if (!value.getKey().startsWith("sticky.")) {
                continue;
            }
            if (filter.matchAction(action(value.getValue()))) {
                Intent intent = parsed(value.getValue());
                first = first == null ? intent : first;
                if (receiver != null) {
                    Handler handler = scheduler == null ? new Handler(Looper.getMainLooper()) : scheduler;
                    handler.post(() -> Shadow.<ReceiverShadow>extract(receiver).receiveSticky(intent));
                }
            }
        }
        return first;
    }

    /** Returns the action of an intent's URI, without parsing its extras. */
    private static String action(String uri) {
        String rest = uri.substring(uri.indexOf(ACTION) + ACTION.length());
        return rest.substring(0, rest.indexOf(';'));
    }

    private static Intent parsed(String uri) {
        try {
            return Intent.parseUri(uri, Intent.URI_INTENT_SCHEME);
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}

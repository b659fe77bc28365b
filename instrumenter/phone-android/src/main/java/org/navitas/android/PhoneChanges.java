package org.navitas.android;

import android.app.Application;
import android.net.Uri;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.navitas.phone.PhoneState;
import org.robolectric.RuntimeEnvironment;

/** Calls the app's callbacks of what has changed on the phone since the last time. Broadcasts come from the phone. */
final class PhoneChanges {
    private static final Set<String> NAMESPACES = Set.of("system", "secure", "global");
    private static Map<String, String> last;

    private PhoneChanges() {}

    /** Notes the present state. */
    static synchronized void start() {
        last = PhoneState.all();
    }

    static synchronized void deliver() {
        Map<String, String> before = last;
        last = PhoneState.all();
        Set<String> names = new HashSet<>(before.keySet());
        names.addAll(last.keySet());
        names.removeIf(name -> Objects.equals(before.get(name), last.get(name)));
        Application app = RuntimeEnvironment.getApplication();
        for (String name : names) {
            String[] words = name.split("\\.", 2);
            if (NAMESPACES.contains(words[0])) {
                Uri uri = new Uri.Builder()
                        .scheme("content")
                        .authority("settings")
                        .appendPath(words[0])
                        .appendPath(words[1])
                        .build();
                app.getContentResolver().notifyChange(uri, null);
            }
        }
        if (names.contains("network")) {
            ConnectivityShadow.changed();
        }
        if (names.contains("thermal")) {
            PowerManagerShadow.thermalStatusChanged();
        }
    }
}

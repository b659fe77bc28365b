package org.navitas.phone.android;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.navitas.phone.InstrumentMain;

/**
 * The process of an Android app on the virtual phone. With the system property {@code navitas.app}, it runs the app
 * without tests and reads requests from standard input. Otherwise it runs {@code am instrument} with its arguments
 * ({@link InstrumentMain}).
 *
 * <p>In addition to the properties of that class, it reads {@code navitas.android.manifest} (the app's manifest as
 * text), {@code navitas.android.apk}, {@code navitas.android.data} (its data folder), {@code navitas.uid} and
 * {@code navitas.android.instrumentation} (runner class of the tests).
 */
public final class AndroidMain {
    private static final String FINISHER = "org.navitas.android.ActivityFinisher";

    private AndroidMain() {}

    /**
     * Runs the app or its tests and ends the process.
     *
     * @param arguments keys and values of {@code am instrument -e}, alternating
     * @throws IOException if the stream cannot be opened
     */
    public static void main(String[] arguments) throws IOException {
        Crash.install();
        if (Boolean.getBoolean("navitas.app")) {
            InstrumentMain.main(tests -> Framework.run(Arrays.asList(arguments), AppLoop::run), arguments);
        } else {
            InstrumentMain.main(tests -> Framework.run(Arrays.asList(arguments), tests), withFinisher(arguments));
        }
    }

    /** Adds the listener that finishes activities before the other listeners, unless an argument disables it. */
    static String[] withFinisher(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        int listener = -1;
        for (int i = 0; i + 1 < all.size(); i += 2) {
            if (all.get(i).equals("waitForActivitiesToComplete") && !Boolean.parseBoolean(all.get(i + 1))) {
                return arguments;
            }
            listener = all.get(i).equals("listener") ? i + 1 : listener;
        }
        if (listener < 0) {
            all.add("listener");
            all.add(FINISHER);
        } else {
            all.set(listener, FINISHER + "," + all.get(listener));
        }
        return all.toArray(new String[0]);
    }
}

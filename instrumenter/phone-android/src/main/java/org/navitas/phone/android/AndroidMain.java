package org.navitas.phone.android;

import java.io.IOException;
import java.util.Arrays;
import org.navitas.phone.InstrumentMain;

/**
 * The process of an Android app on the virtual phone. With the system property {@code navitas.app} it is the app alone, told
 * on standard input what to do; without, {@code am instrument} with its arguments ({@link InstrumentMain}).
 *
 * <p>Besides that class's properties it reads {@code navitas.android.manifest} (the app's manifest as text),
 * {@code navitas.android.apk}, {@code navitas.android.data} (its data folder), {@code navitas.android.uid} and
 * {@code navitas.android.instrumentation} (runner class of the tests).
 */
public final class AndroidMain {
    private AndroidMain() {}

    public static void main(String[] arguments) throws IOException {
        Crash.install();
        if (Boolean.getBoolean("navitas.app")) {
            InstrumentMain.main(tests -> Framework.run(Arrays.asList(arguments), AppLoop::run), arguments);
        } else {
            InstrumentMain.main(tests -> Framework.run(Arrays.asList(arguments), tests), arguments);
        }
    }
}

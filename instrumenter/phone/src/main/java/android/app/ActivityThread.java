package android.app;

import org.navitas.phone.PhoneApplication;

/**
 * The way from Navitas's runtime to the app on the virtual phone. The runtime belongs to the JVM's class loader; code
 * within the framework uses the framework's class of this name.
 */
public final class ActivityThread {
    private ActivityThread() {}

    /**
     * Returns the process's Application.
     *
     * @return null without Android's framework
     */
    public static Object currentApplication() {
        return PhoneApplication.get();
    }
}

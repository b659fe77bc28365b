package org.navitas.phone;

/** The Application of this process, which the framework's class loader made. Thread-safe. */
public final class PhoneApplication {
    private static volatile Object current;

    private PhoneApplication() {}

    /**
     * Makes the Application known to Navitas's runtime.
     *
     * @param application the framework's {@code android.app.Application}
     */
    public static void set(Object application) {
        current = application;
    }

    /**
     * Returns the Application.
     *
     * @return null in a process without Android's framework, or before the framework has started
     */
    public static Object get() {
        return current;
    }
}
